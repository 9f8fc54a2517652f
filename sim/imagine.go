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
// Taken from future are prices, capacity and the end of dst; it has the pools of the
// run, the prices until now, and room for what is held (View.Future makes one), else
// Imagine panics. A fall of capacity that comes sooner than a notice comes without one;
// requests that wait now are granted at a change of capacity or of the plan.
// The draws are those of seed: boots, victims, missing notices. Instances that start now
// draw a boot anew, of those that are longer than they have taken so far; instances
// under notice go when it was announced. Machines that fail (Pool.Failures) fail at their rates from now on, each as if it
// were up since now; those that are down stay down for longer than so far. Where failures were recorded, they come as often
// and last as long as those until now. Jobs train as the policy believes (Job.Belief), and those that are not submitted yet
// do not come. policy begins with what the asking
// one remembers by now: a Stateful policy that imagines itself does so before it changes that.
func (v View) Imagine(dst *World, future *Market, seed uint64, policy Policy) {
	w := v.w
	w.checkFuture(future)
	w.Fork(dst, policy)
	dst.cfg.Market, dst.cfg.Seed, dst.cfg.Horizon = future, seed, 0
	dst.market, dst.rand, dst.end = future, Rand{seed}, future.end
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
	dst.unfinished = len(dst.active())
	dst.resetTimers()
	dst.listen()
	dst.trigger, dst.dirty, dst.wake, dst.plan.skip = w.asked, true, Never, 0
	dst.totals.Decisions-- // the one that is being made is made again
}

// Succeed has another policy go on with the run from the decision that is about to be made (after NextDecision): as one that takes over a
// cluster that runs. It remembers nothing of the run, is notified of every active job as if it were submitted now (View.JobChanges), in the
// order of their submission, and finds the plan in force as it is. It panics at another time, and where the two write their
// plans in different forms.
func (w *World) Succeed(policy Policy) {
	traits := TraitsOf(policy)
	if !w.due || traits.Plans != w.traits.Plans {
		panic("sim: World.Succeed: a policy that writes its plan in the form of the one before, and a decision that is due (NextDecision), are expected")
	}
	w.cfg.Policy, w.traits, w.state = policy, traits, newState(policy, nil, nil)
	w.jobEvents = w.jobEvents[:0]
	for _, j := range w.active() {
		w.jobEvents = append(w.jobEvents, JobChange{j, JobSubmitted})
	}
	w.trigger, w.asked = w.trigger|TriggerStart, w.asked|TriggerStart
	w.plan.forked, w.plan.mode = true, 0
	w.listen()
}

// checkFuture panics where m is no future of the run.
func (w *World) checkFuture(m *Market) {
	if len(m.pools) != len(w.pools) || len(m.limits) != len(w.market.limits) || m.end <= w.now {
		panic(fmt.Sprintf("sim: View.Imagine: %d pools, %d quotas over several, until %v; expected %d and %d, and an end after %v",
			len(m.pools), len(m.limits), m.end.Sub(0), len(w.pools), len(w.market.limits), w.now.Sub(0)))
	}
	for p := range m.pools {
		is, want := &m.pools[p], &w.market.pools[p]
		if is != want && (is.Name != want.Name || is.Quota != want.Quota || is.OnDemand != want.OnDemand) {
			panic(fmt.Sprintf("sim: View.Imagine: pool %d is %s with a quota of %d, expected %s with %d",
				p, is.Name, is.Quota, want.Name, want.Quota))
		}
		paid, owed := m.Cost(p, w.start, w.now), w.market.Cost(p, w.start, w.now)
		if math.Abs(paid-owed) > 1e-9*owed || m.Price(p, w.now) != w.market.Price(p, w.now) {
			panic(fmt.Sprintf("sim: View.Imagine: the prices of pool %s until now are not those of the run", want.Name))
		}
		if n, limited := m.Capacity(p, w.now); limited && n < int(w.pools[p].alive) {
			panic(fmt.Sprintf("sim: View.Imagine: pool %s has capacity for %d now, but %d are held", want.Name, n, w.pools[p].alive))
		}
	}
}

