package sim

import "math/bits"

// request sets how many instances of its k-th column job j wants, and releases those beyond: if it wants none and all are
// ready, from the one granted last.
func (f *fleet) request(w *World, j, k int, want int32) {
	s := &w.jobs[j]
	h := &s.held[k]
	f.seeWait(h, &f.pools[s.poolOf(k)], w.now)
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
	f.recount(w, j, s.poolOf(k), h)
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
			pool := &f.pools[p]
			for k := 0; k < len(f.waiters[p]) && f.headroom(pool); {
				j := f.waiters[p][k]
				f.grantTo(w, int(j), pool)
				if k < len(f.waiters[p]) && f.waiters[p][k] == j {
					k++
				}
			}
			if pool.waiting == 0 || !f.headroom(pool) {
				f.offers.remove(p)
			}
		}
	}
	w.supply = false
	if w.skips {
		w.loosen(w, !f.offers.empty())
	}
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
	k := w.jobs[j].column(int(pool.id))
	h := &w.jobs[j].held[k]
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
	f.recount(w, j, int(pool.id), h)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		x.node = f.freeNode(pool)
		f.nodes[pool.node+x.node] = i
	}
	if len(f.failing) > 0 && facts.Failures != nil {
		f.useMachine(w, x, pool)
	}
	w.instanceEvent(w.now, x, InstanceGranted)
	if s.ownsHosts {
		w.hostGranted(w, i)
	}
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
	if s.ownsHosts {
		w.hostReady(w, i)
	}
	w.trigger |= TriggerReady
	w.supply = true
}

// release gives an instance back to the cloud.
func (f *fleet) release(w *World, i int32) { f.retire(w, i, InstanceReleased) }

// retire ends an instance and its bill.
func (f *fleet) retire(w *World, i int32, why InstanceEvent) {
	x, revoked := &f.inst[i], why != InstanceReleased
	j, p := int(x.job), int(x.pool)
	pool, s := &f.pools[p], &w.jobs[j]
	k := s.column(p)
	h := &s.held[k]
	w.accountJob(j, w.now)
	h.pay(pool, w.now)
	w.adjust(w, x, pool, revoked)
	if pool.queue != plainPool {
		f.coverUntil(p, w.now)
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
	f.seeEnd(x.granted, pool, w.now)
	f.leave(pool, i)
	f.unlink(h, i)
	if s.ownsHosts {
		w.hostGone(w, i)
	}
	if x.node >= 0 {
		f.nodes[pool.node+x.node] = nodeFree
		if len(f.failing) > 0 && pool.facts.Failures != nil {
			f.leaveMachine(w, x, pool)
		}
	}
	if pool.waiting > 0 {
		f.offerHeadroom(w, pool)
	}
	if pool.queue != plainPool {
		f.offerRest(p)
	}
	s.released = s.released || !revoked && x.place != unplaced
	if s.chief == i {
		s.chief = noChief
		s.chiefLost = s.chiefLost || revoked
	}
	w.vacate(x)
	w.instanceEvent(w.now, x, why)
	counted := !x.announced // else nobody counted on it any more
	*x = instance{}
	w.timers.Set(int(i), Never)
	f.free = append(f.free, i)
	if counted {
		f.recount(w, j, p, h)
	}
	w.supply = w.supply || isReady || !f.offers.empty()
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
func (f *fleet) recount(w *World, j, p int, h *holding) {
	before := h.waiting
	h.waiting = max(h.want-h.starting-h.ready, 0)
	more := h.waiting - before
	if more == 0 {
		return
	}
	s, pool := &w.jobs[j], &f.pools[p]
	pool.waiting += more
	s.waiting += more
	if w.skips && more > 0 && pool.waiting == more {
		w.seekAgain(w, p)
	}
	if more > 0 {
		f.offerHeadroom(w, pool)
		w.totals.Requests += int64(more)
	}
	switch {
	case before == 0:
		h.waitingSince = w.now
		f.waitFor(w, j, p)
		if pool.queue > 0 {
			f.enqueue(w, j, p)
		}
		s.waitingSince = min(s.waitingSince, h.waitingSince)
	case h.waiting == 0:
		f.waitNoMore(j, p)
		longest := h.waitingSince == s.waitingSince
		if h.waitingSince = Never; longest {
			s.waitingSince = w.longestWait(j)
		}
	}
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

func (f *fleet) fromInstance(w *World, i int32) {
	w.changed()
	x := &f.inst[i]
	switch {
	case x.gone <= w.now:
		f.revoke(w, i)
		return
	case x.marked <= w.now:
		x.marked = Never
		if x.gone == Never {
			f.markRevoked(w, i, w.now.Add(f.market.pools[x.pool].Notice))
		}
	default:
		f.ready(w, i)
	}
	f.setInstanceTimer(w, i, x)
}

// countRefused counts what the plan asks for beyond a quota over several pools; it waits.
func (f *fleet) countRefused(w *World, l *Limit) {
	asked := 0
	for _, p := range l.Pools {
		asked += int(f.pools[p].asked)
	}
	w.totals.QuotaRefusals += int64(max(asked-l.Instances, 0))
}

// reprioritise puts the waiting requests of job j where their new priority says.
func (f *fleet) reprioritise(w *World, j int, priority int32) {
	s := &w.jobs[j]
	for k := range s.held {
		if s.held[k].waiting > 0 {
			f.waitNoMore(j, s.poolOf(k))
		}
	}
	s.priority = priority
	for k := range s.held {
		if s.held[k].waiting > 0 {
			f.waitFor(w, j, s.poolOf(k))
		}
	}
}
