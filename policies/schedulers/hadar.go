package schedulers

import (
	"cmp"
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// Hadar is a scheduler in the spirit of Hadar (IPDPS 2024), of which only the abstract is public: our
// reconstruction, no replay. In every round jobs bid for GPUs, whose prices rise as a server fills: the job whose
// utility exceeds the price of its GPUs most gets them, then the next. A job may train on several models of
// GPU, as fast as on the slowest of them. Pools are servers; Pool.GPU says the model.
//
// The utility of a job is 1 by the time from its arrival to the end that it would have: with the least time that it
// could take above the line, long jobs would go first. The work of jobs and their speed on each model are known.
type Hadar struct {
	// Round is the time after which all GPUs are given out anew; those that become free before go to jobs
	// that wait. 0: 6 minutes.
	Round time.Duration `set:"round_s" min:"0" max:"86400" doc:"time after which all GPUs are given out anew; 0: 6 minutes"`
	// Restart is the time that a job is taken to lose on other GPUs.
	Restart time.Duration `set:"restart_s" min:"0" max:"86400" doc:"time that a job is taken to lose on other GPUs"`
	// Affordable leaves GPUs idle whose price exceeds the utility of every job; else they are given out, too.
	Affordable bool `set:"affordable" doc:"GPUs stay idle where their price exceeds the utility of every job"`

	auction auction
}

// Traits says what the policy is.
func (*Hadar) Traits() sim.Traits {
	return sim.Traits{KnowsModels: true, KnowsWork: true}
}

// RentsOnDemand says that it takes nothing on demand.
func (*Hadar) RentsOnDemand() bool { return false }

// Name implements sim.Policy.
func (*Hadar) Name() string { return "hadar-like" }

// NewState implements sim.Stateful.
func (*Hadar) NewState(from, _ any) any {
	end := new(sim.Time) // of the round
	if was, ok := from.(*sim.Time); ok {
		*end = *was
	}
	return end
}

// Decide implements sim.Policy.
func (h *Hadar) Decide(v sim.View, plan *sim.Plan) {
	if len(v.ActiveJobs()) == 0 {
		return
	}
	end := v.State().(*sim.Time)
	whole := v.Now() >= *end
	if whole {
		*end = v.Now().Add(cmp.Or(h.Round, defaultRound))
	}
	a := &h.auction
	a.open(v, plan, whole, h.Restart)
	for b := a.best(); b != nil && (b.payoff > 0 || b.stale || !h.Affordable); b = a.best() {
		if b.stale {
			a.offer(b)
		} else {
			a.give(b, plan)
			if plan.Recorded() {
				plan.AddCandidate(sim.Candidate{Name: v.Job(b.job).Name(), Score: b.payoff, Unit: "1/s", Chosen: true})
			}
		}
	}
	plan.SetReason("the jobs that pay most above the price of their GPUs")
	if plan.Recorded() {
		a.losers(v, plan)
	}
	plan.WakeIn(end.Sub(v.Now()))
}

// losers records the jobs that get nothing.
func (a *auction) losers(v sim.View, plan *sim.Plan) {
	for k := range a.bids {
		if b := &a.bids[k]; held(plan.Jobs[b.job].Hold) == 0 {
			plan.AddCandidate(sim.Candidate{Name: v.Job(b.job).Name(), Score: max(b.payoff, -1), Unit: "1/s", Note: "others pay more, or no GPUs are left that suit it"})
		}
	}
}

// auction is one round of bids.
type auction struct {
	now     sim.Time
	restart float64 // s
	models  [][]int // the pools of each model of GPU
	size    []int   // GPUs of each pool
	free    []int
	left    int       // of all pools
	prices  []float64 // of each pool; not a number: not known
	lowest  float64   // price of an empty server
	highest float64   // price of a full one
	bids    []bid
	layout  sim.Layout
	trial   []int
	fast    []int // the models, the fastest first
}

// bid is the best offer of a job.
type bid struct {
	job    int
	gpus   int
	left   float64 // work
	min    float64 // s that the whole job takes at the least
	waited float64 // s since its arrival
	speed  []float64
	had    []int // what it held, nothing if that is not to be bid for
	hold   []int // what it offers for
	payoff float64
	stale  bool // prices have risen since; its payoff is now this or less
	none   bool // nothing that is free suits it, or it has its GPUs
}

// best returns the bid with the highest payoff, of the lowest job; nil where no job is left that could get
// something.
func (a *auction) best() (best *bid) {
	for k := range a.bids {
		if x := &a.bids[k]; !x.none && (best == nil || x.payoff > best.payoff) {
			best = x
		}
	}
	return best
}

// give gives a bidder what it offers for, and raises the prices.
func (a *auction) give(b *bid, plan *sim.Plan) {
	for p, n := range b.hold {
		plan.Jobs[b.job].Hold[p] = n
		if n > 0 {
			a.free[p], a.prices[p] = a.free[p]-n, math.NaN()
		}
	}
	a.left -= b.gpus
	b.none = true
	for k := range a.bids {
		if x := &a.bids[k]; a.left > 0 {
			x.stale = true
		} else if !x.none {
			x.nothing()
		}
	}
}