// forgetMarks takes back what the cloud has decided and not said, and draws the boots of
// instances that start.
func (w *World) forgetMarks() {
	for i := range w.inst[:w.live] {
		x := &w.inst[i]
		if x.state == instanceUnused {
			continue
		}
		pool, facts := &w.pools[x.pool], &w.market.pools[x.pool]
		planned := facts.Length > 0 && x.gone == x.granted.Add(facts.Length)
		if x.gone != Never && !x.announced && !planned {
			x.gone = Never
			pool.unmarked++
		}
		if boot := facts.Boot; x.state == instanceStarting && boot.Sigma > 0 {
			span := boot.drawLonger(pool.bootTimes, int(x.ordinal), w.now.Sub(x.granted))
			x.ready = max(x.granted.Add(span), w.now+1)
		} else if x.state == instanceStarting && x.ready == Never { // of a past that is known
			x.ready = max(x.granted.Add(boot.Median), w.now+1)
		}
	}
}

// settleNodes puts the instances of every pool of nodes on those that are up, in the
// order of their grants: a policy does not see which node it has. Where the future has
// counts, they are on none. Those on machines that fail in the run itself stay where they are.
func (f *fleet) settleNodes(src *fleet) {
	for p := range f.pools {
		pool := &f.pools[p]
		if of, was := pool.facts.Failures, &src.pools[p]; of != nil && pool.nodes > 0 && was.nodes == pool.nodes {
			copy(f.nodes[pool.node:pool.node+pool.nodes], src.nodes[was.node:was.node+was.nodes])
			if pool.waiting > 0 {
				f.offers.add(p)
			}
			continue
		}
		last := int32(-1)
		for range f.membersOf(pool) {
			next := int32(-1)
			for _, i := range f.membersOf(pool) {
				if x := &f.inst[i]; x.ordinal > last && (next < 0 || x.ordinal < f.inst[next].ordinal) {
					next = i
				}
			}
			x := &f.inst[next]
			last, x.node = x.ordinal, -1
			if pool.nodes > 0 {
				x.node = f.freeNode(pool)
				f.nodes[pool.node+x.node] = next
			}
		}
		if pool.waiting > 0 {
			f.offers.add(p)
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
		at := Never
		switch s := &w.jobs[j]; {
		case s.phase == phaseStalled || s.phase == phaseSaving:
			at = s.pauseEnd
		case s.phase == phaseTraining && s.rate.Progress > 0:
			at = s.until(s.since)
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

// Future makes m, whose memory it reuses, a market that ends at end: until now it has
// the pools and the prices of the run, from then on what is imagined of each pool, by its
// number. It panics where the records are not as NewMarket takes them.
func (v View) Future(m *Market, end Time, of []Outlook) {
	w, now := v.w, v.w.now
	if len(of) != len(w.pools) || end <= now {
		panic(fmt.Sprintf("sim: View.Future: %d pools until %v, expected %d pools and an end after %v", len(of), end.Sub(0), len(w.pools), now.Sub(0)))
	}
	m.end, m.pools, m.groups, m.tiers, m.fails = end, w.market.pools, w.market.groups, w.market.tiers, w.market.fails
	m.limits, m.limitsOf, m.committed = w.market.limits, w.market.limitsOf, w.market.committed
	m.series, m.imagined = resize(m.series, len(of)), resize(m.imagined, len(of))
	m.changes, m.events = m.changes[:0], m.events[:0]
	for p := range of {
		past := w.market.series[p].until(now, &m.imagined[p], len(of[p].Prices) > 0)
		if err := m.imagine(int32(p), now, &past, of[p]); err != nil {
			panic(fmt.Sprintf("sim: View.Future: pool %s: %v", m.pools[p].Name, err))
		}
		m.series[p] = past
		m.imagined[p].keep(&past, len(of[p].Prices) > 0)
	}
	m.order()
}

// imagine adds what is imagined of a pool to its past.
func (m *Market) imagine(pool int32, now Time, s *series, x Outlook) error {
	first := len(s.usd)
	last := now + 1
	for i, price := range x.Prices {
		if err := ordered(i, price.At, last); err != nil {
			return fmt.Errorf("price %w", err)
		}
		last = price.At
		if err := s.addPrice(i, price.At, price.USD); err != nil {
			return err
		}
	}
	if len(x.Prices) > 0 { // until copied them, though none of them may be a change
		s.indexPrices()
	}
	s.known = first
	if len(x.Capacity) > 0 {
		x.Capacity[0].At = now
	}
	return m.addCapacity(pool, Trace{Pool: m.pools[pool], Capacity: x.Capacity}, s)
}
