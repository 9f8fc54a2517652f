// Package auction has a scheduler in the spirit of Hadar (IPDPS 2024), and registers it as the policy hadar-like.
package auction

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

func init() {
	policies.Register(policies.Info{
		Name:     "hadar-like",
		Doc:      "jobs bid for GPUs, whose prices rise as servers fill: our reconstruction; knows how long jobs run",
		Source:   "Hadar (IPDPS 2024), of which only the abstract is public",
		Needs:    policies.Gangs,
		Defaults: func() sim.Policy { return &Hadar{Round: defaultRound, Restart: 10 * time.Second} },
	})
}

// defaultRound is the length of a round where none is set.
const defaultRound = 6 * time.Minute

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
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true, KnowsWork: true}
}

// RentsOnDemand says that it takes nothing on demand.
func (*Hadar) RentsOnDemand() bool { return false }

// Name implements sim.Policy.
func (*Hadar) Name() string { return "hadar-like" }

// NewState implements sim.Stateful.
func (*Hadar) NewState(from, _ any) any {
	if was, ok := from.(*hadarState); ok {
		return &hadarState{end: was.end, full: slices.Clone(was.full)}
	}
	return &hadarState{}
}

// hadarState is what Hadar remembers.
type hadarState struct {
	end  sim.Time // of the round
	full schedulers.FullPools
}

// Decide implements sim.Policy.
func (h *Hadar) Decide(v sim.View, plan *sim.Plan) {
	if len(v.ActiveJobs()) == 0 {
		return
	}
	s := v.State().(*hadarState)
	whole := v.Now() >= s.end
	if whole {
		s.end = v.Now().Add(cmp.Or(h.Round, defaultRound))
	}
	s.full.StopRefused(v, plan, v.ActiveJobs())
	a := &h.auction
	a.open(v, plan, s.full, whole, h.Restart)
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
	plan.WakeIn(s.end.Sub(v.Now()))
}

