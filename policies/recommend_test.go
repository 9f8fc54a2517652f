package policies

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/internal/near"
)

// By hand: p3.8xlarge is the cheapest within 10 h though p3.2xlarge is cheaper.
func TestRecommend(t *testing.T) {
	offers := []Offer{
		{InstanceType: "p3.2xlarge", EpochS: 1440, USDPerH: 3.06},  // 12 h, 36.72 USD
		{InstanceType: "p3.16xlarge", EpochS: 360, USDPerH: 24.48}, // 3 h, 73.44 USD
		{InstanceType: "p3.8xlarge", EpochS: 600, USDPerH: 12.24},  // 5 h, 61.20 USD
	}
	for within, want := range map[float64]string{13 * 3600: "p3.2xlarge", 10 * 3600: "p3.8xlarge",
		4 * 3600: "p3.16xlarge"} {
		if best := Recommend(offers, 30, within)[0]; best.InstanceType != want || best.LateS != 0 {
			t.Errorf("within %v s: %+v, want %s", within, best, want)
		}
	}
	late := Recommend(offers, 30, 3600)[0]
	if late.InstanceType != "p3.16xlarge" || late.LateS != 2*3600 {
		t.Errorf("nothing is in time: %+v", late)
	}
}

// No offer in time is cheaper than the first, and the first is in time if any is.
func TestRecommendIsTheCheapest(t *testing.T) {
	check := near.Count(t)
	rapid.Check(t, func(t *rapid.T) {
		var offers []Offer
		for range rapid.IntRange(1, 8).Draw(t, "offers") {
			offers = append(offers, Offer{EpochS: rapid.Float64Range(1, 100).Draw(t, "epoch"),
				USDPerH: rapid.Float64Range(0, 30).Draw(t, "price")})
		}
		within := rapid.Float64Range(1, 1000).Draw(t, "within")
		best := Recommend(offers, 10, within)[0]
		for _, o := range offers {
			inTime := o.EpochS*10 <= within
			if inTime && (check.Above(best.LateS, 0) || check.Below(o.EpochS*10*o.USDPerH/3600, best.CostUSD)) {
				t.Fatalf("%+v is better than %+v", o, best)
			}
			if best.LateS > 0 && check.Below(o.EpochS, best.EpochS) {
				t.Fatalf("%+v is less late than %+v", o, best)
			}
		}
	})
}
