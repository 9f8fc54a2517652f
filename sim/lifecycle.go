package sim

// grant gives job j one instance of pool p.
func (w *World) grant(j, p int) {
	w.accountJob(j, w.now)
	w.pay(j, p)
	pool, facts := &w.pools[p], &w.market.pools[p]
	i := w.slot()
	x := &w.inst[i] // empty: retire clears it
	x.state, x.job, x.pool, x.node, x.place, x.ordinal = instanceStarting, int32(j), int32(p), -1, unplaced, pool.grants
	x.granted, x.ready, x.gone = w.now, w.now.Add(facts.Boot.draw(pool.bootTimes, int(pool.grants))), Never
	h := w.holding(j, p)
	h.starting++
	w.jobs[j].starting++
	w.join(pool, i)
	pool.grants++
	pool.unmarked++
	w.totals.Grants++
	w.totals.Pools[p].Grants++
	w.recount(j, p)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		x.node = w.freeNode(p)
		w.nodes[pool.node+x.node] = i
	}
	w.instanceEvent(w.now, x, InstanceGranted)
	if x.ready == w.now {
		w.ready(i)
	}
	w.markAtGrant(i)
	w.setInstanceTimer(i)
}

func (w *World) setInstanceTimer(i int32) {
	x := &w.inst[i]
	at := x.gone
	if x.state == instanceStarting {
		at = min(at, x.ready)
	}
	w.timers.Set(int(i), at)
}

func (w *World) fromInstance(i int32) {
	w.changed()
	x := &w.inst[i]
	if x.gone <= w.now {
		w.revoke(i)
		return
	}
	w.ready(i)
	w.setInstanceTimer(i)
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
		s.laidOut = false
	} else {
		s.starting--
	}
	if x.gone == Never {
		pool.unmarked--
	}
	w.leave(pool, i)
	w.offers.add(p)
	if x.node >= 0 {
		w.nodes[pool.node+x.node] = nodeFree
	}
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
