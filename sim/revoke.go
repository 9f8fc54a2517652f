package sim

// victim returns the instance of a pool that the cloud takes next.
func (f *fleet) victim(pool *poolState) int32 {
	rule := pool.facts.Victim
	pick := 0
	if rule == VictimRandom {
		pick = pool.picks.Intn(uint64(pool.victims), int(pool.unmarked))
		pool.victims++
	}
	best := int32(-1)
	for _, i := range f.membersOf(pool) {
		x := &f.inst[i]
		if x.gone != Never {
			continue
		}
		switch {
		case rule == VictimRandom && pick == 0:
			return i
		case rule == VictimRandom:
			pick--
		case best < 0,
			rule == VictimNewest && x.ordinal > f.inst[best].ordinal,
			rule == VictimOldest && x.ordinal < f.inst[best].ordinal:
			best = i
		}
	}
	return best
}

// markRevoked decides that the cloud takes an instance at gone, and gives notice of
// it unless that is missing (Pool.NoticeMissing).
func (f *fleet) markRevoked(w *World, i int32, gone Time) {
	x := &f.inst[i]
	pool := &f.pools[x.pool]
	x.gone = gone
	pool.unmarked--
	f.setInstanceTimer(w, i, x)
	missing := pool.facts.NoticeMissing
	if missing > 0 && pool.series.lifetimes == nil && w.rand.Uniform(PurposeNotice, pool.series.entity, uint64(x.ordinal)) < missing {
		return
	}
	w.changed()
	x.announced = true
	w.instanceEvent(w.now, x, InstanceNoticed)
	s := &w.jobs[x.job]
	h := &s.held[s.column(int(x.pool))]
	h.noticed++
	pool.noticed++
	if x.state == instanceReady {
		h.ready--
		h.noticedReady++
	} else {
		h.starting--
	}
	if s.ownsHosts {
		w.hostNoticed(w, i)
	} else {
		w.tell(int(x.job), JobHit)
	}
	f.recount(w, int(x.job), int(x.pool), h)
	w.supply = w.supply || h.waiting > 0 && !f.offers.empty()
	w.totals.Notices++
	w.trigger |= TriggerNotice
}

// revoke takes an instance away, for the cloud.
func (f *fleet) revoke(w *World, i int32) {
	x := &f.inst[i]
	w.changed()
	w.totals.Preemptions++
	w.totals.Pools[x.pool].Preemptions++
	if !x.announced {
		w.totals.Unannounced++
	}
	f.takeAway(w, i, InstanceRevoked)
}

// takeAway takes an instance from its job: the cloud does, or its machine failed.
func (f *fleet) takeAway(w *World, i int32, why InstanceEvent) {
	x := &f.inst[i]
	f.seeLoss(int(x.pool), w.now)
	if x.state == instanceReady && !x.drained {
		w.jobs[x.job].countLoss(w.now)
	}
	if x.drained && !x.handedOver {
		w.jobs[x.job].stateLost = true
	}
	w.trigger |= TriggerGone
	switch s := &w.jobs[x.job]; {
	case x.announced:
	case s.ownsHosts:
		w.hostNoticed(w, i)
	default:
		w.tell(int(x.job), JobHit)
	}
	f.retire(w, i, why)
}

// countLoss counts an instance that was taken; several at one instant are one loss.
func (s *jobState) countLoss(now Time) {
	s.lost++
	if s.lastLoss != now {
		s.lastLoss = now
		s.losses++
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

// seeLoss notes that an instance of pool p is taken.
func (f *fleet) seeLoss(p int, now Time) {
	if x := &f.seen[p]; x.taken != now {
		x.taken = now
		x.removals++
	}
}

// fromLife applies a record of what was granted (Market.Granting).
func (f *fleet) fromLife(w *World, r *record) {
	pool := &f.pools[r.pool]
	if r.kind == recordLifeGranted {
		pool.allowed++
		f.offer(w, pool)
		return
	}
	for _, i := range f.membersOf(pool) {
		x := &f.inst[i]
		switch {
		case x.ordinal != int32(r.value) || x.gone != Never:
			continue
		case r.kind == recordLifeNoticed:
			f.markRevoked(w, i, pool.series.lifetimes[x.ordinal].Gone)
		default:
			f.revoke(w, i)
		}
		return
	}
}
