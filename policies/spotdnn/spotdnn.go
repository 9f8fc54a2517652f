package spotdnn

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// SpotDNN is the provisioner of spotDNN (IWQoS 2023): the cheapest window of spot
// instances that meets the objective. It plans again at every notice and loss, for
// the time and the loss that are left, and keeps the instances that it has. The
// paper does not say what to do when a request is not granted (see Patience) or
// when no plan meets the objective: then it takes the fastest.
type SpotDNN struct {
	OverPrediction float64       `set:"over_prediction" min:"0" max:"1" doc:"share by which predicted contention for the parameter server is increased, to absorb network noise (paper: 1 to 5 %)"`
	Overhead       time.Duration `set:"overhead_s" min:"0" max:"86400" doc:"added to the time of a plan that changes a running job (paper: T_ohd, 30 s); the expected boot time is added if nothing runs"`
	Poll           time.Duration `set:"poll_s" min:"0" max:"86400" doc:"time between checks of the status (paper: 15 s); 0 checks only at events"`
	Patience       time.Duration `set:"patience_s" min:"0" max:"86400" doc:"how long a request waits before its pool counts as full and the rest is planned again; 0 waits for ever (not in the paper). Longer waits for cheap pools: on regions 1200 costs 8 % less than 120, and takes 9 % longer"`

	// Baseline is the name of a baseline of the paper that differs in the search
	// only, and Strategy its search; empty and nil mean spotDNN itself.
	Baseline string
	Strategy Strategy

	search ClusterSearch
	saver  policyutil.LossSaver
	full   []int // pools that are left out, since they refused what was requested
}

// Name implements sim.Policy.
func (s *SpotDNN) Name() string { return cmp.Or(s.Baseline, "spotdnn") }

// Decide implements sim.Policy.
func (s *SpotDNN) Decide(v sim.View, plan *sim.Plan) {
	if v.Asks(s) && policyutil.Rest(v, s, s.Spares(v), s.Poll, plan) {
		return
	}
	for j := range v.Jobs() {
		job := v.Job(j)
		if !job.Active() {
			continue
		}
		switch {
		case v.Trigger()&(sim.TriggerNotice|sim.TriggerGone) != 0:
			s.plan(v, j, plan, "planned again: preemption notice")
		case job.Want() == 0:
			s.plan(v, j, plan, "cheapest window that meets the deadline")
		case !policyutil.WithinPatience(v, j, s.Patience, plan):
			s.plan(v, j, plan, "planned again: requests wait")
		}
		if job.SaveTime() > 0 {
			s.saver.Save(v, j, plan)
		}
	}
	if s.Poll > 0 {
		plan.WakeIn(s.Poll)
		return
	}
	for _, j := range v.ActiveJobs() {
		policyutil.WakeOverdue(j, s.Patience, plan)
	}
}

// PollEvery returns the time between checks of the status.
func (s *SpotDNN) PollEvery() time.Duration { return s.Poll }

// Spares returns for how many seconds there is nothing to decide unless something comes that Wait waits for, 0 if
// there may be now: an instance is under notice or gone, a request has waited too long, a job has to save.
func (s *SpotDNN) Spares(v sim.View) float64 {
	if v.Trigger()&(sim.TriggerNotice|sim.TriggerGone) != 0 {
		return 0
	}
	spare := math.Inf(1)
	for _, j := range v.ActiveJobs() {
		job := v.Job(j)
		if job.Want() == 0 || policyutil.AnyOverdue(v, j, s.Patience) {
			return 0
		}
		if job.SaveTime() > 0 {
			spare = min(spare, s.saver.Spares(v, j))
		}
	}
	return spare
}

// Wait waits for what has to be decided. While a job does not train or has to save, that may be at any event.
func (s *SpotDNN) Wait(v sim.View, plan *sim.Plan) {
	idle := true
	for _, j := range v.ActiveJobs() {
		idle = idle && v.Job(j).Speed() > 0 && v.Job(j).SaveTime() == 0
		policyutil.WakeOverdue(j, s.Patience, plan)
	}
	if idle {
		plan.WaitFor(sim.TriggerNotice | sim.TriggerGone | sim.TriggerJob)
	}
}

func (s *SpotDNN) plan(v sim.View, j int, plan *sim.Plan, why string) {
	task := s.search.Reset(v, j, s.OverPrediction)
	s.full = s.full[:0]
	runs := false
	for p := range task.Free {
		held := v.Held(j, p)
		task.Have[p] = held.Active()
		runs = runs || held.Active() > 0
		if v.Pool(p).OnDemand {
			continue
		}
		if !policyutil.Refused(v, j, p, s.Patience) {
			task.Free[p] = policyutil.Headroom(v, plan, j, p)
		} else if held.Waiting == 0 {
			s.full = append(s.full, p)
		}
	}
	overhead := s.Overhead
	if !runs {
		overhead = s.search.ExpectedBoot(v)
	}
	task.Seconds -= overhead.Seconds()
	var strategy Strategy = &s.search.Window
	if s.Strategy != nil {
		strategy = s.Strategy
	}
	ExplainSearch(v, task, plan)
	choice := s.seek(v, j, task, strategy, plan)
	copy(plan.Jobs[j].Hold, choice.Counts)
	policyutil.ExplainChoice(v, choice.Counts, plan)
	plan.SetReason(policyutil.Reason(choice.Feasible, why))
}

// seek searches without the pools that are full. They come back, the one that was asked the longest time ago first,
// as long as there is nothing else, or it costs much more and the job insists.
func (s *SpotDNN) seek(v sim.View, j int, task *Task, strategy Strategy, plan *sim.Plan) Choice {
	insists := false
	maxUSD := 0.0
	if len(s.full) > 0 && policyutil.Insists(v, j, s.Patience) {
		for _, p := range s.full {
			task.Free[p] = policyutil.Headroom(v, plan, j, p)
		}
		all := strategy.Search(task)
		insists = all.Feasible
		maxUSD = policyutil.MuchMore * all.USD
		for _, p := range s.full {
			task.Free[p] = 0
		}
	}
	choice := strategy.Search(task)
	for len(s.full) > 0 && (!choice.Feasible || insists && choice.USD > maxUSD) {
		p := policyutil.LongestRefused(v, s.full)
		s.full = slices.DeleteFunc(s.full, func(q int) bool { return q == p })
		task.Free[p] = policyutil.Headroom(v, plan, j, p)
		choice = strategy.Search(task)
	}
	return choice
}
