package eva

import (
	"maps"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Plans says which plans Eva makes.
type Plans string

// The plans.
const (
	// Whole weighs a plan of all tasks anew against one that moves only what has to be moved.
	Whole Plans = "whole"
	// Partial makes the latter only.
	Partial Plans = "partial"
	// Apart rents an instance of the cheapest type for every task, and moves none: no packing.
	Apart Plans = "apart"
)

// Eva rents instances, on demand or spot, and places the tasks of jobs on them, several on one where their value is more
// than its price. From time to time it weighs moving all tasks against moving few, by what that saves until jobs come or go
// again (uw-mad-dash/Eva at 0d735ce).
//
// Spot instances are what we add: their price at present, and what losing them is expected to cost, is what they are rented
// by; tasks under notice move at once; where requests are not granted, others are requested.
type Eva struct {
	Plans Plans
	// Every is the time between two decisions; one is also taken at once where the cloud takes instances.
	Every time.Duration `set:"every_s" min:"1" max:"86400" doc:"time between two decisions"`
	// Patience is how long a spot instance is waited for; then its pool is not asked for half an hour. 0: for ever.
	Patience time.Duration `set:"patience_s" min:"0" max:"86400" doc:"how long a request for an instance waits before others are requested; 0: for ever"`
	// LifeH is the hours between losses that spot instances are taken to have before any was seen: it counts as if so much
	// had been held without a loss, in addition to what is observed.
	LifeH float64 `set:"life_h" min:"0.01" max:"100000" doc:"hours between two losses of a spot instance that are expected before any was seen"`
	// Loss is what a loss is taken to cost: time of work and of starting again.
	Loss time.Duration `set:"loss_s" min:"0" max:"86400" doc:"time that a job is expected to lose when the cloud takes its instance"`
}

// fullFor is how long a pool is not asked in which requests were not granted.
const fullFor = 30 * time.Minute

// NewPolicy returns the policy with its default settings.
func NewPolicy(plans Plans) *Eva {
	return &Eva{Plans: plans, Every: 5 * time.Minute, Patience: 5 * time.Minute, LifeH: 12, Loss: 10 * time.Minute}
}

// Name implements sim.Policy.
func (e *Eva) Name() string {
	switch e.Plans {
	case Apart:
		return "instance-per-task"
	case Partial:
		return "eva-partial"
	}
	return "eva"
}

// Traits says what the policy is.
func (*Eva) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByTasks, KnowsModels: true}
}

// NewState implements sim.Stateful.
func (*Eva) NewState(from, _ any) any {
	was, ok := from.(*state)
	if !ok {
		return &state{kinds: map[int]int{}, planned: map[int][]*Task{}, planner: Planner{Speed: &Speeds{}}}
	}
	s := *was
	s.planner = Planner{Types: slices.Clone(was.planner.Types), Speed: was.planner.Speed.Clone()}
	s.full, s.jobs, s.kinds, s.moving = slices.Clone(was.full), slices.Clone(was.jobs), maps.Clone(was.kinds), slices.Clone(was.moving)
	s.of, s.last = make([]*job, len(was.of)), nil
	for k, j := range was.of {
		if j != nil {
			copied := *j
			copied.tasks = slices.Clone(j.tasks)
			s.of[k] = &copied
		}
	}
	for _, j := range was.last {
		if copied := s.of[j.slot]; copied != nil && was.of[j.slot] == j {
			s.last = append(s.last, copied)
		} else {
			s.last = append(s.last, new(*j))
		}
	}
	s.running, s.hosts, s.planned = nil, nil, map[int][]*Task{}
	for id, list := range was.planned {
		for _, t := range list {
			if j := s.of[t.ID>>taskBits]; j != nil {
				s.planned[id] = append(s.planned[id], &j.tasks[t.ID&(1<<taskBits-1)])
			}
		}
	}
	return &s
}

// price is what an hour of an instance of a pool is taken to cost: its price and, of spot instances, what is expected to be
// lost with it.
func (e *Eva) price(v sim.View, p int) float64 {
	usd := v.Price(p)
	if v.Pool(p).OnDemand {
		return usd
	}
	seen := v.Seen(p)
	life := (seen.Held.Seconds() + e.LifeH*3600) / float64(seen.Removals+1)
	return usd * (1 + e.Loss.Seconds()/life)
}

// late reports whether instances were asked for in vain.
func (e *Eva) late(v sim.View) bool {
	if e.Patience == 0 {
		return false
	}
	for k := range v.Hosts() {
		if h := v.Host(k); h.Granted == sim.Never && v.Now() >= h.Asked.Add(e.Patience) && v.Pool(h.Pool).Wait == 0 {
			return true
		}
	}
	return false
}

// types sets the types of the planner: one a pool, at what it is taken to cost.
func (e *Eva) types(v sim.View, s *state) {
	p := &s.planner
	for k := range v.Pools() {
		if k == len(p.Types) {
			full := v.Pool(k).Full
			if full == (sim.Resources{}) {
				full = whole
			}
			p.Types = append(p.Types, Type{Name: v.Pool(k).Name, Full: full})
			s.full = append(s.full, 0)
		}
		p.Types[k].USD = e.price(v, k)
	}
	s.countFree(v)
}
