package schedulers

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// open takes the bids: of all jobs, whose GPUs are given out anew, or of those that wait.
func (a *auction) open(v sim.View, plan *sim.Plan, whole bool, restart time.Duration) {
	a.now, a.restart = v.Now(), restart.Seconds()
	a.models, a.size, a.free, a.bids = a.models[:0], a.size[:0], a.free[:0], a.bids[:0]
	for p := range v.Pools() {
		pool := v.Pool(p)
		n := pool.Quota
		if pool.OnDemand {
			n = 0
		}
		a.size, a.free = append(a.size, n), append(a.free, n)
		k := slices.IndexFunc(a.models, func(pools []int) bool { return v.Pool(pools[0]).GPU == pool.GPU })
		if k < 0 {
			k = len(a.models)
			a.models = slices.Grow(a.models, 1)[:k+1]
			a.models[k] = a.models[k][:0]
		}
		a.models[k] = append(a.models[k], p)
	}
	for _, j := range v.ActiveJobs() {
		hold := plan.Jobs[j].Hold
		if !whole && held(hold) > 0 {
			for p, n := range hold {
				a.free[p] -= n
			}
			continue
		}
		a.bid(v, j, hold)
		clear(hold)
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
func (a *auction) bid(v sim.View, j int, hold []int) {
	if len(a.bids) == cap(a.bids) {
		a.bids = slices.Grow(a.bids, 1)
	}
	a.bids = a.bids[:len(a.bids)+1] // in the memory of earlier rounds
	g, b := gang(v, j), &a.bids[len(a.bids)-1]
	b.job, b.gpus, b.left = j, g.Gang(), v.Job(j).WorkLeft()
	b.had, b.hold, b.speed = append(b.had[:0], hold...), append(b.hold[:0], hold...), b.speed[:0]
	fastest := 0.0
	a.layout.Workers = slices.Grow(a.layout.Workers[:0], len(hold))[:len(hold)]
	for _, pools := range a.models {
		clear(a.layout.Workers)
		a.layout.Workers[pools[0]] = int32(b.gpus)
		x := g.Rate(&a.layout).Progress
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

// utility is that of a job that ends in so many seconds, 1/s.
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
	if held(b.had) > 0 {
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
	if held(a.trial) != b.gpus {
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
