package sim

import (
	"math/bits"
)

// request sets how many instances of pool p job j wants, and releases those beyond.
func (w *World) request(j, p int, want int32) {
	h := w.holding(j, p)
	w.seeWait(h, &w.pools[p], w.now)
	w.jobs[j].want += want - h.want
	h.want = want
	if w.many && want == 0 && h.starting == 0 && h.noticed == 0 && h.ready > 0 && !w.packs {
		w.releaseColumn(j, p, h)
	}
	for h.starting+h.ready > want {
		if w.many {
			w.release(w.newestOf(j, p))
		} else {
			w.release(w.toRelease(j, p))
		}
	}
	w.recount(j, p, h)
	w.supply = true
}

// grantWaiting grants waiting requests, in the order of pools and jobs, each once:
// a request whose instance is under notice from its grant waits again, for the next
// change of capacity.
func (w *World) grantWaiting() {
	for k, pools := range w.offers.bits {
		for ; pools != 0; pools &= pools - 1 {
			p := k<<6 + bits.TrailingZeros64(pools)
			if w.skips {
				w.updateCapacity(p, w.now)
			}
			if w.many {
				w.grantAskers(p)
			} else {
				for _, j := range w.activeJobs {
					if w.held[j*w.width+p].waiting > 0 {
						w.grantTo(j, p)
					}
				}
			}
			if pool := &w.pools[p]; pool.waiting == 0 || !w.room(pool) {
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
	h, pool, facts := w.holding(j, p), &w.pools[p], &w.market.pools[p]
	wait := Boot{facts.Wait, facts.WaitSigma}.draw(w.rand.Stream(PurposeWait, w.market.series[p].entity), int(pool.queued))
	h.waitingSince = w.now.Add(wait)
	pool.queued++
	queue := int(pool.queue) - 1
	w.timers.Set(w.queueSlot(queue, j), h.waitingSince)
}

// fromQueue handles the timer of a place in a queue: its requests may be granted.
func (w *World) fromQueue(slot int) {
	w.touch()
	w.timers.Set(slot, Never)
	w.offer(&w.pools[w.queues[w.queueOf(slot)]])
}

// grantTo grants the requests of job j in pool p, as far as there is room.
func (w *World) grantTo(j, p int) {
	h, pool := w.holding(j, p), &w.pools[p]
	if pool.queue > 0 && w.now < h.waitingSince {
		return // it has not waited as long as was announced
	}
	for n := h.waiting; n > 0 && w.room(pool); n-- {
		w.grant(j, h, pool)
	}
	if w.skips {
		w.lookAgain(p)
	}
}

// grantAskers grants the requests that wait for pool p.
func (w *World) grantAskers(p int) {
	for k := 0; k < len(w.askers[p]) && w.room(&w.pools[p]); {
		j := w.askers[p][k]
		if pool := &w.pools[p]; pool.atOnce && pool.queue <= plainPool && !w.packs {
			w.grantGang(int(j), p)
		} else {
			w.grantTo(int(j), p)
		}
		if k < len(w.askers[p]) && w.askers[p][k] == j {
			k++
		}
	}
}

// grant gives job j, which has h of a pool, one instance more.
func (w *World) grant(j int, h *holding, pool *poolState) {
	w.accountJob(j, w.now)
	h.pay(pool, w.now)
	facts, p := pool.facts, int(pool.id)
	i := w.slot()
	x := &w.inst[i] // empty: retire clears it
	x.state, x.job, x.pool, x.node, x.place, x.ordinal = instanceStarting, int32(j), int32(p), -1, unplaced, pool.grants
	x.granted, x.ready, x.gone = w.now, w.now.Add(w.boots.draw(pool, int(pool.grants))), Never
	x.marked = Never
	if lives := pool.series.lives; lives != nil {
		x.ready = lives[pool.grants].Ready
	}
	if pool.queue != plainPool {
		w.coverUntil(p, w.now)
		if facts.Length > 0 {
			x.marked = w.now.Add(max(facts.Length-facts.Notice, 0))
		}
	}
	w.seeGrant(h, pool, w.now)
	h.starting++
	w.jobs[j].starting++
	w.join(pool, i)
	if w.many {
		w.link(i)
		if w.packs {
			w.bindHost(i)
		}
	} else {
		w.enlist(i)
	}
	pool.grants++
	pool.unmarked++
	w.totals.Grants++
	w.totals.Pools[p].Grants++
	w.recount(j, p, h)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		x.node = w.freeNode(pool)
		w.nodes[pool.node+x.node] = i
	}
	w.instanceEvent(w.now, x, InstanceGranted)
	if x.ready == w.now {
		w.ready(i)
	}
	w.markAtGrant(i, x, pool)
	w.setInstanceTimer(i, x)
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
	w.accountJob(j, w.now)
	h := w.holding(j, int(x.pool))
	x.state = instanceReady
	w.instanceEvent(w.now, x, InstanceReady)
	if x.announced {
		h.noticedReady++
	} else {
		h.starting--
		h.ready++
	}
	w.jobs[j].starting--
	w.jobs[j].ready++
	if !w.many { // addUp does
		w.jobs[j].staff(x.pool, 1)
	}
	w.unlay(j)
	if w.packs {
		w.openHost(i)
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
	h, pool, s := w.holding(j, p), &w.pools[p], &w.jobs[j]
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
		if !x.drained && !w.many {
			s.staff(x.pool, -1)
		}
		w.unlay(j)
	} else {
		s.starting--
	}
	if x.gone == Never {
		pool.unmarked--
	}
	w.seeEnd(x.granted, pool, w.now)
	w.leave(pool, i)
	if w.many {
		w.unlink(i)
		if w.packs {
			w.closeHost(i)
		}
		if x.announced {
			pool.noticed--
		}
	} else {
		w.delist(x)
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
	w.supply = w.supply || isReady || w.many || !w.offers.empty()
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
	if w.many && (before == 0) != (h.waiting == 0) {
		w.ask(j, p, before == 0)
	}
	if more > 0 {
		w.offerRoom(pool)
		w.totals.Requests += int64(more)
	}
	switch {
	case before == 0:
		h.waitingSince = w.now
		if pool.queue > 0 {
			w.enqueue(j, p)
		}
		s.waitingSince = min(s.waitingSince, h.waitingSince)
	case h.waiting == 0:
		longest := h.waitingSince == s.waitingSince
		if h.waitingSince = Never; longest {
			s.waitingSince = w.longestWait(j)
		}
	}
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
