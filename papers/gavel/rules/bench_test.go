package rules

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/pyrandom"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// BenchmarkRules shares out a cluster among 100 jobs on three models of GPU.
func BenchmarkRules(b *testing.B) {
	draws := pyrandom.New(1)
	in := share.Input{GPUs: []int{36, 36, 36}, Price: []float64{1, 2, 3}}
	for i := range 100 {
		j := share.Job{ID: i, GPUs: 1 << draws.Below(4), Weight: 1, Left: 1e5 * (1 + draws.Random()), Age: 1e4 * draws.Random(), Time: math.Inf(1)}
		for range in.GPUs {
			j.Speed = append(j.Speed, 1+9*draws.Random())
		}
		in.Jobs = append(in.Jobs, j)
	}
	for name, r := range map[string]share.Rule{
		"fifo_perf": &FastestFIFO{}, "isolated": Isolated{}, "max-min": &share.MaxMin{}, "max-min-levels": &share.MaxMin{Levels: true},
		"finish-time": &FinishTime{}, "min-duration": &MinDuration{}, "max-sum": &MaxSum{},
	} {
		b.Run(name, func(b *testing.B) {
			var x share.Shares
			for range b.N {
				r.Share(&in, &x)
			}
		})
	}
}
