package sim

import (
	"slices"
	"time"
)

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

// nextReaction is what is done next about a slow machine that is seen, once the job has lost so many seconds by it;
// SlowKeep: nothing any more.
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
		m.asked++ // a second later, when all that are seen now share, the next reaction
		w.expect(k, w.now.After(1), slowActs, uint64(m.asked))
	case what == SlowMove:
		m.moved = true
		if w.moveTogether(int(w.inst[i].job), m.of.Move) {
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

// moveTogether has machines of job j by which micro-batches are shared change places, so that as few pipelines as can
// be have any, and has the job stop for that, if steps are shorter then. It reports whether they are.
func (w *World) moveTogether(j int, stall time.Duration) bool {
	const less = 1e-9 // share of a step that is no reason
	job := &w.jobs[j]
	stages := w.stagesOf(job)
	if stages == 0 {
		return false
	}
	before := w.stepFactor(j)
	places := w.slow.places[:0]
	for _, i := range w.instancesOf(j) {
		places = append(places, w.inst[i].place)
	}
	w.slow.places = places
	for w.moveOne(j, stages, int(job.placed.Pipeline)) {
	}
	if w.stepFactor(j) > before-less {
		for at, i := range w.instancesOf(j) {
			w.inst[i].place = places[at]
		}
		return false
	}
	w.accountJob(j, w.now)
	job.settle(w.now)
	w.pause(j, Pause{Stall: stall, As: Reconfiguring})
	return true
}

// moveOne moves a machine by which micro-batches are shared from the pipeline that has the fewest of them to the one
// that has the most, of those where another is.
func (w *World) moveOne(j, stages, pipelines int) bool {
	counts := resize(w.slow.counts, pipelines)
	w.slow.counts = counts
	clear(counts)
	list := w.instancesOf(j)
	slow := func(i int32) bool {
		m := w.machineOf(i)
		return m != nil && m.shared && m.compute > 1
	}
	for _, i := range list {
		if w.inst[i].place != unplaced && slow(i) {
			counts[int(w.inst[i].place)/stages]++
		}
	}
	from := -1
	to := -1
	for d, n := range counts {
		if n > 0 && (from < 0 || n <= counts[from]) {
			from = d
		}
	}
	for d, n := range counts {
		if d != from && n > 0 && n < stages && (to < 0 || n > counts[to]) {
			to = d
		}
	}
	if to < 0 {
		return false
	}
	in := func(d int, isSlow bool) int {
		return slices.IndexFunc(list, func(i int32) bool {
			place := w.inst[i].place
			return place != unplaced && int(place)/stages == d && slow(i) == isSlow
		})
	}
	out := in(from, true)
	other := in(to, false)
	if out < 0 || other < 0 {
		return false
	}
	a := &w.inst[list[out]]
	b := &w.inst[list[other]]
	a.place, b.place = b.place, a.place
	return true
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
