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
func (w *World) markRevoked(i int32, gone Time) {
	x := &w.inst[i]
	pool := &w.pools[x.pool]
	x.gone = gone
	pool.unmarked--
	w.setInstanceTimer(i, x)
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
	w.tell(int(x.job), JobHit)
	w.recount(int(x.job), s, pool, h)
	w.supply = w.supply || h.waiting > 0 && !w.offers.empty()
	w.totals.Notices++
	w.trigger |= TriggerNotice
}

// revoke takes an instance away, for the cloud.
func (w *World) revoke(i int32) {
	x := &w.inst[i]
	w.changed()
	w.totals.Preemptions++
	w.totals.Pools[x.pool].Preemptions++
	if !x.announced {
		w.totals.Unannounced++
	}
	w.takeAway(i, InstanceRevoked)
}

// takeAway takes an instance from its job: the cloud does, or its machine failed.
func (w *World) takeAway(i int32, why InstanceEvent) {
	x := &w.inst[i]
	w.seeLoss(int(x.pool), w.now)
	if x.state == instanceReady && !x.drained {
		w.jobs[x.job].countLoss(w.now)
	}
	if x.drained && !x.handedOver {
		w.jobs[x.job].stateLost = true
	}
	w.trigger |= TriggerGone
	if !x.announced {
		w.tell(int(x.job), JobHit)
	}
	w.retire(i, why)
}

// countLoss counts an instance that was taken; several at one instant are one loss.
func (s *jobState) countLoss(now Time) {
	s.lost++
	if s.lastLoss != now {
		s.lastLoss = now
		s.losses++
	}
}

// seeLoss notes that an instance of pool p is taken.
func (f *fleet) seeLoss(p int, now Time) {
	if x := &f.seen[p]; x.taken != now {
		x.taken = now
		x.removals++
	}
}

// fromLife applies a record of what was granted (Market.Granting).
func (w *World) fromLife(r *record) {
	pool := &w.pools[r.pool]
	if r.kind == recordLifeGranted {
		pool.allowed++
		w.offer(pool)
		return
	}
	for _, i := range w.membersOf(pool) {
		x := &w.inst[i]
		switch {
		case x.ordinal != int32(r.value) || x.gone != Never:
			continue
		case r.kind == recordLifeNoticed:
			w.markRevoked(i, pool.series.lifetimes[x.ordinal].Gone)
		default:
			w.revoke(i)
		}
		return
	}
}

// release gives an instance back to the cloud.
func (w *World) release(i int32) { w.retire(i, InstanceReleased) }

// retire ends an instance and its bill.
func (w *World) retire(i int32, why InstanceEvent) {
	x, revoked := &w.inst[i], why != InstanceReleased
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
	if x.node >= 0 {
		w.nodes[pool.node+x.node] = nodeFree
		if len(w.failing) > 0 && pool.facts.Failures != nil {
			w.leaveMachine(x, pool)
		}
	}
	if pool.waiting > 0 {
		w.offerHeadroom(pool)
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
	w.instanceEvent(w.now, x, why)
	counted := !x.announced // else nobody counted on it any more
	*x = instance{}
	w.timers.Set(int(i), Never)
	w.free = append(w.free, i)
	if counted {
		w.recount(j, s, pool, h)
	}
	w.supply = w.supply || isReady || !w.offers.empty()
	w.touchGang(j)
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

// seeEnd notes the time of an instance of a pool that ends now.
func (f *fleet) seeEnd(granted Time, pool *poolState, now Time) {
	x := &f.seen[pool.id]
	x.held += MachineTime(now - granted)
	if pool.waiting > 0 && pool.alive == pool.quota {
		x.since = now
	}
}
