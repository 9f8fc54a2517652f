package policies_test

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Patient starts jobs first come first served. Those that fit pass one that does not, until it has
// waited for longer than its patience: then what becomes free is kept for it.
type Patient struct {
	Patience time.Duration `set:"patience_s" min:"0" max:"604800" doc:"how long a job is passed"`

	free []int // by server
}

func (*Patient) Name() string { return "patient" }

// Traits says that it places and stops jobs, and that it is for GPUs of one model.
func (*Patient) Traits() sim.Traits { return sim.Traits{Plans: sim.ByParts} }

func (p *Patient) Decide(v sim.View, plan *sim.Plan) {
	p.free = p.free[:0]
	total := 0
	for s := range v.Pools() { // a pool is a server
		p.free = append(p.free, v.Pool(s).Quota)
		total += v.Pool(s).Quota
	}
	for _, j := range v.ActiveJobs() {
		for _, x := range plan.Parts(j) {
			p.free[x.Pool] -= int(x.N)
			total -= int(x.N)
		}
	}
	for _, j := range v.ActiveJobs() { // in the order of their submission
		if plan.Held(j) > 0 {
			continue // it runs
		}
		gpus := v.Job(j).Model().(sim.GangModel).Gang()
		switch {
		case gpus <= total:
			p.place(plan, j, gpus)
			total -= gpus
		case v.Now().Sub(v.Job(j).Submitted()) >= p.Patience:
			return // nobody passes it any more
		}
	}
}

// place gives a job the GPUs of the servers with the most free ones: of one server, or of several where it is wider.
func (p *Patient) place(plan *sim.Plan, j, gpus int) {
	for gpus > 0 {
		s := slices.Index(p.free, slices.Max(p.free))
		n := min(gpus, p.free[s])
		plan.Place(j, s, n)
		p.free[s] -= n
		gpus -= n
	}
}

func TestPatient(t *testing.T) {
	simtest.Suite(t, func(*sim.Market) sim.Policy { return &Patient{Patience: time.Hour} }, simtest.Clusters(8))
}
