package sim

import "math/bits"

// request sets how many instances of its k-th column job j wants, and releases those beyond: if it wants none and all are
// ready, from the one granted last.
func (f *fleet) request(w *World, j, k int, want int32) {
	s := &w.jobs[j]
	h, pool := &s.held[k], &f.pools[s.poolOf(k)]
	f.seeWait(h, pool, w.now)
	s.want += want - h.want
	h.want = want
	if want == 0 && h.starting == 0 && h.noticed == 0 && len(w.plan.Jobs[j].GiveBack) == 0 {
		for h.first != noInstance {
			f.release(w, h.first)
		}
	}
	for h.starting+h.ready > want {
		f.release(w, f.newest(h))
	}
	f.recount(w, j, s, pool, h)
	w.supply = true
}

// grantWaiting grants waiting requests, in the order of pools, of priority and of jobs, each once:
// a request whose instance is under notice from its grant waits again, for the next
// change of capacity.
func (f *fleet) grantWaiting(w *World) {
	for n, pools := range f.offers.bits {
		for ; pools != 0; pools &= pools - 1 {
			p := n<<6 + bits.TrailingZeros64(pools)
			if w.skips {
				f.updateCapacity(p, w.now)
			}
			f.grantIn(w, &f.pools[p])
		}
	}
	w.supply = false
	if w.skips {
		w.loosen(w, !f.offers.empty())
	}
}

// grantIn is grantWaiting in one pool.
func (f *fleet) grantIn(w *World, pool *poolState) {
	for k := 0; f.headroom(pool); {
		waiters := f.waiters[pool.id]
		if k == len(waiters) {
			if pool.waiting > 0 {
				return // what is under notice from its grant waits again
			}
			break
		}
		j := waiters[k]
		f.grantTo(w, int(j), pool)
		if waiters = f.waiters[pool.id]; k < len(waiters) && waiters[k] == j {
			k++
		}
	}
	f.offers.remove(int(pool.id))
}

// enqueue puts the requests of job j in pool p, which are its first, into the pool's queue: they
// may be granted after the wait that is announced.
func (f *fleet) enqueue(w *World, j, p int) {
	h, pool, facts := w.jobs[j].holding(p), &f.pools[p], &f.market.pools[p]
	wait := Boot{facts.Wait, facts.WaitSigma}.draw(w.rand.Stream(PurposeWait, f.market.series[p].entity), int(pool.queued))
	h.waitingSince = w.now.Add(wait)
	pool.queued++
	f.setQueueTimer(w, pool)
}

// setQueueTimer sets the timer of a pool's queue to the next instant at which requests have waited as long as was announced.
func (f *fleet) setQueueTimer(w *World, pool *poolState) {
	next := Never
	for _, j := range f.waiters[pool.id] {
		if at := w.jobs[j].holding(int(pool.id)).waitingSince; at > w.now {
			next = min(next, at)
		}
	}
	w.timers.Set(w.queueSlot(int(pool.queue)-1), next)
}

// fromQueue handles the timer of a queue: some of its requests may be granted.
func (f *fleet) fromQueue(w *World, queue int) {
	w.touch()
	pool := &f.pools[f.queues[queue]]
	f.setQueueTimer(w, pool)
	f.offer(w, pool)
}

// grantTo grants the requests of job j in a pool in which there is headroom, as far as there is.
func (f *fleet) grantTo(w *World, j int, pool *poolState) {
	s := &w.jobs[j]
	k := s.column(int(pool.id))
	h := &s.held[k]
	if pool.queue > 0 && w.now < h.waitingSince {
		return // it has not waited as long as was announced
	}
	w.accountJob(j, w.now)
	h.pay(pool, w.now)
	if pool.queue != plainPool {
		f.coverUntil(int(pool.id), w.now)
	}
	f.seeGrant(h, pool, w.now)
	for n := h.waiting; ; {
		f.grant(w, j, k, pool)
		if n--; n == 0 || !f.headroom(pool) {
			break
		}
	}
	if w.skips {
		w.seekAgain(w, int(pool.id))
	}
	if len(w.gangs) > 0 {
		w.touchGang(j)
	}
}

