package sim

import "math/bits"

// request sets how many instances of its k-th column job j wants, and releases those beyond: if it wants none and all are
// ready, from the one granted last.
func (w *World) request(j, k int, want int32) {
	s := &w.jobs[j]
	h, pool := &s.held[k], &w.pools[s.poolOf(k)]
	w.seeWait(h, pool, w.now)
	s.want += want - h.want
	h.want = want
	if want == 0 && h.starting == 0 && h.noticed == 0 && len(w.plan.Jobs[j].GiveBack) == 0 {
		for h.first != noInstance {
			w.release(h.first)
		}
	}
	for h.starting+h.ready > want {
		w.release(w.newest(h))
	}
	w.recount(j, s, pool, h)
	w.supply = true
}

// grantWaiting grants waiting requests, in the order of pools, of priority and of jobs, each once:
// a request whose instance is under notice from its grant waits again, for the next
// change of capacity.
func (w *World) grantWaiting() {
	for n, pools := range w.offers.bits {
		for ; pools != 0; pools &= pools - 1 {
			p := n<<6 + bits.TrailingZeros64(pools)
			if w.skips {
				w.updateCapacity(p, w.now)
			}
			w.grantIn(&w.pools[p])
		}
	}
	w.supply = false
	w.loosen()
}

// grantIn is grantWaiting in one pool.
func (w *World) grantIn(pool *poolState) {
	for k := 0; w.headroom(pool); {
		waiters := w.waiters[pool.id]
		if k == len(waiters) {
			if pool.waiting > 0 {
				return // what is under notice from its grant waits again
			}
			break
		}
		j := waiters[k]
		w.grantTo(int(j), pool)
		if waiters = w.waiters[pool.id]; k < len(waiters) && waiters[k] == j {
			k++
		}
	}
	w.offers.remove(int(pool.id))
}

// enqueue puts the requests of job j in pool p, which are its first, into the pool's queue: they
// may be granted after the wait that is announced.
func (w *World) enqueue(j, p int) {
	h, pool, facts := w.jobs[j].holding(p), &w.pools[p], &w.market.pools[p]
	wait := Boot{facts.Wait, facts.WaitSigma}.draw(w.rand.Stream(PurposeWait, w.market.series[p].entity), int(pool.queued))
	h.waitingSince = w.now.Add(wait)
	pool.queued++
	w.setQueueTimer(pool)
}

// setQueueTimer sets the timer of a pool's queue to the next instant at which requests have waited as long as was announced.
func (w *World) setQueueTimer(pool *poolState) {
	next := Never
	for _, j := range w.waiters[pool.id] {
		if at := w.jobs[j].holding(int(pool.id)).waitingSince; at > w.now {
			next = min(next, at)
		}
	}
	w.timers.Set(w.queueSlot(int(pool.queue)-1), next)
}

// fromQueue handles the timer of a queue: some of its requests may be granted.
func (w *World) fromQueue(queue int) {
	w.touch()
	pool := &w.pools[w.queues[queue]]
	w.setQueueTimer(pool)
	w.offer(pool)
}

// grantTo grants the requests of job j in a pool in which there is headroom, as far as there is.
func (w *World) grantTo(j int, pool *poolState) {
	s := &w.jobs[j]
	k := s.column(int(pool.id))
	h := &s.held[k]
	if pool.queue > 0 && w.now < h.waitingSince {
		return // it has not waited as long as was announced
	}
	w.accountJob(j, w.now)
	h.pay(pool, w.now)
	if pool.queue != plainPool {
		w.coverUntil(int(pool.id), w.now)
	}
	w.seeGrant(h, pool, w.now)
	for n := h.waiting; ; {
		w.grant(j, k, pool)
		if n--; n == 0 || !w.headroom(pool) {
			break
		}
	}
	w.seekAgain(int(pool.id))
	w.touchGang(j)
}

// grant gives job j, which has accounted and paid, one instance more of its k-th column.
func (w *World) grant(j, k int, pool *poolState) {
	s, facts := &w.jobs[j], pool.facts
	h := &s.held[k]
	i := w.slot()
	x := &w.inst[i] // empty: retire clears it
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
	w.join(pool, i)
	w.link(h, i)
	pool.grants++
	pool.unmarked++
	w.totals.Grants++
	w.totals.Pools[pool.id].Grants++
	w.recount(j, s, pool, h)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		x.node = w.freeNode(pool)
		w.nodes[pool.node+x.node] = i
	}
	if len(w.failing) > 0 && facts.Failures != nil {
		w.useMachine(x, pool)
	}
	w.instanceEvent(w.now, x, InstanceGranted)
	if x.ready == w.now {
		w.ready(i)
	}
	if !pool.atOnce {
		w.markAtGrant(i, x, pool)
		w.setInstanceTimer(i, x)
	}
}

