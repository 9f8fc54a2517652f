package sim

import "math/bits"

// request sets how many instances of its k-th column job j wants, and releases those beyond: if it wants none and all are
// ready, from the one granted last.
func (w *World) request(j, k int, want int32) {
	s := &w.jobs[j]
	h := &s.held[k]
	w.seeWait(h, &w.pools[s.poolOf(k)], w.now)
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
	w.recount(j, s.poolOf(k), h)
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
			pool := &w.pools[p]
			for k := 0; k < len(w.waiters[p]) && w.room(pool); {
				j := w.waiters[p][k]
				w.grantTo(int(j), pool)
				if k < len(w.waiters[p]) && w.waiters[p][k] == j {
					k++
				}
			}
			if pool.waiting == 0 || !w.room(pool) {
				w.offers.remove(p)
			}
		}
	}
	w.supply = false
	if w.skips {
		w.loosen(!w.offers.empty())
	}
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

// grantTo grants the requests of job j in a pool in which there is room, as far as there is.
func (w *World) grantTo(j int, pool *poolState) {
	k := w.jobs[j].column(int(pool.id))
	h := &w.jobs[j].held[k]
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
		if n--; n == 0 || !w.room(pool) {
			break
		}
	}
	if w.skips {
		w.lookAgain(int(pool.id))
	}
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
	if lives := pool.series.lives; lives != nil {
		x.ready = lives[pool.grants].Ready
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
	w.recount(j, int(pool.id), h)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		x.node = w.freeNode(pool)
		w.nodes[pool.node+x.node] = i
	}
	w.instanceEvent(w.now, x, InstanceGranted)
	if s.layer != nil {
		s.layer.granted(w, i)
	}
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
	if s.layer != nil {
		s.layer.ready(w, i)
	}
	w.trigger |= TriggerReady
	w.supply = true
}

// release gives an instance back to the cloud.
func (w *World) release(i int32) { w.retire(i, false) }

// retire ends an instance and its bill.
func (w *World) retire(i int32, revoked bool) {
	x := &w.inst[i]
	j, p := int(x.job), int(x.pool)
	pool, s := &w.pools[p], &w.jobs[j]
	k := s.column(p)
	h := &s.held[k]
	w.accountJob(j, w.now)
	h.pay(pool, w.now)
	w.adjust(x, pool, revoked)
	if pool.queue != plainPool {
		w.coverUntil(p, w.now)
	}
	isReady := x.state == instanceReady
	h.drop(x, isReady)
	if isReady {
		s.ready--
		s.vacated = s.vacated || s.ready == 0
		if !x.drained {
			s.staff(k, -1)
		}
		w.markDirty(j)
	} else {
		s.starting--
	}
	if x.gone == Never {
		pool.unmarked--
	}
	if x.announced {
		pool.noticed--
	}
	w.seeEnd(x.granted, pool, w.now)
	w.leave(pool, i)
	w.unlink(h, i)
	if s.layer != nil {
		s.layer.gone(w, i)
	}
	if x.node >= 0 {
		w.nodes[pool.node+x.node] = nodeFree
	}
	if pool.waiting > 0 {
		w.offerRoom(pool)
	}
	if pool.queue != plainPool {
		w.offerRest(p)
	}
	s.released = s.released || !revoked && x.place != unplaced
	if s.chief == i {
		s.chief = noChief
		s.chiefLost = s.chiefLost || revoked
	}
	w.vacate(x)
	if revoked {
		w.instanceEvent(w.now, x, InstanceRevoked)
	} else {
		w.instanceEvent(w.now, x, InstanceReleased)
	}
	counted := !x.announced // else nobody counted on it any more
	*x = instance{}
	w.timers.Set(int(i), Never)
	w.free = append(w.free, i)
	if counted {
		w.recount(j, p, h)
	}
	w.supply = w.supply || isReady || !w.offers.empty()
}

// drop takes an instance out of the numbers of what a job has in its pool.
func (h *holding) drop(x *instance, isReady bool) {
	switch {
	case x.announced && isReady:
		h.noticed--
		h.noticedReady--
	case x.announced:
		h.noticed--
	case isReady:
		h.ready--
	default:
		h.starting--
	}
	if x.drained {
		h.drained--
	}
}

// recount brings the number of waiting requests up to date, of job j in pool p, in which it has h.
func (w *World) recount(j, p int, h *holding) {
	before := h.waiting
	h.waiting = max(h.want-h.starting-h.ready, 0)
	more := h.waiting - before
	if more == 0 {
		return
	}
	s, pool := &w.jobs[j], &w.pools[p]
	pool.waiting += more
	s.waiting += more
	if w.skips && more > 0 && pool.waiting == more {
		w.lookAgain(p)
	}
	if more > 0 {
		w.offerRoom(pool)
		w.totals.Requests += int64(more)
	}
	switch {
	case before == 0:
		h.waitingSince = w.now
		w.waitFor(j, p)
		if pool.queue > 0 {
			w.enqueue(j, p)
		}
		s.waitingSince = min(s.waitingSince, h.waitingSince)
	case h.waiting == 0:
		w.waitNoMore(j, p)
		longest := h.waitingSince == s.waitingSince
		if h.waitingSince = Never; longest {
			s.waitingSince = w.longestWait(j)
		}
	}
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
func (w *World) waitNoMore(j, p int) {
	w.asking--
	list := w.waiters[p]
	at, last := 0, len(list)-1
	for list[at] != int32(j) {
		at++
	}
	if at < last {
		copy(list[at:], list[at+1:])
	}
	w.waiters[p] = list[:last]
}

// before orders jobs by priority, then by number.
func (t *training) before(a, b int32) bool {
	x, y := &t.jobs[a], &t.jobs[b]
	return x.priority > y.priority || x.priority == y.priority && x.id < y.id
}

// seeEnd notes the time of an instance of a pool that ends now.
func (f *fleet) seeEnd(granted Time, pool *poolState, now Time) {
	x := &f.seen[pool.id]
	x.held += MachineTime(now - granted)
	if pool.waiting > 0 && pool.alive == pool.quota {
		x.since = now
	}
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
