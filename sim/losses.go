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
		inst := &f.inst[i]
		if inst.gone != Never {
			continue
		}
		switch {
		case rule == VictimRandom && pick == 0:
			return i
		case rule == VictimRandom:
			pick--
		case best < 0,
			rule == VictimNewest && inst.ordinal > f.inst[best].ordinal,
			rule == VictimOldest && inst.ordinal < f.inst[best].ordinal:
			best = i
		}
	}
	return best
}

// markRevoked decides that the cloud takes an instance at gone, and gives notice of
// it unless that is missing (Pool.NoticeMissing).
func (w *World) markRevoked(i int32, gone Time) {
	inst := &w.inst[i]
	pool := &w.pools[inst.pool]
	inst.gone = gone
	pool.unmarked--
	w.setInstanceTimer(i, inst)
	if pool.facts.NoticeMissing > 0 && w.noticeIsMissing(inst, pool) {
		return
	}
	w.changed()
	inst.announced = true
	w.instanceEvent(w.now, inst, InstanceNoticed)
	job := &w.jobs[inst.job]
	held := &job.held[job.column(int(inst.pool))]
	held.noticed++
	pool.noticed++
	if inst.state == instanceReady {
		held.ready--
		held.noticedReady++
	} else {
		held.starting--
	}
	w.tell(int(inst.job), JobHit)
	w.recount(int(inst.job), job, pool, held)
	w.supply = w.supply || held.waiting > 0 && !w.offers.empty()
	w.totals.Notices++
	w.trigger |= TriggerNotice
}

// noticeIsMissing reports whether nobody is told that an instance goes: by a draw, but not where it is known what was
// told.
func (w *World) noticeIsMissing(inst *instance, pool *poolState) bool {
	if pool.series.lifetimes != nil {
		return false
	}
	return w.rand.Uniform(PurposeNotice, pool.series.entity, uint64(inst.ordinal)) < pool.facts.NoticeMissing
}

// revoke takes an instance away, for the cloud.
func (w *World) revoke(i int32) {
	inst := &w.inst[i]
	w.changed()
	w.totals.Preemptions++
	w.totals.Pools[inst.pool].Preemptions++
	if !inst.announced {
		w.totals.Unannounced++
	}
	w.takeAway(i, InstanceRevoked)
}

// takeAway takes an instance from its job: the cloud does, or its machine failed.
func (w *World) takeAway(i int32, why InstanceEvent) {
	inst := &w.inst[i]
	w.seeLoss(int(inst.pool), w.now)
	if inst.state == instanceReady && !inst.drained {
		w.jobs[inst.job].countLoss(w.now)
	}
	if inst.drained && !inst.handedOver {
		w.jobs[inst.job].stateLost = true
	}
	w.trigger |= TriggerGone
	if !inst.announced {
		w.tell(int(inst.job), JobHit)
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
	if seen := &f.seen[p]; seen.taken != now {
		seen.taken = now
		seen.removals++
	}
}

// fromLife applies a record of what was granted (Market.Granting).
func (w *World) fromLife(change *record) {
	pool := &w.pools[change.pool]
	if change.kind == recordLifeGranted {
		pool.allowed++
		w.offer(pool)
		return
	}
	for _, i := range w.membersOf(pool) {
		inst := &w.inst[i]
		switch {
		case inst.ordinal != int32(change.value) || inst.gone != Never:
			continue
		case change.kind == recordLifeNoticed:
			w.markRevoked(i, pool.series.lifetimes[inst.ordinal].Gone)
		default:
			w.revoke(i)
		}
		return
	}
}

// release gives an instance back to the cloud.
func (w *World) release(i int32) { w.retire(i, InstanceReleased) }

// retire ends an instance: its bill, its work for its job, and its place in the pool.
func (w *World) retire(i int32, why InstanceEvent) {
	inst := &w.inst[i]
	pool := &w.pools[inst.pool]
	j := int(inst.job)
	job := &w.jobs[j]
	k := job.column(int(inst.pool))
	held := &job.held[k]
	revoked := why != InstanceReleased && why != InstanceReplaced
	isReady := inst.state == instanceReady
	counted := !inst.announced // else nobody counted on it any more

	w.accountJob(j, w.now)
	held.pay(pool, w.now)
	w.adjust(inst, pool, revoked)
	if pool.queue != plainPool {
		w.coverUntil(int(pool.id), w.now)
	}
	w.takeFromJob(inst, i, k, revoked)
	w.unlink(held, i)
	w.takeFromPool(i, pool)
	w.instanceEvent(w.now, inst, why)

	if w.slow.on() {
		w.slowEnd(i, inst.pool)
	}
	*inst = instance{}
	w.timers.Set(int(i), Never)
	w.free = append(w.free, i)
	if counted {
		w.recount(j, job, pool, held)
	}
	w.supply = w.supply || isReady || !w.offers.empty()
	w.touchGang(j)
}

// takeFromJob takes an instance out of what its job has in its k-th column, and out of its next layout.
func (t *training) takeFromJob(inst *instance, i int32, k int, revoked bool) {
	job := &t.jobs[inst.job]
	isReady := inst.state == instanceReady
	job.held[k].drop(inst, isReady)
	if isReady {
		job.ready--
		job.vacated = job.vacated || job.ready == 0
		if !inst.drained {
			job.staff(k, -1)
		}
		t.markDirty(int(inst.job))
	} else {
		job.starting--
	}
	if !revoked && inst.place != unplaced {
		job.released = true
	}
	if job.chief == i {
		job.chief = noChief
		job.chiefLost = job.chiefLost || revoked
	}
	t.vacate(inst)
}

// takeFromPool takes an instance out of its pool, and offers the room that it leaves.
func (w *World) takeFromPool(i int32, pool *poolState) {
	inst := &w.inst[i]
	if inst.gone == Never {
		pool.unmarked--
	}
	if inst.announced {
		pool.noticed--
	}
	w.seeEnd(inst.granted, pool, w.now)
	w.leave(pool, i)
	if inst.node >= 0 {
		w.nodes[pool.node+inst.node] = nodeFree
		if len(w.failing) > 0 && pool.facts.Failures != nil {
			w.leaveMachine(inst, pool)
		}
	}
	if pool.waiting > 0 {
		w.offerHeadroom(pool)
	}
	if pool.queue != plainPool {
		w.offerRest(int(pool.id))
	}
}

// drop takes an instance out of the numbers of what a job has in its pool.
func (h *holding) drop(inst *instance, isReady bool) {
	switch {
	case inst.announced && isReady:
		h.noticed--
		h.noticedReady--
	case inst.announced:
		h.noticed--
	case isReady:
		h.ready--
	default:
		h.starting--
	}
	if inst.drained {
		h.drained--
	}
}

// seeEnd notes the time of an instance of a pool that ends now.
func (f *fleet) seeEnd(granted Time, pool *poolState, now Time) {
	seen := &f.seen[pool.id]
	seen.held += MachineTime(now - granted)
	if pool.alive == 1 {
		seen.occupied += int64(now - seen.occupiedSince)
	}
	if pool.waiting > 0 && pool.alive == pool.quota {
		seen.since = now
	}
}
