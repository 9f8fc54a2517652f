package schedulers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// Rounds gives out the GPUs of a cluster of several models in rounds, so that over time every job has the share of
// each model that a rule gives it (Gavel, OSDI 2020). Pools of one model (Pool.GPU; a pool that says none is a model
// of its own) are shared as one; models are given out in the order of the pools. On its model a job keeps the GPUs
// that it had in the round before; others get theirs on as few servers as they can, larger jobs first. A job that
// ends leaves its GPUs to others at once, unlike in Gavel's own simulator (papers/gavel/reference). A spot pool that
// does not grant requests counts as full for five minutes, and its jobs go elsewhere.
type Rounds struct {
	// As is the policy's name; empty: rounds.
	As string
	// Rule returns the rule, anew for every run.
	Rule func() share.Rule
	// Round is the length of a round, Every the least time between two times at which shares are worked
	// out; 0: 6 and 32 minutes, as in Gavel.
	Round time.Duration `set:"round_s" min:"0" max:"604800" doc:"length of a round; 0: 6 minutes. Several times as long as a restart: jobs that take turns restart in each"`
	Every time.Duration `set:"every_s" min:"0" max:"604800" doc:"least time between two times at which shares are worked out; 0: 32 minutes"`
	// Placement is FewServers or Closest.
	Placement Placement `set:"placement" names:"few-servers,closest" doc:"which of a model's free GPUs a job gets: of few servers, or closest (as close together as they are: one server, one rack, and so on)"`
	// Markets distinguishes servers from spot and on-demand pools, each of which is a model of its own with its
	// price: for rules that use prices. Shares are then worked out anew when a price changes, and on-demand GPUs take
	// part.
	Markets bool
	// OnlyShares runs jobs that have a share only; else others fill what is left.
	OnlyShares bool
	// SingleGPU says that the rule is for jobs of one GPU each.
	SingleGPU bool

	free   []int // by model
	active []int // jobs, by their numbers
	order  []int
	layout sim.Layout
	placer placer
}

// rounds is what Rounds remembers.
type rounds struct {
	rule   share.Rule
	models models
	jobs   []shared
	input  share.Input
	shares share.Shares

	at     sim.Time // the last decision
	end    sim.Time // of the round
	worked sim.Time // when the shares were last worked out; Never: not yet
	stale  bool     // jobs have come or gone since
	active int
}

// shared is what is known of a job.
type shared struct {
	number   int // of the job, from 1
	came     sim.Time
	speed    []float64 // by model
	share    []float64 // by model
	received []float64 // by model: s, since the shares were worked out
	priority float64
}

// Traits says what the policy is: some rules know how much work is left.
func (r *Rounds) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true, KnowsWork: share.KnowsWork(r.Rule())}
}

// RentsOnDemand reports whether it takes anything on demand.
func (r *Rounds) RentsOnDemand() bool { return r.Markets }

// RoundLength returns how long jobs that take turns have their GPUs.
func (r *Rounds) RoundLength() time.Duration { return cmp.Or(r.Round, defaultRound) }

// Fits says that a job runs on one model, or on one GPU.
func (r *Rounds) Fits() Fit {
	if r.SingleGPU {
		return OnGPU
	}
	return OnModel
}

// fill gives out the GPUs: all of them, or those that are free.
func (r *Rounds) fill(v sim.View, plan *sim.Plan, s *rounds, whole bool) {
	r.free = append(r.free[:0], s.models.gpus...)
	r.placer.begin(v, plan, &s.models, r.active, whole)
	r.placer.close = r.Placement == Closest
	if !whole {
		for _, j := range r.active {
			model := s.models.held(plan, j)
			if model != none {
				r.free[model] -= plan.Held(j)
			}
		}
	}
	for model := range r.free {
		if r.free[model] == 0 {
			continue
		}
		r.rank(s, model)
		r.placer.chosen = r.placer.chosen[:0]
		for _, j := range r.order {
			job := &s.jobs[j]
			n := gang(v, j).Gang()
			mayRun := job.speed[model] > 0 && (job.priority > 0 || !r.OnlyShares)
			if n <= r.free[model] && mayRun && !r.placer.has(plan, j) {
				r.placer.choose(j, n)
				r.free[model] -= n
			}
		}
		r.placer.placeChosen(plan, &s.models, model)
	}
}

// rank sorts the jobs for a model: those first that have had least of their share.
func (r *Rounds) rank(s *rounds, model int) {
	given := 0.0
	for _, j := range r.active {
		given += s.jobs[j].received[model]
	}
	r.order = append(r.order[:0], r.active...)
	for _, j := range r.order {
		job := &s.jobs[j]
		job.priority = job.share[model]
		if job.priority <= 0 {
			continue
		}
		if received := job.received[model]; received > 0 {
			job.priority *= given / received
		} else {
			job.priority = math.MaxFloat64 * min(job.priority, 1)
		}
	}
	slices.SortStableFunc(r.order, func(a, b int) int { return cmp.Compare(s.jobs[b].priority, s.jobs[a].priority) })
}

// Name implements sim.Policy.
func (r *Rounds) Name() string { return cmp.Or(r.As, "rounds") }

const (
	defaultRound = 6 * time.Minute
	defaultEvery = 32 * time.Minute
)

