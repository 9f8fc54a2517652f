package sim

import "math/bits"

// request sets how many instances of its k-th column job j wants, and releases those beyond: if it wants none and all
// are ready, from the one granted last.
func (w *World) request(j, k int, want int32) {
	job := &w.jobs[j]
	held := &job.held[k]
	pool := &w.pools[job.poolOf(k)]
	w.seeWait(held, pool, w.now)
	job.want += want - held.want
	held.want = want
	if want == 0 && held.starting == 0 && held.noticed == 0 && len(w.plan.Jobs[j].GiveBack) == 0 {
		for held.first != noInstance {
			w.release(held.first)
		}
	}
	for held.starting+held.ready > want {
		w.release(w.newest(held))
	}
	w.recount(j, job, pool, held)
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
	next := 0 // of the waiters
	for w.headroom(pool) {
		waiters := w.waiters[pool.id]
		if next == len(waiters) {
			if pool.waiting > 0 {
				return // what is under notice from its grant waits again
			}
			break
		}
		j := waiters[next]
		w.grantTo(int(j), pool)
		waiters = w.waiters[pool.id]
		if next < len(waiters) && waiters[next] == j { // it still waits
			next++
		}
	}
	w.offers.remove(int(pool.id))
}

// enqueue puts the requests of job j in pool p, which are its first, into the pool's queue: they
// may be granted after the wait that is announced.
func (w *World) enqueue(j, p int) {
	held := w.jobs[j].holding(p)
	pool := &w.pools[p]
	facts := &w.market.pools[p]
	stream := w.rand.Stream(PurposeWait, w.market.series[p].entity)
	wait := Boot{Median: facts.Wait, Sigma: facts.WaitSigma}.draw(stream, int(pool.queued))
	held.waitingSince = w.now.Add(wait)
	pool.queued++
	w.setQueueTimer(pool)
}