// grant gives job j, which has accounted and paid, one instance more of its k-th column.
func (f *fleet) grant(w *World, j, k int, pool *poolState) {
	s, facts := &w.jobs[j], pool.facts
	h := &s.held[k]
	i := f.slot()
	x := &f.inst[i] // empty: retire clears it
	x.state, x.job, x.pool, x.node, x.place, x.ordinal = instanceStarting, int32(j), pool.id, -1, unplaced, pool.grants
	x.granted, x.ready, x.gone = w.now, w.now.Add(w.boots.draw(pool, int(pool.grants))), Never
	x.marked = Never
	if lifetimes := pool.series.lifetimes; lifetimes != nil {
		x.ready = lifetimes[pool.grants].Ready
	}
	if facts.Length > 0 {
		x.marked = w.now.Add(max(facts.Length-facts.Notice, 0))
	}
	h.starting++
	s.starting++
	f.join(pool, i)
	f.link(h, i)
	pool.grants++
	pool.unmarked++
	w.totals.Grants++
	w.totals.Pools[pool.id].Grants++
	f.recount(w, j, s, pool, h)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		x.node = f.freeNode(pool)
		f.nodes[pool.node+x.node] = i
	}
	if len(f.failing) > 0 && facts.Failures != nil {
		f.useMachine(w, x, pool)
	}
	w.instanceEvent(w.now, x, InstanceGranted)
	if x.ready == w.now {
		f.ready(w, i)
	}
	if !pool.atOnce {
		f.markAtGrant(w, i, x, pool)
		f.setInstanceTimer(w, i, x)
	}
}

// setInstanceTimer sets the timer of instance x, which is the i-th, to what comes next of it.
func (f *fleet) setInstanceTimer(w *World, i int32, x *instance) {
	at := min(x.gone, x.marked)
	if x.state == instanceStarting {
		at = min(at, x.ready)
	}
	w.timers.Set(int(i), at)
}

// ready makes a starting instance a worker.
func (f *fleet) ready(w *World, i int32) {
	x := &f.inst[i]
	j := int(x.job)
	s := &w.jobs[j]
	w.accountJob(j, w.now)
	k := s.column(int(x.pool))
	h := &s.held[k]
	x.state = instanceReady
	w.instanceEvent(w.now, x, InstanceReady)
	if x.announced {
		h.noticedReady++
	} else {
		h.starting--
		h.ready++
	}
	s.starting--
	s.ready++
	s.staff(k, 1)
	w.markDirty(j)
	w.trigger |= TriggerReady
	w.supply = true
}

// waitFor adds job j to those whose requests wait for pool p: in the order of priority, then of their numbers.
func (f *fleet) waitFor(w *World, j, p int) {
	f.asking++
	list := append(f.waiters[p], int32(j))
	for k := len(list) - 1; k > 0 && w.before(int32(j), list[k-1]); k-- {
		list[k-1], list[k] = list[k], list[k-1]
	}
	f.waiters[p] = list
}

// waitNoMore takes job j out of them.
//
//go:noinline
func (f *fleet) waitNoMore(j, p int) {
	f.asking--
	list := f.waiters[p]
	at, last := 0, len(list)-1
	for list[at] != int32(j) {
		at++
	}
	if at < last {
		copy(list[at:], list[at+1:])
	}
	f.waiters[p] = list[:last]
}

// before orders jobs by priority, then by number.
func (t *training) before(a, b int32) bool {
	x, y := &t.jobs[a], &t.jobs[b]
	return x.priority > y.priority || x.priority == y.priority && x.id < y.id
}

// seeWait is called before waiting requests of a job are granted or taken back.
func (f *fleet) seeWait(h *holding, pool *poolState, now Time) {
	if h.waitingSince < now && pool.alive < pool.quota {
		f.seen[pool.id].wait(h.waitingSince, now)
	}
}

// seeGrant is seeWait before a grant.
func (f *fleet) seeGrant(h *holding, pool *poolState, now Time) {
	if h.waitingSince >= now {
		return
	}
	x := &f.seen[pool.id]
	if pool.alive < pool.quota {
		x.wait(h.waitingSince, now)
	}
	if x.refused == now && x.rose != now {
		x.rose = now
		x.comes++
	}
}

