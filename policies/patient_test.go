package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Patient starts jobs first come first served. Those that fit pass one that does not, until it has
// waited for longer than its patience: then what becomes free is kept for it.
type Patient struct {
	Patience time.Duration `set:"patience_s" min:"0" max:"604800" doc:"how long a job is passed"`

	free []int
}

func (*Patient) Name() string { return "patient" }

func (p *Patient) Decide(v sim.View, plan *sim.Plan) {
	p.free = p.free[:0]
	for s := range v.Pools() { // a pool is a server
		p.free = append(p.free, v.Pool(s).Quota)
	}
	for _, j := range v.ActiveJobs() {
		for s := range p.free {
			p.free[s] -= plan.Hold(j, s)
		}
	}
	for _, j := range v.ActiveJobs() {
		if plan.Held(j) > 0 {
			continue // it runs
		}
		gpus := v.Job(j).Model().(sim.GangModel).Gang()
		switch s := roomiest(p.free); {
		case p.free[s] >= gpus:
			plan.Place(j, s, gpus)
			p.free[s] -= gpus
		case v.Now().Sub(v.Job(j).Submitted()) >= p.Patience:
			return // nobody passes it any more
		}
	}
}

// roomiest returns the server with most free GPUs.
func roomiest(free []int) int {
	best := 0
	for s, n := range free {
		if n > free[best] {
			best = s
		}
	}
	return best
}

func TestPatient(t *testing.T) {
	simtest.Suite(t, func(*sim.Market) sim.Policy { return &Patient{Patience: time.Hour} }, simtest.Clusters(4))
}