// setQueueTimer sets the timer of a pool's queue to the next instant at which requests have waited as long as was
// announced.
func (w *World) setQueueTimer(pool *poolState) {
	next := Never
	for _, j := range w.waiters[pool.id] {
		at := w.jobs[j].holding(int(pool.id)).waitingSince
		if at > w.now {
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
	job := &w.jobs[j]
	k := job.column(int(pool.id))
	held := &job.held[k]
	if pool.queue > 0 && w.now < held.waitingSince {
		return // it has not waited as long as was announced
	}
	w.accountJob(j, w.now)
	held.pay(pool, w.now)
	if pool.queue != plainPool {
		w.coverUntil(int(pool.id), w.now)
	}
	w.seeGrant(held, pool, w.now)
	for left := held.waiting; left > 0; left-- {
		w.grant(j, k, pool)
		if !w.headroom(pool) {
			break
		}
	}
	w.seekAgain(int(pool.id))
	w.touchGang(j)
}

// grant gives job j, which has accounted and paid, one instance more of its k-th column.
func (w *World) grant(j, k int, pool *poolState) {
	job := &w.jobs[j]
	facts := pool.facts
	held := &job.held[k]
	i := w.slot()
	inst := &w.inst[i] // empty: retire clears it
	inst.state = instanceStarting
	inst.job = int32(j)
	inst.pool = pool.id
	inst.node = -1
	inst.place = unplaced
	inst.ordinal = pool.grants
	inst.granted = w.now
	inst.ready = w.now.Add(w.boots.draw(pool, int(pool.grants)))
	inst.gone = Never
	inst.marked = Never
	if lifetimes := pool.series.lifetimes; lifetimes != nil {
		inst.ready = lifetimes[pool.grants].Ready
	}
	if facts.Length > 0 {
		inst.marked = w.now.Add(max(facts.Length-facts.Notice, 0))
	}
	held.starting++
	job.starting++
	if pool.alive == 0 {
		w.seen[pool.id].occupiedSince = w.now
	}
	w.join(pool, i)
	w.link(held, i)
	pool.grants++
	pool.unmarked++
	w.totals.Grants++
	w.totals.Pools[pool.id].Grants++
	w.recount(j, job, pool, held)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		inst.node = w.freeNode(pool)
		w.nodes[pool.node+inst.node] = i
	}
	if len(w.failing) > 0 && facts.Failures != nil {
		w.useMachine(inst, pool)
	}
	if w.slow.on() {
		w.slowGrant(i)
	}
	w.instanceEvent(w.now, inst, InstanceGranted)
	if inst.ready == w.now {
		w.ready(i)
	}
	if !pool.atOnce {
		w.markAtGrant(i, inst, pool)
		w.setInstanceTimer(i, inst)
	}
}

// setInstanceTimer sets the timer of an instance, the i-th, to what comes next of it.
func (w *World) setInstanceTimer(i int32, inst *instance) {
	at := min(inst.gone, inst.marked)
	if inst.state == instanceStarting {
		at = min(at, inst.ready)
	}
	w.timers.Set(int(i), at)
}

// ready makes a starting instance a worker.
func (w *World) ready(i int32) {
	inst := &w.inst[i]
	j := int(inst.job)
	job := &w.jobs[j]
	w.accountJob(j, w.now)
	k := job.column(int(inst.pool))
	held := &job.held[k]
	inst.state = instanceReady
	w.instanceEvent(w.now, inst, InstanceReady)
	if inst.announced {
		held.noticedReady++
	} else {
		held.starting--
		held.ready++
	}
	job.starting--
	job.ready++
	job.staff(k, 1)
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
	at := 0
	last := len(list) - 1
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
	first := &t.jobs[a]
	second := &t.jobs[b]
	if first.priority != second.priority {
		return first.priority > second.priority
	}
	return first.id < second.id
}

// seeWait is called before waiting requests of a job are granted or taken back.
func (f *fleet) seeWait(held *holding, pool *poolState, now Time) {
	if held.waitingSince < now && pool.alive < pool.quota {
		f.seen[pool.id].wait(held.waitingSince, now)
	}
}

// seeGrant is seeWait before a grant.
func (f *fleet) seeGrant(held *holding, pool *poolState, now Time) {
	if held.waitingSince >= now {
		return
	}
	seen := &f.seen[pool.id]
	if pool.alive < pool.quota {
		seen.wait(held.waitingSince, now)
	}
	if seen.refused == now && seen.rose != now {
		seen.rose = now
		seen.comes++
	}
}

// offer marks a pool that may have headroom for waiting requests: where there is none now, what makes it offers the
// pool again. Requests that could be granted already are whenever there is something for those of any pool.
func (w *World) offer(pool *poolState) {
	if pool.waiting > 0 {
		w.offerHeadroom(pool)
		if !w.offers.empty() {
			w.supply = true
			w.dirty = true
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

// useMachine says when an instance is ready that is granted now on a machine of a pool that fails.
func (w *World) useMachine(inst *instance, pool *poolState) {
	law := pool.facts.Failures
	late := w.undetected(int(inst.job), w.now)
	inst.ready = inst.ready.Add(late)
	switch {
	case law.Whole:
	case w.isSpare(pool, inst.node):
		w.countMachines()
		w.spares++
		inst.ready = max(inst.ready, w.now.Add(late+law.SpareWait))
	case law.Standbys > 0 && w.now > w.start:
		inst.ready = w.now.Add(late)
	}
}

// isSpare reports whether a machine of a pool is a spare.
func (f *fleet) isSpare(pool *poolState, node int32) bool {
	return node >= pool.quota+int32(pool.facts.Failures.Standbys)
}

// leaveMachine is called when an instance on a machine of a pool that fails ends.
func (w *World) leaveMachine(inst *instance, pool *poolState) {
	if !pool.facts.Failures.Whole && w.isSpare(pool, inst.node) {
		w.countMachines()
		w.spares--
	}
}

// markAtGrant marks an instance, the i-th, that is granted within the notice of a fall: no policy is to hold what the
// trace did not have.
func (w *World) markAtGrant(i int32, inst *instance, pool *poolState) {
	facts := pool.facts
	if lifetimes := pool.series.lifetimes; lifetimes != nil {
		if life := &lifetimes[inst.ordinal]; life.Noticed <= w.now {
			w.markRevoked(i, life.Gone)
		}
		return
	}
	if facts.Notice == 0 || facts.OnDemand {
		return
	}
	until := w.now.Add(facts.Notice)
	gone := Never
	if inst.node >= 0 && len(pool.series.nodes) > 0 {
		gone = pool.series.nodeDown(int(inst.node), w.now)
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
	series := pool.series
	i := int(pool.counted) + 1
	for i < len(series.capAt) && series.capAt[i] <= now { // not where records are passed over
		i++
	}
	pool.counted = int32(i - 1)
	for ; i < len(series.capAt) && series.capAt[i] <= until; i++ {
		if pool.alive > series.cap[i] && f.heldAfter(pool, series.capAt[i]) > series.cap[i] {
			return series.capAt[i]
		}
	}
	return Never
}

// heldAfter returns how many of the pool's instances are not marked to be gone by an instant.
func (f *fleet) heldAfter(pool *poolState, at Time) int32 {
	held := int32(0)
	for _, i := range f.membersOf(pool) {
		if f.inst[i].gone > at {
			held++
		}
	}
	return held
}

// recount brings the number of waiting requests of job j in a pool up to date: what the plan wants there and the job
// does not have.
func (w *World) recount(j int, job *jobState, pool *poolState, held *holding) {
	before := held.waiting
	held.waiting = max(held.want-held.starting-held.ready, 0)
	more := held.waiting - before
	if more == 0 {
		return
	}
	pool.waiting += more
	job.noteUnmet(more, w.now)
	if more > 0 && pool.waiting == more {
		w.seekAgain(int(pool.id))
	}
	if more > 0 {
		w.offerHeadroom(pool)
		w.totals.Requests += int64(more)
	}
	switch {
	case before == 0:
		held.waitingSince = w.now
		w.waitFor(j, int(pool.id))
		if pool.queue > 0 {
			w.enqueue(j, int(pool.id))
		}
		job.waitingSince = min(job.waitingSince, held.waitingSince)
	case held.waiting == 0:
		w.waitNoMore(j, int(pool.id))
		longest := held.waitingSince == job.waitingSince
		held.waitingSince = Never
		if longest {
			job.waitingSince = w.longestWait(j)
		}
	}
}

// noteUnmet counts requests that wait, more or less, and since when some do: those that move to another pool, as one
// plan says, have waited without a break.
func (s *jobState) noteUnmet(more int32, now Time) {
	if s.waiting == 0 && s.metAt != now {
		s.unmetSince = now
	}
	s.waiting += more
	if s.waiting == 0 {
		s.metAt = now
	}
}
