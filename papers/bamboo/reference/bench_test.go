package reference

import (
	"github.com/marigram/marigram/papers/internal/nodes"
	"github.com/marigram/marigram/papers/internal/nodes/nodestest"
	"testing"

	"github.com/marigram/marigram/sim/simtest"
)

// The published simulator takes 0.14 CPU-seconds for such a run.
func BenchmarkBambooReplay(b *testing.B) {
	for _, p := range []string{"0.01", "0.1", "0.5"} {
		b.Run(p, func(b *testing.B) {
			events := nodestest.Recorded(b, "papers/bamboo/testdata/u_bert_p"+p+"_seed1.csv")
			var s Simulator
			b.ReportAllocs()
			start := simtest.CPUTime()
			for b.Loop() {
				s.Replay(&bertBamboo, events, nodes.Never)
			}
			b.ReportMetric(float64(simtest.CPUTime()-start)/float64(b.N), "cpu-ns/op")
		})
	}
}