// losers records the jobs that get nothing.
func (a *auction) losers(v sim.View, plan *sim.Plan) {
	for k := range a.bids {
		if b := &a.bids[k]; plan.Held(b.job) == 0 {
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
		if n > 0 {
			plan.Place(b.job, p, n)
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

// open takes the bids: of all jobs, whose GPUs are given out anew, or of those that wait.
func (a *auction) open(v sim.View, plan *sim.Plan, full schedulers.FullPools, whole bool, restart time.Duration) {
	a.now, a.restart = v.Now(), restart.Seconds()
	a.models, a.size, a.free, a.bids = a.models[:0], a.size[:0], a.free[:0], a.bids[:0]
	for p := range v.Pools() {
		pool := v.Pool(p)
		size, free := 0, 0
		if !pool.OnDemand {
			size = pool.Quota
			free = full.Headroom(v, plan, v.ActiveJobs(), p)
		}
		a.size = append(a.size, size)
		a.free = append(a.free, free)
		k := slices.IndexFunc(a.models, func(pools []int) bool { return v.Pool(pools[0]).GPU == pool.GPU })
		if k < 0 {
			k = len(a.models)
			a.models = slices.Grow(a.models, 1)[:k+1]
			a.models[k] = a.models[k][:0]
		}
		a.models[k] = append(a.models[k], p)
	}
	for _, j := range v.ActiveJobs() {
		if !whole && plan.Held(j) > 0 {
			for _, x := range plan.Parts(j) {
				a.free[x.Pool] -= int(x.N)
			}
			continue
		}
		a.bid(v, plan, j)
		plan.Stop(j)
		plan.Job(j) // plans take effect in the order of the jobs
	}
	a.left, a.prices = 0, a.prices[:0]
	for _, n := range a.free {
		a.left, a.prices = a.left+n, append(a.prices, math.NaN())
	}
	a.limits()
	for k := range a.bids {
		a.offer(&a.bids[k])
	}
}

// bid adds a job.
func (a *auction) bid(v sim.View, plan *sim.Plan, j int) {
	if len(a.bids) == cap(a.bids) {
		a.bids = slices.Grow(a.bids, 1)
	}
	a.bids = a.bids[:len(a.bids)+1] // in the memory of earlier rounds
	g := v.Job(j).Model().(sim.GangModel)
	b := &a.bids[len(a.bids)-1]
	b.job = j
	b.gpus = g.Gang()
	b.left = v.Job(j).WorkLeft()
	b.had = share.Filled(b.had, len(a.size), 0)
	b.hold = share.Filled(b.hold, len(a.size), 0)
	b.speed = b.speed[:0]
	for _, x := range plan.Parts(j) {
		b.had[x.Pool] = int(x.N)
	}
	fastest := 0.0
	for _, pools := range a.models {
		x := schedulers.SpeedIn(&a.layout, g, pools[0])
		b.speed = append(b.speed, x)
		fastest = max(fastest, x)
	}
	b.min = g.Work() / fastest
	b.waited = v.Now().Sub(v.Job(j).Deadline().Add(-v.Job(j).Objective().Within)).Seconds()
}

// limits sets the prices of a GPU of an empty and of a full server: no utility is above the highest, and of the
// lowest every job can pay for its GPUs, even if it were the last that ends.
func (a *auction) limits() {
	gpus, work := 0, 0.0
	for _, n := range a.size {
		gpus += n
	}
	for k := range a.bids {
		work += a.bids[k].longest(a.bids[k].left) * float64(a.bids[k].gpus)
	}
	last := work / float64(gpus) // s until all is done on the slowest GPUs
	a.lowest, a.highest = math.Inf(1), 0
	for k := range a.bids {
		b := &a.bids[k]
		n := float64(b.gpus)
		a.highest = max(a.highest, 1/b.min/n)
		a.lowest = min(a.lowest, b.utility(last)/(b.longest(b.left)*n)/4)
	}
}

// longest is how long some work takes on the slowest model on which the job runs, s.
func (b *bid) longest(work float64) float64 {
	slowest := math.Inf(1)
	for _, x := range b.speed {
		if x > 0 {
			slowest = min(slowest, x)
		}
	}
	return work / slowest
}

// utility is that of a job that ends in a number of seconds, 1/s.
func (b *bid) utility(in float64) float64 { return 1 / (b.waited + in) }

// price is that of a GPU of a pool.
func (a *auction) price(p int) float64 {
	if math.IsNaN(a.prices[p]) {
		a.prices[p] = a.lowest * math.Pow(a.highest/a.lowest, float64(a.size[p]-a.free[p])/float64(a.size[p]))
	}
	return a.prices[p]
}

// nothing says that nothing that is free suits the job.
func (b *bid) nothing() { b.none, b.stale, b.payoff = true, false, math.Inf(-1) }

// offer makes the best offer of a job at the present prices: for what it had, for GPUs of one server, for those of
// the fewest servers of a model, for those of several models. Of equal ones the first.
func (a *auction) offer(b *bid) {
	b.nothing()
	if b.gpus > a.left {
		return
	}
	a.trial = slices.Grow(a.trial[:0], len(a.free))[:len(a.free)]
	if count(b.had) > 0 {
		copy(a.trial, b.had)
		a.consider(b, 0)
	}
	a.fast = a.fast[:0]
	for m, x := range b.speed {
		if x > 0 {
			a.fast = append(a.fast, m)
		}
	}
	slices.SortStableFunc(a.fast, func(x, y int) int { return cmp.Compare(b.speed[y], b.speed[x]) })
	for k := range a.fast {
		a.fill(b, a.fast[k:k+1])
		a.consider(b, a.restart)
	}
	if len(a.fast) > 1 {
		a.fill(b, a.fast)
		a.consider(b, a.restart)
	}
}

// fill sets the trial to GPUs of some models, one after the other: of the emptiest servers, whose GPUs are the
// cheapest.
func (a *auction) fill(b *bid, models []int) {
	clear(a.trial)
	need := b.gpus
	for _, m := range models {
		for need > 0 {
			at := -1
			for _, p := range a.models[m] {
				if a.trial[p] == 0 && a.free[p] > 0 && (at < 0 || a.free[p]*a.size[at] > a.free[at]*a.size[p]) {
					at = p
				}
			}
			if at < 0 {
				break
			}
			a.trial[at] = min(need, a.free[at])
			need -= a.trial[at]
		}
	}
}

// consider makes the trial the offer of a job if it is possible, and better than the present one.
func (a *auction) consider(b *bid, restart float64) {
	if count(a.trial) != b.gpus {
		return
	}
	price, rate := 0.0, math.Inf(1)
	for m, pools := range a.models {
		for _, p := range pools {
			n := a.trial[p]
			if n > a.free[p] {
				return
			}
			if n > 0 {
				price += float64(n) * a.price(p)
				rate = min(rate, b.speed[m])
			}
		}
	}
	if payoff := b.utility(b.left/rate+restart) - price; rate > 0 && payoff > b.payoff {
		b.payoff, b.none = payoff, false
		copy(b.hold, a.trial)
	}
}

// count adds up the GPUs of pools.
func count(gpus []int) int {
	sum := 0
	for _, n := range gpus {
		sum += n
	}
	return sum
}
