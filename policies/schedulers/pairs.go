package schedulers

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// Pairs gives out the GPUs of a cluster of several models in rounds, each to one job or to two, so that over time every job and
// every pair has the share of each model that a rule gives it. How fast two jobs are on the same GPUs is known (sim.View.Beside).
// Models are given out in the order of the pools. A job stays on its GPUs where its new neighbour can come to it; a job that ends
// leaves its GPUs to others at once, or to its neighbour alone until the round is over. GPUs that nobody has are given back. A spot
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
	if rule, remembers := was.rule.(share.Rememberer); remembers {
		s.rule = rule.Clone()
	} else {
		s.rule = r.Rule()
	}
	s.input, s.shares, s.table, s.listed, s.layout = share.Input{}, share.Shares{}, nil, nil, sim.Layout{}
	s.models.gpus, s.models.full = slices.Clone(was.models.gpus), slices.Clone(was.models.full)
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

// Decide implements sim.Policy.
func (r *Pairs) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*pairState)
	s.find(v, cmp.Or(r.Round, defaultRound))
	s.count(v)
	s.hear(v)
	r.observe(v, plan, s)
	if every := cmp.Or(r.Every, defaultEvery); s.stale && (s.worked == sim.Never || v.Now().Sub(s.worked) >= every) {
		s.share(v)
	}
	if v.Now() >= s.end {
		s.end = v.Now().Add(cmp.Or(r.Round, defaultRound))
		for _, j := range s.active {
			s.jobs[j].in = nil
		}
	}
	r.give(v, plan, s)
	asked := r.place(v, plan, s)
	if plan.Recorded() {
		s.say(v, plan)
	}
	if len(s.active) > 0 {
		plan.WakeIn(s.end.Sub(v.Now()))
	}
	if s.models.rents && asked {
		plan.AskAgain() // a pool without room is seen at once
	}
}

// say says why jobs wait.
func (s *pairState) say(v sim.View, plan *sim.Plan) {
	plan.SetReason("GPUs go, round by round, to the jobs and pairs of jobs that have had least of their share of the time")
	ahead := 0.0
	for _, j := range s.active {
		if x := &s.jobs[j]; x.in == nil {
			plan.AddCandidate(sim.Candidate{Name: v.Job(j).Name(), Score: ahead, Unit: "jobs waiting ahead of it",
				Note: fmt.Sprintf("others have had less of their share, alone or in pairs, and leave fewer than the %d GPUs that it needs", x.gpus)})
			ahead++
		}
	}
}

// NewMaxMinPairs returns Rounds of a name under max-min fairness (share.MaxMinPacked).
func NewMaxMinPairs(name string) *Pairs {
	p := newPairs(name)
	p.Rule = func() share.Rule { return &share.MaxMinPacked{} }
	return &p
}

// NewFIFOPairs returns Rounds of a name that serve jobs first come first served, and put those that find no GPUs beside others.
func NewFIFOPairs(name string) *Pairs {
	p := newPairs(name)
	p.Rule, p.OnlyShares = func() share.Rule { return &share.FastestFIFO{Pack: true} }, true
	return &p
}

// NewFinishTimePairs returns Rounds of a name under finish-time fairness.
func NewFinishTimePairs(name string) *Pairs {
	p := newPairs(name)
	p.Rule = func() share.Rule { return &share.FinishTimePacked{} }
	return &p
}

// NewMinDurationPairs returns Rounds of a name that make the time until all jobs are done short.
func NewMinDurationPairs(name string) *Pairs {
	p := newPairs(name)
	p.Rule = func() share.Rule { return &share.MinDurationPacked{} }
	return &p
}

// Gandiva is Rounds of pairs that are drawn (share.Gandiva).
type Gandiva struct {
	Pairs
	// Draws is the seed of the draws.
	Draws int `set:"draws" min:"0" max:"1000000000" doc:"seed of the draws of pairs, the same in all runs"`
}

// NewGandiva returns a Gandiva, with the rounds of Gavel.
func NewGandiva() *Gandiva {
	p := &Gandiva{Pairs: newPairs("gandiva")}
	p.Rule = func() share.Rule { return share.NewGandiva(int64(p.Draws)) }
	return p
}

// newPairs returns Rounds with the times of Gavel.
func newPairs(name string) Pairs { return Pairs{As: name, Round: defaultRound, Every: defaultEvery} }