// NewState implements sim.Stateful.
func (r *Rounds) NewState(from, _ any) any {
	s := &rounds{rule: r.Rule(), worked: sim.Never}
	if was, ok := from.(*rounds); ok {
		s.rule = cloneRule(was.rule, s.rule)
		s.models = was.models.clone()
		s.at = was.at
		s.end = was.end
		s.worked = was.worked
		s.stale = was.stale
		s.active = was.active
		for _, job := range was.jobs {
			job.speed = slices.Clone(job.speed)
			job.share = slices.Clone(job.share)
			job.received = slices.Clone(job.received)
			s.jobs = append(s.jobs, job)
		}
	}
	return s
}

// Decide implements sim.Policy.
func (r *Rounds) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*rounds)
	s.models.find(v, r.Markets)
	r.active = byNumber(v, r.active)
	r.noteNew(v, s)
	s.addReceived(v, plan, r.active)
	if s.models.stopRefused(v, plan, r.active) || r.Markets && s.pricesMoved(v) {
		s.stale = true
	}
	every := cmp.Or(r.Every, defaultEvery)
	if s.stale && (s.worked == sim.Never || v.Now().Sub(s.worked) >= every) {
		s.workOutShares(v, r.active)
	}
	whole := v.Now() >= s.end
	if whole {
		s.end = v.Now().Add(r.RoundLength())
	}
	r.fill(v, plan, s, whole)
	if plan.Recorded() {
		s.say(v, plan)
	}
	if len(r.active) > 0 {
		plan.WakeIn(s.end.Sub(v.Now()))
	}
	if s.models.rents && requestsMore(v, plan, r.active) {
		plan.AskAgain() // a full pool is noticed at once
	}
}

// requestsMore reports whether a plan wants anything that is new.
func requestsMore(v sim.View, plan *sim.Plan, active []int) bool {
	for _, j := range active {
		for _, part := range plan.Parts(j) {
			if int(part.N) > v.Held(j, int(part.Pool)).Active() {
				return true
			}
		}
	}
	return false
}

// pricesMoved reports whether a price is other than when the shares were worked out.
func (s *rounds) pricesMoved(v sim.View) bool {
	for model, usd := range s.input.Price {
		if v.Price(s.models.pools[model][0]) != usd {
			return true
		}
	}
	return false
}

// addReceived adds the time since the last decision to what the jobs have received.
func (s *rounds) addReceived(v sim.View, plan *sim.Plan, active []int) {
	seconds := v.Now().Sub(s.at).Seconds()
	s.at = v.Now()
	for _, j := range active {
		model := s.models.held(plan, j)
		if model != none {
			s.jobs[j].received[model] += seconds
		}
	}
}

// noteNew notes the jobs that are new, and whether any has gone.
func (r *Rounds) noteNew(v sim.View, s *rounds) {
	for len(s.jobs) < v.Jobs() {
		s.jobs = append(s.jobs, shared{})
	}
	for _, j := range r.active {
		job := &s.jobs[j]
		number := v.Job(j).ID() + 1
		if job.number == number {
			continue
		}
		*job = shared{ // in the memory of a job that had its slot
			number:   number,
			came:     v.Job(j).Submitted(),
			speed:    job.speed[:0],
			share:    resetTo(job.share, len(s.models.gpus)),
			received: resetTo(job.received, len(s.models.gpus)),
		}
		for _, pools := range s.models.pools {
			job.speed = append(job.speed, SpeedIn(&r.layout, gang(v, j), pools[0]))
		}
		s.stale = true
	}
	s.stale = s.stale || len(r.active) != s.active
	s.active = len(r.active)
}

// resetTo returns n numbers of 0, in the memory of a list.
func resetTo(list []float64, n int) []float64 {
	list = policyutil.Resize(list, n)
	clear(list)
	return list
}

// workOutShares works out the shares.
func (s *rounds) workOutShares(v sim.View, active []int) {
	in := &s.input
	in.GPUs = append(in.GPUs[:0], s.models.gpus...)
	in.Price = in.Price[:0]
	in.Jobs = in.Jobs[:0]
	for _, pools := range s.models.pools {
		in.Price = append(in.Price, v.Price(pools[0]))
	}
	for _, j := range active {
		model := gang(v, j)
		in.Jobs = append(in.Jobs, share.Job{
			ID:     v.Job(j).ID(),
			GPUs:   model.Gang(),
			Speed:  s.jobs[j].speed,
			Weight: model.Weight(),
			Left:   v.Job(j).WorkLeft(),
			Age:    v.Now().Sub(s.jobs[j].came).Seconds(),
			Time:   v.Job(j).Deadline().Sub(v.Now()).Seconds(),
		})
	}
	s.rule.Share(in, &s.shares)
	for _, j := range active {
		clear(s.jobs[j].share)
		clear(s.jobs[j].received)
	}
	for k, j := range s.shares.Jobs {
		copy(s.jobs[active[j]].share, s.shares.X[k])
	}
	s.worked = v.Now()
	s.stale = false
}

// say says why jobs wait in a round.
func (s *rounds) say(v sim.View, plan *sim.Plan) {
	const rule = "GPUs go, round by round, to the jobs that have had least of their share of the time"
	say(v, plan, rule, func(j, gpus, _ int) string {
		for _, share := range s.jobs[j].share {
			if share > 0 {
				return fmt.Sprintf("others have had less of their share, "+
					"and leave fewer than the %d GPUs that it needs", gpus)
			}
		}
		return "it has no share of the GPUs yet, and others that have one leave too few"
	})
}
