package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Wary holds spot instances of the cheapest pool, as long as the deadline would be met if
// all capacity on spot went ten minutes from now and never came back. It imagines that, and
// holds instances on demand from then on if not.
type Wary struct {
	Instances int `set:"instances" min:"1" max:"4096" doc:"how many to hold"`

	after    afterwards // memory for what is imagined
	outlooks []sim.Outlook
	future   sim.Market
	fork     sim.World
}

func (*Wary) Name() string { return "wary" }

const onDemand = 1 // the mode from which there is no way back

func (w *Wary) Decide(v sim.View, plan *sim.Plan) {
	w.after.instances = w.Instances
	if v.Mode() != onDemand && !w.imagine(v) {
		plan.SetMode(onDemand)
	}
	w.after.Decide(v, plan)
	plan.WakeIn(5 * time.Minute)
}

// imagine reports whether all jobs that are submitted would still meet their deadlines.
func (w *Wary) imagine(v sim.View) bool {
	end := v.Now() + 1
	for _, j := range v.ActiveJobs() {
		end = max(end, v.Job(j).Deadline()+1)
	}
	if len(w.outlooks) != v.Pools() {
		w.outlooks = make([]sim.Outlook, v.Pools())
	}
	for p := range w.outlooks {
		x, pool := &w.outlooks[p], v.Pool(p)
		x.Capacity = x.Capacity[:0] // on demand only the quota limits
		if !pool.OnDemand {
			x.Capacity = append(x.Capacity, sim.Capacity{N: pool.Quota}, sim.Capacity{At: v.Now().Add(10 * time.Minute), N: 0})
		}
	}
	v.Future(&w.future, end, w.outlooks)
	v.Imagine(&w.fork, &w.future, 1, &w.after)
	totals := w.fork.Run()
	for _, j := range v.ActiveJobs() {
		if job := &totals.Jobs[j]; !job.Finished || job.Elapsed > v.Job(j).Objective().Within {
			return false
		}
	}
	return true
}

// afterwards holds on demand from the first loss on.
type afterwards struct{ instances int }

func (*afterwards) Name() string { return "afterwards" }

func (a *afterwards) Decide(v sim.View, plan *sim.Plan) {
	if v.Trigger()&(sim.TriggerNotice|sim.TriggerGone) != 0 {
		plan.SetMode(onDemand)
	}
	for j := range v.Jobs() {
		clear(plan.Jobs[j].Hold)
		if v.Job(j).Active() {
			plan.Jobs[j].Hold[cheapest(v, v.Mode() == onDemand)] = a.instances
		}
	}
}

func TestWary(t *testing.T) {
	simtest.Suite(t, func(*sim.Market) sim.Policy { return &Wary{Instances: 2} })
}
