package sim

func (w *World) setInstanceTimer(i int32) {
	x := &w.inst[i]
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
	w.jobs[j].laidOut = false
	w.trigger |= TriggerReady
	w.supply = true
}

// release gives an instance back to the cloud.
func (w *World) release(i int32) { w.retire(i, false) }

// retire ends an instance and its bill.
func (w *World) retire(i int32, revoked bool) {
	x := &w.inst[i]
	j, p := int(x.job), int(x.pool)
	w.accountJob(j, w.now)
	w.pay(j, p)
	w.adjust(x, revoked)
	if len(w.covers) > 0 {
		w.coverUntil(p, w.now)
	}
	h, pool, s := w.holding(j, p), &w.pools[p], &w.jobs[j]
	isReady := x.state == instanceReady
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
	if isReady {
		s.ready--
		s.laidOut, s.vacated = false, s.vacated || s.ready == 0
	} else {
		s.starting--
	}
	if x.gone == Never {
		pool.unmarked--
	}
	w.leave(pool, i)
	w.offers.add(p)
	if w.market.limitsOf != nil {
		w.offerRest(p)
	}
	if x.node >= 0 {
		w.nodes[pool.node+x.node] = nodeFree
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
	*x = instance{}
	w.timers.Set(int(i), Never)
	w.free = append(w.free, i)
	w.recount(j, p)
	w.supply = true
}

// recount brings the number of waiting requests up to date.
func (w *World) recount(j, p int) {
	h, s, pool := w.holding(j, p), &w.jobs[j], &w.pools[p]
	before := h.waiting
	h.waiting = max(h.want-h.starting-h.ready, 0)
	more := h.waiting - before
	if more == 0 {
		return
	}
	pool.waiting += more
	s.waiting += more
	if more > 0 {
		w.offers.add(p)
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
		h.waitingSince = Never
		s.waitingSince = w.longestWait(j)
	}
}
