package sim

import (
	"fmt"
	"math"
)

// Imagine makes dst, whose memory it reuses, a copy of the run that goes on under policy
// in an imagined future: of what the policy that is being asked cannot see, nothing is
// left. The run itself is as before. dst asks policy at this very instant, with the
// present trigger and the plan as it stands; dst.RunUntil and dst.Run do the rest, and
// dst.Totals has what was spent and reached until now, too.
//
// Taken from future are prices, capacity and the end of dst; it has the pools of the run, the prices until now, and
// room for what is held (View.Future makes one), else Imagine panics. A fall of capacity that comes sooner than a
// notice comes without one; requests that wait now are granted at a change of capacity or of the plan. The draws are
// those of seed: boots, victims, missing notices. Instances that start now draw a boot anew, of those that are longer
// than they have taken so far; instances under notice go when it was announced. Machines that fail (Pool.Failures) fail
// at their rates from now on, each as if it were up since now; those that are down stay down for longer than so far.
// Where failures were recorded, they come as often and last as long as those until now. Jobs train as the policy
// believes (Job.Belief), and those that are not submitted yet do not come. policy begins with what the asking one
// remembers by now: a Stateful policy that imagines itself does so before it changes that.
func (v View) Imagine(dst *World, future *Market, seed uint64, policy Policy) {
	w := v.w
	w.checkFuture(future)
	w.Fork(dst, policy)
	dst.cfg.Market = future
	dst.cfg.Seed = seed
	dst.cfg.Horizon = 0
	dst.market = future
	dst.rand = Rand{seed}
	dst.end = future.end
	dst.believe()
	dst.nodes = dst.nodes[:0]
	for p := range dst.pools {
		dst.openPool(p, w.now, dst.rand)
		dst.pools[p].victims = 0 // it counts those of which nobody was notified, too
	}
	dst.forgetMarks()
	dst.settleNodes(&w.fleet)
	dst.imagineFailures(&w.fleet)
	dst.jobBase = w.jobBase + len(dst.failing) - len(w.failing)
	dst.imagineSlow()
	dst.unfinished = len(dst.active())
	dst.resetTimers()
	dst.listen()
	dst.trigger = w.asked
	dst.dirty = true
	dst.wake = Never
	dst.plan.skip = 0
	dst.totals.Decisions-- // the one that is being made is made again
}

// Succeed has another policy go on with the run from the decision that is about to be made (after NextDecision): as one
// that takes over a cluster that runs. It remembers nothing of the run, is notified of every active job as if it were
// submitted now (View.JobChanges), in the order of their submission, and finds the plan in force as it is. It panics at
// another time, and where the two write their plans in different forms.
func (w *World) Succeed(policy Policy) {
	traits := TraitsOf(policy)
	if !w.due || traits.Plans != w.traits.Plans {
		panic("sim: World.Succeed: a policy that writes its plan in the form of the one before, " +
			"and a decision that is due (NextDecision), are expected")
	}
	w.cfg.Policy = policy
	w.traits = traits
	w.state = newState(policy, nil, nil)
	w.jobEvents = w.jobEvents[:0]
	for _, j := range w.active() {
		w.jobEvents = append(w.jobEvents, JobChange{j, JobSubmitted})
	}
	w.trigger = w.trigger | TriggerStart
	w.asked = w.asked | TriggerStart
	w.plan.forked = true
	w.plan.mode = 0
	w.listen()
}

// checkFuture panics where a market is no future of the run.
func (w *World) checkFuture(market *Market) {
	if len(market.pools) != len(w.pools) || len(market.limits) != len(w.market.limits) || market.end <= w.now {
		panic(fmt.Sprintf("sim: View.Imagine: %d pools, %d quotas over several, until %v; "+
			"expected %d and %d, and an end after %v",
			len(market.pools), len(market.limits), market.end.Sub(0), len(w.pools), len(w.market.limits), w.now.Sub(0)))
	}
	for p := range market.pools {
		is := &market.pools[p]
		want := &w.market.pools[p]
		if is != want && (is.Name != want.Name || is.Quota != want.Quota || is.OnDemand != want.OnDemand) {
			panic(fmt.Sprintf("sim: View.Imagine: pool %d is %s with a quota of %d, expected %s with %d",
				p, is.Name, is.Quota, want.Name, want.Quota))
		}
		paid := market.Cost(p, w.start, w.now)
		owed := w.market.Cost(p, w.start, w.now)
		if math.Abs(paid-owed) > 1e-9*owed || market.Price(p, w.now) != w.market.Price(p, w.now) {
			panic(fmt.Sprintf("sim: View.Imagine: the prices of pool %s until now are not those of the run", want.Name))
		}
		n, limited := market.Capacity(p, w.now)
		if limited && n < int(w.pools[p].alive) {
			panic(fmt.Sprintf("sim: View.Imagine: pool %s has capacity for %d now, but %d are held",
				want.Name, n, w.pools[p].alive))
		}
	}
}

