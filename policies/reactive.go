package policies

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// Reactive keeps n spot instances of one type, and replaces losses when there is
// capacity, as an auto-scaling group does. The type is the one that meets the
// objective at the lowest cost at the prices of the start, n the smallest number
// that does; both stay.
type Reactive struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"n; 0 takes the smallest number that meets the objective"`
	Patience  time.Duration `set:"patience_s" min:"0" max:"86400" doc:"how long a request waits before it moves to the next zone of the type; 0 waits for ever"`

	search spotdnn.ClusterSearch
	saver  policyutil.LossSaver
}

func init() {
	Register(Info{
		Name:     "reactive",
		Doc:      "keeps n instances of the cheapest type that meets the objective and replaces lost instances",
		Source:   "auto-scaling group, as in Bamboo (NSDI 2023) section 2",
		Needs:    WorkerModels,
		Defaults: func() sim.Policy { return &Reactive{Patience: 5 * time.Minute} },
	})
}

// Name implements sim.Policy.
func (*Reactive) Name() string { return "reactive" }

// Decide implements sim.Policy.
func (r *Reactive) Decide(v sim.View, plan *sim.Plan) {
	if v.Asks(r) && r.idle(v, plan) {
		return
	}
	for j := range v.Jobs() {
		job := v.Job(j)
		switch {
		case !job.Active():
			continue
		case job.Want() == 0:
			r.start(v, j, plan)
			policyutil.WakeOverdue(j, r.Patience, plan)
		case !policyutil.WithinPatience(v, j, r.Patience, plan):
			moveOn(v, j, r.Patience, plan)
		}
		if job.SaveTime() > 0 {
			r.saver.Save(v, j, plan)
		}
	}
}

// idle reports whether there is nothing to decide until a request has waited too long, and waits
// for that: jobs train that need not save, and what they lose is requested again by the world.
func (r *Reactive) idle(v sim.View, plan *sim.Plan) bool {
	for _, j := range v.ActiveJobs() {
		job := v.Job(j)
		if job.Want() == 0 || job.Speed() == 0 || job.SaveTime() > 0 || policyutil.AnyOverdue(v, j, r.Patience) && !full(v, j, plan) {
			return false
		}
	}
	for _, j := range v.ActiveJobs() {
		if !full(v, j, plan) {
			policyutil.WakeOverdue(j, r.Patience, plan)
		}
	}
	plan.WaitFor(sim.TriggerJob)
	return true
}

// start picks the type and the number.
func (r *Reactive) start(v sim.View, j int, plan *sim.Plan) {
	task := r.search.Reset(v, j, 0)
	task.Exactly = r.Instances
	spotdnn.ExplainSearch(v, task, plan)
	best := spotdnn.Choice{USD: math.Inf(1)}
	best.Seconds = math.Inf(1)
	for p := range v.Pools() {
		if v.Pool(p).OnDemand || !firstOfType(v, p) {
			continue
		}
		if c := r.homogeneous(v, plan, j, task, p); spotdnn.Better(&c, &best) {
			best = c
			copy(plan.Jobs[j].Hold, c.Counts)
		}
	}
	policyutil.ExplainChoice(v, plan.Jobs[j].Hold, plan)
	plan.SetReason(policyutil.Reason(best.Feasible, "cheapest single type that meets the deadline"))
}

// homogeneous searches among the spot pools of p's type.
func (r *Reactive) homogeneous(v sim.View, plan *sim.Plan, j int, task *spotdnn.Task, p int) spotdnn.Choice {
	for q := range task.Free {
		task.Free[q] = 0
		if sameType(v, p, q) {
			task.Free[q] = policyutil.Headroom(v, plan, j, q)
		}
	}
	boot := r.search.ExpectedBoot(v).Seconds()
	task.Seconds -= boot
	defer func() { task.Seconds += boot }()
	return r.search.Window.Search(task)
}
