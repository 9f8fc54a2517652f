package schedulers

import (
	"cmp"
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

// Fits says that a job runs on one model, with AlloX on one GPU.
func (r *Rounds) Fits() Fit {
	if _, single := r.Rule().(*share.AlloX); single {
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
