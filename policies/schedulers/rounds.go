package schedulers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// Rounds gives out the GPUs of a cluster of several models in rounds, so that over time every job has
// the share of each model that a rule gives it (Gavel, OSDI 2020). Pools of one model (Pool.GPU; a pool that says none is a model of
// its own) are shared as one; models are given out in the order of the pools. On its model a job keeps the GPUs that it had in the
// round before; others get theirs on as few servers as they can, larger jobs first. A job that ends leaves its GPUs to others at once, unlike in
// Gavel's own simulator (papers/gavel/reference). A spot pool that does not grant requests counts as full for
// five minutes, and its jobs go elsewhere.
type Rounds struct {
	// As is the policy's name; empty: rounds.
	As string
	// Rule returns the rule, anew for every run.
	Rule func() share.Rule
	// Round is the length of a round, Every the least time between two times at which shares are worked
	// out; 0: 6 and 32 minutes, as in Gavel.
	Round time.Duration `set:"round_s" min:"0" max:"604800" doc:"length of a round; 0: 6 minutes"`
	Every time.Duration `set:"every_s" min:"0" max:"604800" doc:"least time between two times at which shares are worked out; 0: 32 minutes"`
	// Placement is FewServers or Closest.
	Placement Placement `set:"placement" names:"few-servers,closest" doc:"which of a model's free GPUs a job gets: of few servers, or closest (as close together as they are: one server, one rack, and so on)"`
	// Markets distinguishes servers from spot and on-demand pools, each of which is a model of its own with its price: for rules
	// that use prices. Shares are then worked out anew when a price changes, and on-demand GPUs take part.
	Markets bool
	// OnlyShares runs jobs that have a share only; else others fill what is left.
	OnlyShares bool
	// SingleGPU says that the rule is for jobs of one GPU each.
	SingleGPU bool

	free   []int // by model
	active []int // jobs, by their numbers
	order  []int
	layout sim.Layout
	place  placer
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
	x        []float64 // its share
	received []float64 // s, since the shares were worked out
	priority float64
}

// Traits says what the policy is: some rules know how much work is left.
func (r *Rounds) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true, KnowsWork: share.KnowsWork(r.Rule())}
}

// RentsOnDemand reports whether it takes anything on demand.
func (r *Rounds) RentsOnDemand() bool { return r.Markets }

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
	r.place.begin(v, plan, &s.models, r.active, whole)
	r.place.close = r.Placement == Closest
	if !whole {
		for _, j := range r.active {
			if m := s.models.held(plan, j); m >= 0 {
				r.free[m] -= plan.Held(j)
			}
		}
	}
	for m := range r.free {
		if r.free[m] == 0 {
			continue
		}
		r.rank(s, m)
		r.place.chosen = r.place.chosen[:0]
		for _, j := range r.order {
			x, n := &s.jobs[j], gang(v, j).Gang()
			if n <= r.free[m] && x.speed[m] > 0 && !r.place.has(plan, j, whole) && (x.priority > 0 || !r.OnlyShares) {
				r.place.choose(j, n)
				r.free[m] -= n
			}
		}
		r.place.put(plan, &s.models, m)
	}
}

// rank sorts the jobs for a model: those first that have had least of their share.
func (r *Rounds) rank(s *rounds, p int) {
	given := 0.0
	for _, j := range r.active {
		given += s.jobs[j].received[p]
	}
	r.order = append(r.order[:0], r.active...)
	for _, j := range r.order {
		x := &s.jobs[j]
		x.priority = x.x[p]
		switch had := x.received[p]; {
		case x.priority > 0 && had > 0:
			x.priority *= given / had
		case x.priority > 0:
			x.priority = math.MaxFloat64 * min(x.priority, 1)
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
		s.rule, s.models = again(was.rule, s.rule), was.models.clone()
		s.at, s.end, s.worked, s.stale, s.active = was.at, was.end, was.worked, was.stale, was.active
		for _, x := range was.jobs {
			x.speed, x.x, x.received = slices.Clone(x.speed), slices.Clone(x.x), slices.Clone(x.received)
			s.jobs = append(s.jobs, x)
		}
	}
	return s
}

// Decide implements sim.Policy.
func (r *Rounds) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*rounds)
	s.models.find(v, r.Markets)
	r.active = byNumber(v, r.active)
	r.arrive(v, s)
	s.count(v, plan, r.active)
	if s.models.refused(v, plan, r.active) || r.Markets && s.priced(v) {
		s.stale = true
	}
	if every := cmp.Or(r.Every, defaultEvery); s.stale && (s.worked == sim.Never || v.Now().Sub(s.worked) >= every) {
		s.share(v, r.active)
	}
	whole := v.Now() >= s.end
	if whole {
		s.end = v.Now().Add(cmp.Or(r.Round, defaultRound))
	}
	r.fill(v, plan, s, whole)
	if plan.Recorded() {
		s.say(v, plan)
	}
	if len(r.active) > 0 {
		plan.WakeIn(s.end.Sub(v.Now()))
	}
	if s.models.rents && asks(v, plan, r.active) {
		plan.AskAgain() // a full pool is noticed at once
	}
}

