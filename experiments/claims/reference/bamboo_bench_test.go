package reference

import (
	"testing"

	"github.com/marigram/marigram/sim/simtest"
)

// The published simulator takes 0.14 CPU-seconds for such a run.
func BenchmarkBambooReplay(b *testing.B) {
	for _, p := range []string{"0.01", "0.1", "0.5"} {
		b.Run(p, func(b *testing.B) {
			events := nodeEvents(b, "bamboo_traces/u_bert_p"+p+"_seed1.csv")
			var s Bamboo
			b.ReportAllocs()
			start := simtest.CPUTime()
			for b.Loop() {
				s.Replay(&bertBamboo, events, never)
			}
			b.ReportMetric(float64(simtest.CPUTime()-start)/float64(b.N), "cpu-ns/op")
		})
	}
}
