package regions

import (
	"testing"

	"github.com/marigram/marigram/experiments/claims/reference/dynamicpricing"
	"github.com/marigram/marigram/experiments/claims/reference/skynomad"
	plan "github.com/marigram/marigram/policies/skynomad"
)

// BenchmarkDynamicPricing is the 4,950 runs of the notebook on dynamic pricing: 2 regions, 3 durations
// less one, 11 models, 5 strategies, 30 starts: once over all of them, with the reading of the prices.
func BenchmarkDynamicPricing(b *testing.B) {
	for b.Loop() {
		all, err := markets()
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, r := range [][2]any{{"us-east-1", 4.0}, {"us-west-2", 4.0}, {"us-east-1", 8.0}} {
			for _, speeds := range publishedSpeeds() {
				for _, strategy := range []string{"baseline", "gpu_type", "packed", "multi_cloud", "preemption"} {
					c := cell{market: all[r[0].(string)], job: dynamicpricing.Job{Speeds: speeds, V100Days: r[1].(float64)}}
					costs, err := c.costs(strategy)
					if err != nil {
						b.Fatal(err)
					}
					n += len(costs)
				}
			}
		}
		if n != 4950 {
			b.Fatalf("%d runs", n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(4950*b.N), "ns/run")
}

// BenchmarkSkyNomad is one run of SkyNomad as its public code counts: 6 zones, 34.6 h of work
// in 51.8 h, ticks of 10 minutes.
func BenchmarkSkyNomad(b *testing.B) {
	zones, err := zonesByName()
	if err != nil {
		b.Fatal(err)
	}
	var list []*skynomad.Zone
	for _, name := range []string{"us-central1-a", "us-east4-b", "us-west1-a", "us-west1-b", "europe-west1-c", "asia-southeast1-b"} {
		list = append(list, zones[name])
	}
	job := skynomad.Job{Job: plan.Job{TickS: 600, WorkS: 186600 / 1.5, DeadlineS: 186600, RestartS: 720, CheckpointGB: 50}, Start: 311}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := skynomad.Run("unified_cost_model_risk", skynomad.Options{}, job, list, nil); err != nil {
			b.Fatal(err)
		}
	}
}
