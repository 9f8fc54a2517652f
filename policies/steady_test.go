package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Steady holds spot instances of the cheapest pool. When a request has waited for
// longer than its patience, all are asked for on demand instead.
type Steady struct {
	Instances int           `set:"instances" min:"1" max:"4096" doc:"how many to hold"`
	Patience  time.Duration `set:"patience_s" min:"1" max:"86400" doc:"how long a request may wait"`
}

func (*Steady) Name() string { return "steady" }

func (s *Steady) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		job, hold := v.Job(j), plan.Jobs[j].Hold
		waited := v.Now().Sub(min(job.WaitingSince(), v.Now()))
		switch {
		case !job.Active():
		case job.Want() == 0:
			hold[cheapest(v, false)] = s.Instances
			plan.SetReason("the cheapest spot pool")
		case waited >= s.Patience:
			clear(hold)
			hold[cheapest(v, true)] = s.Instances
			plan.SetReason("no spot within the patience: on demand")
		case job.Waiting() > 0:
			plan.WakeIn(s.Patience - waited) // nothing else may happen until then
		}
	}
}

// cheapest returns the pool with the lowest price now of those that can be used, on demand or spot.
func cheapest(v sim.View, onDemand bool) int {
	best := -1
	for p := range v.Pools() {
		pool := v.Pool(p)
		if pool.OnDemand == onDemand && pool.Quota > 0 && (best < 0 || v.Price(p) < v.Price(best)) {
			best = p
		}
	}
	return best
}

func TestSteady(t *testing.T) {
	simtest.Suite(t, func(*sim.Market) sim.Policy { return &Steady{Instances: 2, Patience: 5 * time.Minute} })
}
