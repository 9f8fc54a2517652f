package sim

// watch says when something is done about a machine that is held, by how slow it is now.
func (w *World) watch(k int) {
	m := &w.slow.machines[k]
	list := w.onMachine(k)
	if m.away || len(list) == 0 {
		return
	}
	factor := w.alone(m, list[0])
	seen := m.of.Do != SlowKeep && factor > 1 && factor >= m.of.SeenFrom
	if !seen {
		m.unwatch()
	} else if m.seenAt == Never {
		m.seenAt = w.now.Add(m.of.SeenAfter)
		m.before = w.lostBy(list[0])
	}
	w.noteSlow(k, list[0], factor, SlowKeep)
	if seen {
		m.asked++
		w.expect(k, max(m.seenAt, w.now), slowActs, uint64(m.asked))
	}
}

// noteSlow tells the recorder what is known of a machine with an instance of a job.
func (w *World) noteSlow(k int, i int32, factor float64, did SlowDo) {
	if w.slowRecorder == nil {
		return
	}
	m := &w.slow.machines[k]
	is := SlowState{Job: int(w.inst[i].job), Times: factor, Seen: m.seenAt, Did: did}
	for _, one := range m.episodes {
		is.Ends = max(is.Ends, one.ends)
	}
	w.slowRecorder.Slow(w.now, int(w.inst[i].pool), m.number, is)
}

// alone is how much longer the steps of the job of an instance take by its machine, if no other one is slow.
func (w *World) alone(m *slowMachine, i int32) float64 {
	stages := w.stagesOf(&w.jobs[w.inst[i].job])
	one := pipe{}
	one.add(m)
	longer := shares{max(stages, 1), w.market.microBatches}.longer(&one)
	return 1 + longer + m.of.Network*(m.network-1)
}

// unwatch forgets what a machine has cost a job, and that anything was done about it.
func (m *slowMachine) unwatch() {
	m.asked++
	m.seenAt = Never
	m.shared = false
	m.moved = false
}

// lostBy is the time of instances that the job of an instance has lost to slow machines so far.
func (w *World) lostBy(i int32) MachineTime {
	j := int(w.inst[i].job)
	w.accountJob(j, w.now)
	return w.jobs[j].activities[Slowed]
}

// nextReaction is what is done next about a slow machine that is seen, once the job has lost so many seconds by it; SlowKeep:
// nothing any more.
func (m *slowMachine) nextReaction() (what SlowDo, worth float64) {
	cost := m.of.Cost.Seconds()
	do := m.of.Do
	switch {
	case do == SlowReplace:
		return SlowReplace, 0
	case do == SlowSkiRental:
		return SlowReplace, cost
	case !m.shared:
		return SlowRebalance, 0
	case do == SlowMove && !m.moved:
		return SlowMove, 0
	case do == SlowEscalate && !m.moved && m.of.Move > 0 && m.of.Move.Seconds() < cost:
		return SlowMove, m.of.Move.Seconds()
	case do == SlowEscalate:
		return SlowReplace, cost
	}
	return SlowKeep, 0
}

// act does what is to be done about a slow machine that is seen, or looks again when there is enough reason.
func (w *World) act(k int, m *slowMachine) {
	const again = 60    // seconds
	const enough = 1e-4 // seconds: what is lost is counted in whole microseconds
	i := w.onMachine(k)[0]
	job := &w.jobs[w.inst[i].job]
	lost := (w.lostBy(i) - m.before).Seconds() / float64(max(job.rate.Working, 1))
	what, worth := m.nextReaction()
	factor := w.alone(m, i)
	switch {
	case what == SlowKeep:
	case job.rate.Progress == 0 || job.phase != phaseTraining:
		w.expect(k, w.now.After(again), slowActs, uint64(m.asked))
	case lost < worth-enough:
		wait := float64(again)
		if job.rate.Slowed > 0 {
			wait = (worth - lost) / job.rate.Slowed
		}
		w.expect(k, w.now.After(wait), slowActs, uint64(m.asked))
	case what == SlowRebalance:
		m.shared = true
		w.noteSlow(k, i, factor, what)
		w.repace(k)
	case what == SlowMove:
		m.moved = true
		if w.moveTogether(k) {
			w.noteSlow(k, i, factor, what)
		}
		w.repace(k)
	case w.worthReplacing(m, job, factor):
		w.noteSlow(k, i, factor, what)
		w.replace(k, m)
	}
}

