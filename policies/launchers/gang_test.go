package launchers

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// gang is a job that trains on n instances or not at all, of one second of work a second. What is done is kept in whole
// saves of each run.
type gang struct {
	n          int
	work, save float64
}

func (g *gang) Rate(l *sim.Layout) sim.Rate {
	workers := l.Total()
	if l.Stages > 0 {
		workers = int(l.Pipelines)
	}
	if workers < g.n || workers > l.Total() {
		return sim.Rate{}
	}
	return sim.Rate{Progress: 1, Iterations: 1, Samples: 1, Working: int32(workers), Step: g.save}
}

func (g *gang) Begin(*sim.Layout) float64 { return 0 }

func (g *gang) Goal(float64) float64 { return g.work }

func (g *gang) Loss(progress float64) float64 { return g.work - progress }

func (g *gang) Change(*sim.Change) sim.Pause { return sim.Pause{DropStep: true, NewStep: true} }

func (g *gang) SaveTime(*sim.Layout) (stall, persist time.Duration) { return 0, 0 }

func (g *gang) Best(instances int) (pipelines, stages int) { return instances, 1 }

func (g *gang) MaxUseful() int { return g.n }

// capacity turns pairs of a second and a number into a trace.
func capacity(pairs [][2]float64) (out []sim.Capacity) {
	for _, pair := range pairs {
		out = append(out, sim.Capacity{At: sim.At(pair[0]), N: int(pair[1])})
	}
	return out
}
