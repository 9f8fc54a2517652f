package schedulers

import (
	"slices"
	"time"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// Pairs gives out the GPUs of a cluster of several models in rounds, each to one job or to two, so that over time every job and
// every pair has the share of each model that a rule gives it. How fast two jobs are on the same GPUs is known (sim.View.SharedRate).
// Models are given out in the order of the pools. A job stays on its GPUs where its new co-tenant can come to it; a job that ends
// leaves its GPUs to others at once, or to its co-tenant alone until the round is over. GPUs that nobody has are given back. A spot
// pool that does not grant requests counts as full for five minutes, and its jobs go elsewhere; nothing is rented on demand.
type Pairs struct {
	// As is the policy's name.
	As string
	// Rule returns the rule, anew for every run.
	Rule func() share.Rule
	// Round is the length of a round, Every the least time between two times at which shares are worked
	// out; 0: 6 and 32 minutes, as in Gavel.
	Round time.Duration `set:"round_s" min:"0" max:"604800" doc:"length of a round; 0: 6 minutes"`
	Every time.Duration `set:"every_s" min:"0" max:"604800" doc:"least time between two times at which shares are worked out; 0: 32 minutes"`
	// OnlyShares runs jobs and pairs that have a share only; else others fill what is left.
	OnlyShares bool

	order []*unit // scratch
	picks []pairPick
	hosts []host
	left  []int // by pool: GPUs that nobody has
	free  []int // the same, by model
	on    []int // hosts of a pick
}

// pairPick is a unit that is to have GPUs of a model.
type pairPick struct {
	u     *unit
	model int
}

// Name implements sim.Policy.
func (r *Pairs) Name() string { return r.As }

// Traits says what the policy is: some rules know how much work is left.
func (r *Pairs) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByTasks, KnowsModels: true, KnowsWork: share.KnowsWork(r.Rule())}
}

// Fits says that a job runs on one model.
func (*Pairs) Fits() Fit { return OnModel }

// RentsOnDemand says that it takes nothing on demand.
func (*Pairs) RentsOnDemand() bool { return false }

// NewState implements sim.Stateful.
func (r *Pairs) NewState(from, _ any) any {
	was, ok := from.(*pairState)
	if !ok {
		return &pairState{rule: r.Rule(), worked: sim.Never}
	}
	s := *was
	s.rule, s.models = again(was.rule, r.Rule()), was.models.clone()
	s.input, s.shares, s.table, s.listed, s.layout = share.Input{}, share.Shares{}, nil, nil, sim.Layout{}
	s.active, s.worker = slices.Clone(was.active), slices.Clone(was.worker)
	copies := make(map[*unit]*unit, len(was.units))
	s.units = nil
	for _, u := range was.units {
		c := *u
		c.x, c.received, c.deficit = slices.Clone(u.x), slices.Clone(u.received), slices.Clone(u.deficit)
		copies[u] = &c
		s.units = append(s.units, &c)
	}
	s.jobs = slices.Clone(was.jobs)
	for k := range s.jobs {
		j := &s.jobs[k]
		j.alone, j.in = copies[j.alone], copies[j.in]
	}
	return &s
}

// host is a GPU that the run holds, or has asked for.
type host struct {
	id, pool int
	usable   bool // it was not given back, and the cloud has announced nothing
	taken    bool
}