// setInstanceTimer sets the timer of instance x, which is the i-th, to what comes next of it.
func (w *World) setInstanceTimer(i int32, x *instance) {
	at := min(x.gone, x.marked)
	if x.state == instanceStarting {
		at = min(at, x.ready)
	}
	w.timers.Set(int(i), at)
}

// ready makes a starting instance a worker.
func (w *World) ready(i int32) {
	x := &w.inst[i]
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
func (w *World) waitFor(j, p int) {
	w.asking++
	list := append(w.waiters[p], int32(j))
	for k := len(list) - 1; k > 0 && w.before(int32(j), list[k-1]); k-- {
		list[k-1], list[k] = list[k], list[k-1]
	}
	w.waiters[p] = list
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
func (w *World) offer(pool *poolState) {
	if pool.waiting > 0 {
		w.offerHeadroom(pool)
		if !w.offers.empty() {
			w.supply, w.dirty = true, true
		}
	}
}

// offerHeadroom marks a pool if it has headroom. Of pools whose records are passed over (World.skips) it is not known.
func (w *World) offerHeadroom(pool *poolState) {
	if w.headroom(pool) || w.skips {
		w.offers.add(int(pool.id))
	}
}

// countMachines counts the time of machines that are down, and of spares that are held, until now.
func (w *World) countMachines() {
	span := w.now - w.since
	w.totals.Down += machineTime(w.down, span)
	w.totals.Spares += machineTime(w.spares, span)
	w.since = w.now
}

// useMachine says when instance x, which is granted now on a machine of a pool that fails, is ready.
func (w *World) useMachine(x *instance, pool *poolState) {
	of := pool.facts.Failures
	late := w.undetected(int(x.job), w.now)
	x.ready = x.ready.Add(late)
	switch {
	case of.Whole:
	case w.isSpare(pool, x.node):
		w.countMachines()
		w.spares++
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
func (w *World) leaveMachine(x *instance, pool *poolState) {
	if !pool.facts.Failures.Whole && w.isSpare(pool, x.node) {
		w.countMachines()
		w.spares--
	}
}

// markAtGrant marks instance x, the i-th, that is granted within the notice of a fall.
func (w *World) markAtGrant(i int32, x *instance, pool *poolState) {
	facts := pool.facts
	if lifetimes := pool.series.lifetimes; lifetimes != nil {
		if l := &lifetimes[x.ordinal]; l.Noticed <= w.now {
			w.markRevoked(i, l.Gone)
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
		gone = w.firstShortage(pool, w.now, until)
	}
	if gone <= until {
		w.markRevoked(i, gone)
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

// recount brings the number of waiting requests up to date, of job j, which is s, in a pool, in which it has h.
func (w *World) recount(j int, s *jobState, pool *poolState, h *holding) {
	before := h.waiting
	h.waiting = max(h.want-h.starting-h.ready, 0)
	more := h.waiting - before
	if more == 0 {
		return
	}
	pool.waiting += more
	s.noteUnmet(more, w.now)
	if more > 0 && pool.waiting == more {
		w.seekAgain(int(pool.id))
	}
	if more > 0 {
		w.offerHeadroom(pool)
		w.totals.Requests += int64(more)
	}
	switch {
	case before == 0:
		h.waitingSince = w.now
		w.waitFor(j, int(pool.id))
		if pool.queue > 0 {
			w.enqueue(j, int(pool.id))
		}
		s.waitingSince = min(s.waitingSince, h.waitingSince)
	case h.waiting == 0:
		w.waitNoMore(j, int(pool.id))
		longest := h.waitingSince == s.waitingSince
		if h.waitingSince = Never; longest {
			s.waitingSince = w.longestWait(j)
		}
	}
}

// noteUnmet counts requests that wait, more or less, and since when some do: those that move to another pool, as one plan says, have
// waited without a break.
func (s *jobState) noteUnmet(more int32, now Time) {
	if s.waiting == 0 && s.metAt != now {
		s.unmetSince = now
	}
	s.waiting += more
	if s.waiting == 0 {
		s.metAt = now
	}
}