// worthReplacing reports whether a job would lose more by a machine until its end than a replacement costs. It counts
// on what the machine costs now, with what is done already.
func (w *World) worthReplacing(m *slowMachine, job *jobState, factor float64) bool {
	share := 1 - 1/factor
	if m.shared {
		share = job.rate.Slowed
	}
	return share*(job.goal-job.progress(w.now))/job.rate.Progress > m.of.Cost.Seconds()
}

// falseAlarm has a detector take a machine for one that makes steps SeenFrom times as long. Who replaces does it; the
// others wait until the job loses something by it, which it does not.
func (w *World) falseAlarm(k int, m *slowMachine) {
	list := w.onMachine(k)
	if m.of.Do != SlowReplace || m.seenAt != Never || m.away || len(list) == 0 {
		return
	}
	job := &w.jobs[w.inst[list[0]].job]
	w.lostBy(list[0])
	if job.phase == phaseTraining && job.rate.Progress > 0 && w.worthReplacing(m, job, m.of.SeenFrom) {
		w.noteSlow(k, list[0], w.alone(m, list[0]), SlowReplace)
		w.replace(k, m)
	}
}

// moveTogether exchanges the places of the instances on a machine with such of other pipelines that the steps of their
// job are the shortest, and has the job stop for that, if any are shorter. It reports whether any are.
func (w *World) moveTogether(k int) (moved bool) {
	j := int(w.inst[w.onMachine(k)[0]].job)
	if w.stagesOf(&w.jobs[j]) == 0 {
		return false
	}
	for at := range w.onMachine(k) {
		moved = w.exchange(j, w.onMachine(k)[at]) || moved
	}
	if moved {
		w.accountJob(j, w.now)
		w.jobs[j].settle(w.now)
		w.pause(j, Pause{Stall: w.slow.machines[k].of.Move, As: Reconfiguring})
	}
	return moved
}

// exchange gives an instance of job j the place of another, of those with which steps are shorter that of which they are
// the shortest. It reports whether there is any.
func (w *World) exchange(j int, i int32) bool {
	const less = 1e-9 // share of a step that is no reason
	best := w.stepFactor(j) - less
	with := int32(noInstance)
	for at := range w.instancesOf(j) {
		other := w.instancesOf(j)[at]
		if w.inst[other].place == unplaced || w.inst[i].place == unplaced {
			continue
		}
		w.swapPlaces(i, other)
		if factor := w.stepFactor(j); factor < best {
			best = factor - less
			with = other
		}
		w.swapPlaces(i, other)
	}
	if with == noInstance {
		return false
	}
	w.swapPlaces(i, with)
	return true
}

func (w *World) swapPlaces(a, b int32) {
	w.inst[a].place, w.inst[b].place = w.inst[b].place, w.inst[a].place
}

// replace takes a machine from the jobs on it, which ask for another.
func (w *World) replace(k int, m *slowMachine) {
	w.totals.Replaced++
	of := m.of
	if of.Whole && of.Repair > 0 {
		pool := &w.pools[k]
		m.away = true
		pool.capacity = 0
		pool.fit()
		w.expect(k, w.now.Add(of.Repair), slowMended, 0)
	}
	for list := w.onMachine(k); len(list) > 0; list = w.onMachine(k) {
		i := list[0]
		if inst := &w.inst[i]; inst.state == instanceReady && !inst.drained {
			w.jobs[inst.job].countLoss(w.now)
		}
		w.trigger |= TriggerGone
		w.tell(int(w.inst[i].job), JobHit)
		w.retire(i, InstanceReplaced)
		if k >= len(w.pools) {
			break
		}
	}
}
