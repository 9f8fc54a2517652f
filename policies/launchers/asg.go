package launchers

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// ASG keeps the number of instances of an EC2 Auto Scaling group of one type in one region (EC2 Auto Scaling user
// guide, "Allocation strategies for multiple instance types", as of 2026): a base and a share on demand, the rest on
// spot, in the pools that the strategy names. What is missing is asked for at each health check; spot that cannot be
// had is not replaced by on demand. Zones are not balanced.
type ASG struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"wanted number of instances; 0 takes as many as the job uses"`
	Strategy  Allocation    `set:"strategy" names:"price-capacity-optimized,capacity-optimized,lowest-price" doc:"which spot pool is asked first" assumed:"EC2's rank of pools by capacity is not published: those that have refused or lost nothing of the run for longest"`
	Base      int           `set:"base" min:"0" max:"4096" doc:"OnDemandBaseCapacity"`
	Share     float64       `set:"on_demand_share" min:"0" max:"1" doc:"OnDemandPercentageAboveBaseCapacity, as a share, rounded up" assumed:"the tool's own default is all"`
	Rebalance bool          `set:"rebalance" doc:"Capacity Rebalancing: replaces at a notice, which stands for the recommendation, and not when the instance is gone"`
	Check     time.Duration `set:"check_s" min:"1" max:"3600" doc:"time between health checks" assumed:"not published"`

	saver policyutil.LossSaver
}

// NewASG returns the policy with the defaults of EC2, and what is assumed.
func NewASG() *ASG { return &ASG{Check: time.Minute} }

// Name implements sim.Policy.
func (*ASG) Name() string { return "asg" }

// NewState implements sim.Stateful.
func (a *ASG) NewState(from, used any) any { return policyutil.NewMemory[fleet, *fleet](a, from, used) }

// Decide implements sim.Policy.
func (a *ASG) Decide(v sim.View, plan *sim.Plan) {
	memory := v.State().(*policyutil.Memory[fleet, *fleet])
	for _, j := range v.ActiveJobs() {
		t := fleetTurn{View: v, plan: plan, j: j, hold: plan.Jobs[j].Hold, group: memory.Job(j, v.Pools())}
		t.begin(a.Instances, a.Base > 0 || a.Share > 0)
		a.decide(&t)
		a.saver.Tend(v, j, plan)
	}
}

func (a *ASG) decide(t *fleetTurn) {
	if t.group.asked != none {
		t.noteAsked(t.Now().Add(thisInstant))
	}
	t.keep()
	since := t.Now().Sub(t.Job(t.j).Submitted())
	if late := since % a.Check; late > 0 {
		t.plan.WakeIn(a.Check - late)
		t.explainWait("waits for the next health check")
		return
	}
	t.plan.WakeIn(a.Check)
	base := min(a.Base, t.group.nodes)
	onDemand := base + int(math.Ceil(a.Share*float64(t.group.nodes-base)))
	spot := t.group.nodes - onDemand - t.active(false)
	if !a.Rebalance {
		for p := range t.Pools() {
			spot -= t.Held(t.j, p).Noticed
		}
	}
	for _, missing := range [...]struct {
		n        int
		onDemand bool
	}{{spot, false}, {onDemand - t.active(true), true}} {
		for missing.n > 0 {
			p := t.best(missing.onDemand, a.Strategy)
			if p == none {
				break
			}
			if t.ask(p, missing.n) {
				t.plan.SetReason("asks for what is missing of the group")
				return
			}
			t.noteRefusal(p, t.Now().Add(thisInstant))
		}
	}
	t.explainWait("a health check: nothing to ask for")
}
