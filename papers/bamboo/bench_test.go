package bamboo

import (
	"fmt"
	"testing"

	"github.com/marigram/marigram/sim/simtest"
)

// A run of Bamboo's generated table, the generation of its trace included. The
// published simulator takes 0.14 CPU-seconds.
func BenchmarkBambooRun(b *testing.B) {
	for _, p := range []float64{.01, .1, .5} {
		b.Run(fmt.Sprint("p", p), func(b *testing.B) {
			model, network, err := published("BERT")
			if err != nil {
				b.Fatal(err)
			}
			run := run{model: model, fleet: fleet{capacity: network.Capacity, goes: p}}
			b.ReportAllocs()
			start := simtest.CPUTime()
			for seed := uint64(0); b.Loop(); seed++ {
				run.metrics(seed % 1000)
			}
			b.ReportMetric(float64(simtest.CPUTime()-start)/float64(b.N), "cpu-ns/op")
		})
	}
}