// forgetMarks takes back what the cloud has decided and not said, and draws the boots of
// instances that start.
func (w *World) forgetMarks() {
	for i := range w.inst[:w.live] {
		inst := &w.inst[i]
		if inst.state == instanceUnused {
			continue
		}
		pool := &w.pools[inst.pool]
		facts := &w.market.pools[inst.pool]
		planned := facts.Length > 0 && inst.gone == inst.granted.Add(facts.Length)
		if inst.gone != Never && !inst.announced && !planned {
			inst.gone = Never
			pool.unmarked++
		}
		if inst.state != instanceStarting {
			continue
		}
		if facts.Boot.Sigma > 0 {
			span := facts.Boot.drawLonger(pool.bootTimes, int(inst.ordinal), w.now.Sub(inst.granted))
			inst.ready = max(inst.granted.Add(span), w.now+1)
		} else if inst.ready == Never { // of a past that is known
			inst.ready = max(inst.granted.Add(facts.Boot.Median), w.now+1)
		}
	}
}

// settleNodes puts the instances of every pool of nodes on those that are up, in the
// order of their grants: a policy does not see which node it has. Where the future has
// counts, they are on none. Those on machines that fail in the run itself stay where they are.
func (f *fleet) settleNodes(src *fleet) {
	for p := range f.pools {
		pool := &f.pools[p]
		was := &src.pools[p]
		if pool.facts.Failures != nil && pool.nodes > 0 && was.nodes == pool.nodes {
			copy(f.nodes[pool.node:pool.node+pool.nodes], src.nodes[was.node:was.node+was.nodes])
		} else {
			f.settleOnNodes(pool)
		}
		if pool.waiting > 0 {
			f.offers.add(p)
		}
	}
}

// settleOnNodes puts the instances of a pool on its free nodes, in the order of their grants, or on none.
func (f *fleet) settleOnNodes(pool *poolState) {
	last := int32(-1)
	for range f.membersOf(pool) {
		next := int32(-1)
		for _, i := range f.membersOf(pool) {
			inst := &f.inst[i]
			if inst.ordinal > last && (next < 0 || inst.ordinal < f.inst[next].ordinal) {
				next = i
			}
		}
		inst := &f.inst[next]
		last = inst.ordinal
		inst.node = -1
		if pool.nodes > 0 {
			inst.node = f.freeNode(pool)
			f.nodes[pool.node+inst.node] = next
		}
	}
}

// resetTimers sets the timers of all instances, jobs and queues anew.
func (w *World) resetTimers() {
	w.timers.Reset(w.timerSlots(), w.end)
	for i := range w.inst[:w.live] {
		if w.inst[i].state != instanceUnused {
			w.setInstanceTimer(int32(i), &w.inst[i])
		}
	}
	for _, j := range w.active() {
		job := &w.jobs[j]
		at := Never
		switch {
		case job.phase == phaseStalled || job.phase == phaseSaving:
			at = job.pauseEnd
		case job.phase == phaseTraining && job.rate.Progress > 0:
			at = job.until(job.since)
		}
		w.timers.Set(w.jobSlot(j), at)
	}
	for _, p := range w.queues {
		w.setQueueTimer(&w.pools[p])
	}
	for k := range w.failing {
		w.timers.Set(w.failingSlot(k), w.failing[k].due())
	}
}

// Outlook is what a policy imagines of one pool from now on.
type Outlook struct {
	// Prices, in ascending order of time, all after now; until the first the present
	// price holds.
	Prices []Price
	// Capacity in ascending order of time. The first holds from now on, whatever its
	// instant, and is at least what is held; if there is none, only the quota limits.
	Capacity []Capacity
}

// Future makes market, whose memory it reuses, one that ends at end: until now it has
// the pools and the prices of the run, from then on what is imagined of each pool, by its
// number. It panics where the records are not as NewMarket takes them.
func (v View) Future(market *Market, end Time, of []Outlook) {
	w := v.w
	now := v.w.now
	if len(of) != len(w.pools) || end <= now {
		panic(fmt.Sprintf("sim: View.Future: %d pools until %v, expected %d pools and an end after %v",
			len(of), end.Sub(0), len(w.pools), now.Sub(0)))
	}
	market.end = end
	market.pools = w.market.pools
	market.groups = w.market.groups
	market.tiers = w.market.tiers
	market.fails = w.market.fails
	market.limits = w.market.limits
	market.limitsOf = w.market.limitsOf
	market.committed = w.market.committed
	market.before = w.market.before
	market.series = resize(market.series, len(of))
	market.imagined = resize(market.imagined, len(of))
	market.changes = market.changes[:0]
	market.events = market.events[:0]
	for p := range of {
		past := w.market.series[p].until(now, &market.imagined[p], len(of[p].Prices) > 0)
		if err := market.imagine(int32(p), now, &past, of[p]); err != nil {
			panic(fmt.Sprintf("sim: View.Future: pool %s: %v", market.pools[p].Name, err))
		}
		market.series[p] = past
		market.imagined[p].keep(&past, len(of[p].Prices) > 0)
	}
	market.order()
}

// imagine adds what is imagined of a pool to its past.
func (m *Market) imagine(pool int32, now Time, s *series, outlook Outlook) error {
	first := len(s.usd)
	last := now + 1
	for i, price := range outlook.Prices {
		if err := ordered(i, price.At, last); err != nil {
			return fmt.Errorf("price %w", err)
		}
		last = price.At
		if err := s.addPrice(i, price.At, price.USD); err != nil {
			return err
		}
	}
	if len(outlook.Prices) > 0 { // until copied them, though none of them may be a change
		s.indexPrices()
	}
	s.known = first
	if len(outlook.Capacity) > 0 {
		outlook.Capacity[0].At = now
	}
	return m.addCapacity(pool, Trace{Pool: m.pools[pool], Capacity: outlook.Capacity}, s)
}