// offer marks a pool that may have headroom for waiting requests: where there is none now, what makes it offers the pool
// again. Requests that could be granted already are whenever there is something for those of any pool.
func (f *fleet) offer(w *World, pool *poolState) {
	if pool.waiting > 0 {
		f.offerHeadroom(w, pool)
		if !f.offers.empty() {
			w.supply, w.dirty = true, true
		}
	}
}

// offerHeadroom marks a pool if it has headroom. Of pools whose records are passed over (World.skips) it is not known.
func (f *fleet) offerHeadroom(w *World, pool *poolState) {
	if f.headroom(pool) || w.skips {
		f.offers.add(int(pool.id))
	}
}

// countMachines counts the time of machines that are down, and of spares that are held, until now.
func (f *fleet) countMachines(w *World) {
	span := w.now - f.since
	w.totals.Down += machineTime(f.down, span)
	w.totals.Spares += machineTime(f.spares, span)
	f.since = w.now
}

// useMachine says when instance x, which is granted now on a machine of a pool that fails, is ready.
func (f *fleet) useMachine(w *World, x *instance, pool *poolState) {
	of := pool.facts.Failures
	late := f.undetected(int(x.job), w.now)
	x.ready = x.ready.Add(late)
	switch {
	case of.Whole:
	case f.isSpare(pool, x.node):
		f.countMachines(w)
		f.spares++
		x.ready = max(x.ready, w.now.Add(late+of.SpareWait))
	case of.Standbys > 0 && w.now > w.start:
		x.ready = w.now.Add(late)
	}
}

// isSpare reports whether a machine of a pool is a spare.
func (f *fleet) isSpare(pool *poolState, node int32) bool {
	of := pool.facts.Failures
	return node >= pool.quota+int32(of.Standbys)
}

// leaveMachine is called when instance x, on a machine of a pool that fails, ends.
func (f *fleet) leaveMachine(w *World, x *instance, pool *poolState) {
	if !pool.facts.Failures.Whole && f.isSpare(pool, x.node) {
		f.countMachines(w)
		f.spares--
	}
}

// markAtGrant marks instance x, the i-th, that is granted within the notice of a fall.
func (f *fleet) markAtGrant(w *World, i int32, x *instance, pool *poolState) {
	facts := pool.facts
	if lifetimes := pool.series.lifetimes; lifetimes != nil {
		if l := &lifetimes[x.ordinal]; l.Noticed <= w.now {
			f.markRevoked(w, i, l.Gone)
		}
		return
	}
	if facts.Notice == 0 || facts.OnDemand {
		return
	}
	until := w.now.Add(facts.Notice)
	gone := Never
	if x.node >= 0 && len(pool.series.nodes) > 0 {
		gone = pool.series.nodeDown(int(x.node), w.now)
	} else if pool.capacity != unlimited {
		gone = f.firstShortage(pool, w.now, until)
	}
	if gone <= until {
		f.markRevoked(w, i, gone)
	}
}

// firstShortage returns the first instant, at most until, at which the capacity
// of a pool falls below what will still be held then; Never if it does not.
func (f *fleet) firstShortage(pool *poolState, now, until Time) Time {
	s := pool.series
	i := int(pool.counted) + 1
	for i < len(s.capAt) && s.capAt[i] <= now { // not where records are passed over
		i++
	}
	pool.counted = int32(i - 1)
	for ; i < len(s.capAt) && s.capAt[i] <= until; i++ {
		if pool.alive > s.cap[i] && f.heldAfter(pool, s.capAt[i]) > s.cap[i] {
			return s.capAt[i]
		}
	}
	return Never
}

// heldAfter returns how many of the pool's instances are not marked to be gone by t.
func (f *fleet) heldAfter(pool *poolState, t Time) int32 {
	held := int32(0)
	for _, i := range f.membersOf(pool) {
		if f.inst[i].gone > t {
			held++
		}
	}
	return held
}
