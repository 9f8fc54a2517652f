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
	if v.Asks(r) && r.waitIdly(v, plan) {
		return
	}
	for j := range v.Jobs() {
		job := v.Job(j)
		if !job.Active() {
			continue
		}
		if job.Want() == 0 {
			r.start(v, j, plan)
			policyutil.WakeOverdue(j, r.Patience, plan)
		} else if !policyutil.WithinPatience(v, j, r.Patience, plan) {
			moveRequests(v, j, r.Patience, plan)
		}
		if job.SaveTime() > 0 {
			r.saver.Save(v, j, plan)
		}
	}
}

// waitIdly waits until a request has waited too long, if there is nothing to decide before, and reports whether it
// does: jobs train that need not save, and what they lose is requested again by the world.
func (r *Reactive) waitIdly(v sim.View, plan *sim.Plan) bool {
	for _, j := range v.ActiveJobs() {
		job := v.Job(j)
		if job.Want() == 0 || job.Speed() == 0 || job.SaveTime() > 0 {
			return false
		}
		if policyutil.AnyOverdue(v, j, r.Patience) && !requestsAll(v, j, plan) {
			return false
		}
	}
	for _, j := range v.ActiveJobs() {
		if !requestsAll(v, j, plan) {
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
		if v.Pool(p).OnDemand || !isFirstOfType(v, p) {
			continue
		}
		choice := r.searchType(v, plan, j, task, p)
		if spotdnn.Better(&choice, &best) {
			best = choice
			copy(plan.Jobs[j].Hold, choice.Counts)
		}
	}
	policyutil.ExplainChoice(v, plan.Jobs[j].Hold, plan)
	plan.SetReason(policyutil.Reason(best.Feasible, "cheapest single type that meets the deadline"))
}

// searchType searches among the spot pools of p's type.
func (r *Reactive) searchType(v sim.View, plan *sim.Plan, j int, task *spotdnn.Task, p int) spotdnn.Choice {
	for q := range task.Free {
		task.Free[q] = 0
		if sameType(v, p, q) {
			task.Free[q] = policyutil.Headroom(v, plan, j, q)
		}
	}
	boot := r.search.ExpectedBoot(v).Seconds()
	task.Seconds -= boot
	choice := r.search.Window.Search(task)
	task.Seconds += boot
	return choice
}
