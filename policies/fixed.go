package policies

import (
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Fixed requests its instances once and continues with those that are left: the
// clusters of ICAC 2019 (Li, Walls, Guo, "Speeding up Deep Learning with Transient
// Servers"). It works with models that no search can use.
//
// Until training has started it waits for all of them. After that a loss leaves
// those that are ready: instances that are still starting are released, so that a
// replacement which the cloud grants at the instant of the loss is never used. It
// is billed for the minimum.
type Fixed struct {
	Instances int  `set:"instances" min:"0" max:"4096" holds:"each" doc:"number of instances of each spot pool; 0 takes the quota"`
	Replace   bool `set:"replace" doc:"request lost instances again, in the same pool"`

	saver policyutil.LossSaver
}

func init() {
	register("requests its instances once and continues with those that are left",
		"the transient clusters of Li, Walls and Guo (ICAC 2019)", WorkerModels,
		func() sim.Policy { return &Fixed{} })
}

// Name implements sim.Policy.
func (*Fixed) Name() string { return "fixed" }

// Decide implements sim.Policy.
func (f *Fixed) Decide(v sim.View, plan *sim.Plan) {
	idle := true
	for j := range v.Jobs() {
		job := v.Job(j)
		if !job.Active() {
			continue
		}
		lost := v.Trigger()&(sim.TriggerNotice|sim.TriggerGone) != 0
		if v.Now() == job.Deadline().Add(-job.Objective().Within) { // it was submitted now
			f.requestAll(v, j, plan)
		} else if !f.Replace && job.Begun() && lost {
			f.keepReady(v, j, plan)
		}
		if job.SaveTime() > 0 {
			f.saver.Save(v, j, plan)
		}
		idle = idle && job.Speed() > 0 && job.SaveTime() == 0
	}
	if idle && v.Asks(f) {
		plan.WaitFor(sim.TriggerNotice | sim.TriggerGone | sim.TriggerJob)
	}
}

func (f *Fixed) requestAll(v sim.View, j int, plan *sim.Plan) {
	hold := plan.Jobs[j].Hold
	for p := range hold {
		hold[p] = 0
		if v.Pool(p).OnDemand {
			continue
		}
		hold[p] = policyutil.Headroom(v, plan, j, p) + v.Held(j, p).Active()
		if f.Instances > 0 {
			hold[p] = min(hold[p], f.Instances)
		}
	}
	plan.SetReason("all at once")
}

func (f *Fixed) keepReady(v sim.View, j int, plan *sim.Plan) {
	hold := plan.Jobs[j].Hold
	for p := range hold {
		ready := v.Held(j, p).Ready
		if ready < hold[p] {
			hold[p] = ready
			plan.SetReason("lost instances are not replaced")
		}
	}
}
