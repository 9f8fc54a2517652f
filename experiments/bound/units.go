package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// newUnits returns the sets of a model of pipelines: its instances are of one kind, so that a set is a number of them.
func newUnits(m sim.PipelineModel, servers, pools, total int) *sets {
	most := min(total, m.MaxUseful())
	x := &sets{
		model:  m,
		kind:   make([]int32, pools),
		offers: make([][]offer, 1),
		paid:   [][]float64{make([]float64, most+1)},
	}
	layout := sim.Layout{Workers: make([]int32, pools)}
	fastest := 0.0 // on at most n
	for n := 1; n <= most; n++ {
		layout.Workers[0] = int32(n)
		for laidOut := n; laidOut <= 2*n; laidOut++ { // others may do the work of those that are lost
			pipelines, stages := m.Best(laidOut)
			layout.Pipelines = int32(pipelines)
			layout.Stages = int32(stages)
			layout.Holes = int32(max(pipelines*stages-n, 0))
			for _, used := range []int{0, servers} { // a policy may do without
				layout.Servers = int32(used)
				rate := m.Rate(&layout).Progress
				if !math.IsInf(rate, 1) { // else the model has no layout with holes
					fastest = max(fastest, rate)
				}
			}
		}
		x.list = append(x.list, mixed{counts: []int32{int32(n)}, rate: fastest})
	}
	return x
}
