package experiments

import (
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// What the spans of a run of many jobs say was held, at the prices that they say, is what the run cost, where zones of
// one type have prices of their own.
func TestSpansOfManyJobsAddUp(t *testing.T) {
	check := near.Count(t)
	var set []spec.Setting
	for _, text := range []string{"seeds=1", "policy=deadline-spot", "jobs.gavel.jobs=12", "horizon_s=864000"} {
		x, err := spec.ParseSetting(text)
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, x)
	}
	s, err := spec.Open("cluster-starburst", set...)
	if err != nil {
		t.Fatal(err)
	}
	study, err := NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	tables := runStudy(t, study)
	usd := map[int64]map[string]float64{}
	for i := range tables.Spans {
		x := &tables.Spans[i]
		if usd[x.Run] == nil {
			usd[x.Run] = map[string]float64{}
		}
		usd[x.Run][x.Market] += float64(x.Ready+x.Starting+x.Noticed) * x.PriceUSDPerH * (x.EndS - x.StartS) / 3600
	}
	for i := range tables.Summaries {
		r := &tables.Summaries[i]
		for market, want := range map[string]float64{results.Spot: r.CostSpotUSD, results.OnDemand: r.CostOnDemandUSD} {
			if got := usd[r.Run][market]; check.Off(got, want, 1e-6*max(want, 1)) {
				t.Errorf("%s, %s: %v USD by spans, the run cost %v", r.Policy, market, got, want)
			}
		}
	}
}
