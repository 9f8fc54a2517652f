package skynomad

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

// The zones that are read from the pulled sets are those that another program packed from the same files: ticks, ticks
// with a machine, how often that or the price changes, plus one, and the mean price.
func TestZones(t *testing.T) {
	check := near.Count(t)
	for _, name := range []string{h100Probes, v100Ticks, v100Prices} {
		pulled.Dir(t, name)
	}
	for name, want := range map[string]struct {
		ticks, available, runs, prices int
		usd                            float64
	}{
		"asia-south2-b":     {2114, 2113, 3, 1, 69.9101158},
		"asia-southeast1-b": {2114, 1658, 35, 1, 19.256384},
		"asia-southeast1-c": {2114, 1150, 31, 1, 19.256384},
		"europe-west1-c":    {2114, 1860, 33, 1, 16.35632},
		"europe-west3-c":    {2114, 1002, 33, 1, 17.529216},
		"us-central1-a":     {2114, 2025, 49, 1, 18.979008},
		"us-central1-b":     {2114, 1928, 157, 1, 18.979008},
		"us-central1-c":     {2114, 1942, 147, 1, 18.979008},
		"us-east4-a":        {2114, 1823, 286, 1, 14.85344},
		"us-east4-b":        {2114, 1792, 160, 1, 14.85344},
		"us-east5-a":        {2114, 1882, 247, 1, 16.72672},
		"us-west1-a":        {2114, 1269, 104, 1, 18.979008},
		"us-west1-b":        {2114, 509, 300, 1, 18.979008},
		"us-east-1c":        {20158, 9404, 688, 185, 1.27754278},
		"us-east-2b":        {20158, 13752, 350, 41, 0.927932975},
		"us-west-2a":        {20158, 17801, 317, 94, 0.945280759},
	} {
		list, err := ZonesNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		z := list[0]
		available, runs, prices, usd := 0, 0, 0, 0.0
		for i, is := range z.Available {
			if is {
				available++
			}
			if i == 0 || is != z.Available[i-1] {
				runs++
			}
			if i == 0 || z.SpotUSD[i] != z.SpotUSD[i-1] {
				prices++
			}
			usd += z.SpotUSD[i] / float64(len(z.SpotUSD))
		}
		if len(z.Available) != want.ticks || available != want.available || runs != want.runs || prices != want.prices || check.OffRel(usd, want.usd, 1e-8) {
			t.Errorf("%s: %d ticks, %d with a machine in %d runs, %d prices, mean %v; want %+v", name, len(z.Available), available, runs, prices, usd, want)
		}
	}
}
