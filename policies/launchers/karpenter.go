package launchers

import (
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Karpenter provides nodes for the pods of a job as Karpenter does on AWS (sigs.k8s.io/karpenter at 2266468 of 20
// August 2026, karpenter-provider-aws at 1d92708 of 21 August 2026), in one region and of one type: spot if any pool is
// left, by price-capacity-optimized, on demand at once if none is. A pool that refused, or from which a node is taken,
// is left alone for a while. At a notice the node is drained, and replaced before it is gone.
type Karpenter struct {
	Instances   int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"pods of the job, one on each node; 0 takes as many as it uses"`
	OnDemand    bool          `set:"on_demand" doc:"the NodePool allows on demand, too"`
	Blocked     time.Duration `set:"blocked_s" min:"1" max:"86400" doc:"how long a pool that refused is left alone"`
	Consolidate bool          `set:"consolidate" doc:"on demand is replaced by spot that is cheaper as soon as a pool is left" assumed:"pods of training jobs say do-not-disrupt"`
	Batch       time.Duration `set:"batch_s" min:"0" max:"60" doc:"time for which pods are gathered before nodes are asked for"`

	saver policyutil.LossSaver
}

// NewKarpenter returns the policy with Karpenter's constants, and what is assumed.
func NewKarpenter() *Karpenter {
	return &Karpenter{OnDemand: true, Blocked: 3 * time.Minute, Batch: time.Second}
}

// Name implements sim.Policy.
func (*Karpenter) Name() string { return "karpenter" }

// karpenterJob is what is remembered of a job.
type karpenterJob struct {
	fleet
	noticed []int    // by pool, at the last decision
	pending sim.Time // since when pods are gathered; Never: none is
}

// Restart implements policyutil.Kept.
func (k *karpenterJob) Restart(pools int) {
	k.fleet.Restart(pools)
	if len(k.noticed) != pools {
		k.noticed = make([]int, pools)
	}
	clear(k.noticed)
	k.pending = sim.Never
}

// CopyFrom implements policyutil.Kept.
func (k *karpenterJob) CopyFrom(src *karpenterJob) {
	k.fleet.CopyFrom(&src.fleet)
	k.noticed = append([]int(nil), src.noticed...)
	k.pending = src.pending
}

// NewState implements sim.Stateful.
func (k *Karpenter) NewState(from, used any) any {
	return policyutil.NewMemory[karpenterJob, *karpenterJob](k, from, used)
}

// Decide implements sim.Policy.
func (k *Karpenter) Decide(v sim.View, plan *sim.Plan) {
	memory := v.State().(*policyutil.Memory[karpenterJob, *karpenterJob])
	for _, j := range v.ActiveJobs() {
		job := memory.Job(j, v.Pools())
		t := fleetTurn{View: v, plan: plan, j: j, hold: plan.Jobs[j].Hold, group: &job.fleet}
		t.begin(k.Instances, k.OnDemand)
		plan.Jobs[j].Drain = true
		k.decide(&t, job)
		k.saver.Tend(v, j, plan)
	}
}

func (k *Karpenter) decide(t *fleetTurn, job *karpenterJob) {
	until := t.Now().Add(k.Blocked)
	if t.group.asked != none {
		t.noteAsked(until)
	}
	for p := range t.Pools() {
		noticed := t.Held(t.j, p).Noticed
		if noticed > job.noticed[p] {
			t.group.until[p] = until
			t.plan.SetReason("a node is under notice: its pool is left alone")
		}
		job.noticed[p] = noticed
	}
	t.keep()
	k.giveBack(t)
	onDemand := t.active(true)
	missing := t.group.nodes - t.active(false) - onDemand
	if missing <= 0 && !(k.Consolidate && onDemand > 0) {
		job.pending = sim.Never
		t.explainWait("all pods have nodes")
		return
	}
	if job.pending == sim.Never {
		job.pending = t.Now()
	}
	if wait := job.pending.Add(k.Batch).Sub(t.Now()); wait > 0 {
		t.plan.WakeIn(wait)
		t.explainWait("pods wait: gathers them before it asks for nodes")
		return
	}
	k.provide(t, missing)
}

// giveBack gives back nodes on demand for which spot is ready.
func (k *Karpenter) giveBack(t *fleetTurn) {
	if !k.Consolidate {
		return
	}
	more := -t.group.nodes
	for p := range t.Pools() {
		more += t.Held(t.j, p).Ready
	}
	for p := range t.hold {
		if t.Pool(p).OnDemand && more > 0 {
			give := min(more, t.hold[p])
			t.hold[p] -= give
			more -= give
		}
	}
}

// provide asks for the nodes that are missing, and for spot in place of those on demand.
func (k *Karpenter) provide(t *fleetTurn, missing int) {
	onDemand := t.best(true, LowestPrice)
	wanted := missing
	if k.Consolidate {
		wanted = t.group.nodes - t.active(false)
	}
	for {
		p := t.best(false, "")
		if p == none {
			break
		}
		if onDemand != none && t.Price(p) > t.Price(onDemand) {
			t.group.until[p] = t.Now().Add(k.Blocked) // more expensive than on demand: dropped
			continue
		}
		if t.ask(p, wanted) {
			t.plan.SetReason("asks for spot for the pods that wait")
			return
		}
		t.noteRefusal(p, t.Now().Add(k.Blocked))
	}
	if k.OnDemand && missing > 0 && onDemand != none {
		if t.ask(onDemand, missing) {
			t.plan.SetReason("all spot pools are left alone: on demand")
			return
		}
		t.noteRefusal(onDemand, t.Now().Add(k.Blocked))
	}
	next := sim.Never
	for p := range t.Pools() {
		if t.belongs(p) && t.group.until[p] > t.Now() && (k.OnDemand || !t.Pool(p).OnDemand) {
			next = min(next, t.group.until[p])
		}
	}
	if next != sim.Never {
		t.plan.WakeIn(next.Sub(t.Now()))
	}
	if t.plan.Recorded() {
		t.explainLeftAlone()
	}
	if missing > 0 {
		t.explainWait("pods wait: all pools are left alone")
	} else {
		t.explainWait("all pods have nodes; no pool is left that is cheaper")
	}
}