// asks reports whether a plan wants anything that is new.
func asks(v sim.View, plan *sim.Plan, active []int) bool {
	for _, j := range active {
		for _, x := range plan.Parts(j) {
			if int(x.N) > v.Held(j, int(x.Pool)).Active() {
				return true
			}
		}
	}
	return false
}

// priced reports whether a price is other than when the shares were worked out.
func (s *rounds) priced(v sim.View) bool {
	for m, usd := range s.input.Price {
		if v.Price(s.models.pools[m][0]) != usd {
			return true
		}
	}
	return false
}

// count adds the time since the last decision to what the jobs have received.
func (s *rounds) count(v sim.View, plan *sim.Plan, active []int) {
	seconds := v.Now().Sub(s.at).Seconds()
	s.at = v.Now()
	for _, j := range active {
		if m := s.models.held(plan, j); m >= 0 {
			s.jobs[j].received[m] += seconds
		}
	}
}

// arrive notes the jobs that are new, and whether any has gone.
func (r *Rounds) arrive(v sim.View, s *rounds) {
	n := len(s.models.gpus)
	for len(s.jobs) < v.Jobs() {
		s.jobs = append(s.jobs, shared{})
	}
	for _, j := range r.active {
		x, number := &s.jobs[j], v.Job(j).ID()+1
		if x.number == number {
			continue
		}
		x.number = number // in the memory of a job that had its slot
		x.came, x.priority = v.Job(j).Submitted(), 0
		for _, list := range []*[]float64{&x.speed, &x.x, &x.received} {
			if len(*list) != n {
				*list = make([]float64, n)
			}
			clear(*list)
		}
		r.speeds(v, j, &s.models, x.speed)
		s.stale = true
	}
	s.stale = s.stale || len(r.active) != s.active
	s.active = len(r.active)
}

// speeds asks the model of a job how fast it is on each model of GPU.
func (r *Rounds) speeds(v sim.View, j int, models *models, into []float64) {
	g := gang(v, j)
	for m := range into {
		into[m] = SpeedIn(&r.layout, g, models.pools[m][0])
	}
}

// share works out the shares.
func (s *rounds) share(v sim.View, active []int) {
	in := &s.input
	in.GPUs, in.Price, in.Jobs = in.GPUs[:0], in.Price[:0], in.Jobs[:0]
	for m, n := range s.models.gpus {
		in.GPUs, in.Price = append(in.GPUs, n), append(in.Price, v.Price(s.models.pools[m][0]))
	}
	for _, j := range active {
		g, x := gang(v, j), &s.jobs[j]
		in.Jobs = append(in.Jobs, share.Job{ID: v.Job(j).ID(), GPUs: g.Gang(), Speed: x.speed, Weight: g.Weight(), Left: v.Job(j).WorkLeft(),
			Age: v.Now().Sub(x.came).Seconds(), Time: v.Job(j).Deadline().Sub(v.Now()).Seconds()})
	}
	s.rule.Share(in, &s.shares)
	for _, j := range active {
		clear(s.jobs[j].x)
		clear(s.jobs[j].received)
	}
	for k, j := range s.shares.Jobs {
		copy(s.jobs[active[j]].x, s.shares.X[k])
	}
	s.worked, s.stale = v.Now(), false
}

// say says why jobs wait in a round.
func (s *rounds) say(v sim.View, plan *sim.Plan) {
	say(v, plan, "GPUs go, round by round, to the jobs that have had least of their share of the time", func(j, gpus, _ int) string {
		for _, share := range s.jobs[j].x {
			if share > 0 {
				return fmt.Sprintf("others have had less of their share, and leave fewer than the %d GPUs that it needs", gpus)
			}
		}
		return "it has no share of the GPUs yet, and others that have one leave too few"
	})
}
