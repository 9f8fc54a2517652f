package dynamicpricing

import (
	"testing"

	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/papers/dynamic-pricing/reference"
)

// BenchmarkDynamicPricing is the 4,950 runs of the notebook on dynamic pricing: 2 regions, 3 durations
// less one, 11 models, 5 strategies, 30 starts: once over all of them, with the reading of the prices.
func BenchmarkDynamicPricing(b *testing.B) {
	pulled.Dir(b, awsPrices)
	pulled.Dir(b, azurePrices)
	for b.Loop() {
		all, err := markets()
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, r := range [][2]any{{"us-east-1", 4.0}, {"us-west-2", 4.0}, {"us-east-1", 8.0}} {
			for _, speeds := range publishedSpeeds() {
				for _, strategy := range []string{"baseline", "gpu_type", "packed", "multi_cloud", "preemption"} {
					c := cell{market: all[r[0].(string)], job: reference.Job{Speeds: speeds, V100Days: r[1].(float64)}}
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
