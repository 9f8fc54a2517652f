package sim

import "math"

// slowness is the part of a world whose machines become slow. It has no machines where no pool has Pool.Slow.
type slowness struct {
	machines []slowMachine // of pools, by number; behind them of instances, by slot
	events   machineEvents // of a machine as it was at a round
	pipes    []pipe        // scratch
	places   []int32       // scratch
	counts   []int         // scratch
	single   [1]int32      // scratch
}

// slowMachine is what is known of a machine that may be slow.
type slowMachine struct {
	of       *Slow // nil: it is not there
	draws    Stream
	number   int // of Episode.Machine
	round    uint32
	drawn    [MaxSlowLaws + 1]uint64 // episodes so far, by law, then false alarms
	episodes []inForce

	compute, network float64 // the products of the factors in force
	away             bool    // it is being repaired

	seenAt Time        // Never: it is not slow enough, or holds no job
	before MachineTime // that the job on it had lost when that began
	asked  uint32      // the last event to act that counts
	shared bool        // micro-batches are shared by how slow it is
	moved  bool        // it was looked for a better place in the pipelines
}

// inForce is an episode of a machine that is not over.
type inForce struct {
	id               uint64
	compute, network float64
	ends             Time
	bad              bool
}

// The kinds of events of slow machines; from slowFirst on, one of each law.
const (
	slowEnds uint8 = iota
	slowRecorded
	slowActs
	slowMended
	slowFalse
	slowFirst
)

// recordedID marks episodes that were recorded, which are numbered as those that are drawn.
const recordedID = 1 << 63

func (x *slowness) on() bool { return len(x.machines) > 0 }

// copyFrom makes x equal to src, reusing x's memory.
func (x *slowness) copyFrom(src *slowness) {
	machines := extend(x.machines, len(src.machines))
	for k := range src.machines {
		episodes := append(machines[k].episodes[:0], src.machines[k].episodes...)
		machines[k] = src.machines[k]
		machines[k].episodes = episodes
	}
	x.machines = machines
	x.events = append(x.events[:0], src.events...)
}

// resetSlow makes all machines as they are before the run.
func (w *World) resetSlow() {
	slow := &w.slow
	slow.events = slow.events[:0]
	slow.machines = slow.machines[:0]
	if !w.market.slows || w.market.granting {
		return
	}
	slow.machines = extend(slow.machines, len(w.pools)+len(w.inst))
	for k := range slow.machines {
		slow.machines[k].leave()
	}
}

// leave makes it a machine that is not there.
func (m *slowMachine) leave() {
	*m = slowMachine{round: m.round + 1, episodes: m.episodes[:0], compute: 1, network: 1, seenAt: Never}
}

// startSlow starts the machines that are there from the start.
func (w *World) startSlow() {
	if !w.slow.on() {
		return
	}
	for p := range w.pools {
		if of := w.market.pools[p].Slow; of != nil && of.Whole {
			w.startMachine(p, of, p, 0)
		}
	}
	w.timeSlow()
}

// timeSlow sets the timer to the next event of slow machines.
func (w *World) timeSlow() {
	at := Never
	if len(w.slow.events) > 0 {
		at = w.slow.events[0].at
	}
	w.timers.Set(w.slowSlot(), at)
}

// startMachine draws what comes first of a machine: the number-th of pool p.
func (w *World) startMachine(k int, of *Slow, p, number int) {
	m := &w.slow.machines[k]
	m.leave()
	m.of = of
	m.number = number
	m.draws = w.rand.Stream(PurposeSlow, mix(w.market.series[p].entity)+uint64(number))
	for law := range of.Laws {
		if share := of.Laws[law].BadShare; share == 0 {
			w.nextEpisode(k, law, w.now)
		} else if m.draws.Uniform(m.next(law)) < share {
			w.beginEpisode(k, inForce{id: m.next(law), ends: Never, bad: true}, &of.Laws[law], m.next(law)+2)
		}
	}
	w.nextFalse(k)
	for i := range of.Episodes {
		if one := &of.Episodes[i]; one.Machine == number && one.Until > w.now {
			w.expect(k, max(one.From, w.now), slowRecorded, uint64(i))
		}
	}
}

// next is the first of the four numbers of the draws of the next episode of a law: until it comes, how long it lasts,
// and its factor. Of false alarms it is that of when it comes.
func (m *slowMachine) next(law int) uint64 { return uint64(law)<<56 | m.drawn[law]<<2 }

// expect has something happen to a machine.
func (w *World) expect(k int, at Time, what uint8, id uint64) {
	if at != Never {
		w.slow.events.push(machineEvent{at: at, machine: int32(k), what: what, id: id, round: w.slow.machines[k].round})
	}
}

// nextEpisode draws when the next episode of a law begins, after an instant.
func (w *World) nextEpisode(k, law int, after Time) {
	if rate := w.slow.machines[k].of.Laws[law].PerHour; rate > 0 {
		m := &w.slow.machines[k]
		w.expect(k, after.After(m.draws.Exponential(m.next(law))*3600/rate), slowFirst+uint8(law), m.next(law))
	}
}

// nextFalse draws when a detector takes a machine for a slow one next.
func (w *World) nextFalse(k int) {
	m := &w.slow.machines[k]
	if rate := m.of.FalsePerDay; rate > 0 {
		w.expect(k, w.now.After(m.draws.Exponential(m.next(MaxSlowLaws))*86400/rate), slowFalse, 0)
		m.drawn[MaxSlowLaws]++
	}
}

// beginEpisode puts an episode in force, with a factor by the n-th draw of a law.
func (w *World) beginEpisode(k int, one inForce, law *SlowLaw, n uint64) {
	m := &w.slow.machines[k]
	factor := law.factor(m.draws, n)
	one.compute = 1
	one.network = 1
	if law.OnNetwork {
		one.network = factor
	} else {
		one.compute = factor
	}
	m.add(one)
}

func (m *slowMachine) add(one inForce) {
	m.episodes = append(m.episodes, one)
	m.multiply()
}

// multiply works the factors out anew: without an episode they are 1 again, without rounding.
func (m *slowMachine) multiply() {
	m.compute = 1
	m.network = 1
	for i := range m.episodes {
		m.compute = min(m.compute*m.episodes[i].compute, maxFactor)
		m.network = min(m.network*m.episodes[i].network, maxFactor)
	}
}

// drop takes the episodes out that are to go.
func (m *slowMachine) drop(goes func(one *inForce) bool) {
	left := m.episodes[:0]
	for i := range m.episodes {
		if !goes(&m.episodes[i]) {
			left = append(left, m.episodes[i])
		}
	}
	m.episodes = left
	m.multiply()
}

// fromSlow handles the timer of slow machines.
func (w *World) fromSlow() {
	w.changed()
	for len(w.slow.events) > 0 && w.slow.events[0].at <= w.now {
		event := w.slow.events.pop()
		if m := &w.slow.machines[event.machine]; m.of != nil && event.round == m.round {
			w.happen(int(event.machine), m, &event)
		}
	}
	w.timeSlow()
}

// happen handles an event of a machine.
func (w *World) happen(k int, m *slowMachine, event *machineEvent) {
	switch event.what {
	case slowEnds:
		m.drop(func(one *inForce) bool { return one.id == event.id })
	case slowRecorded:
		one := &m.of.Episodes[event.id]
		m.add(inForce{id: event.id | recordedID, compute: one.Compute, network: one.Network, ends: one.Until})
		w.expect(k, one.Until, slowEnds, event.id|recordedID)
	case slowActs:
		if uint32(event.id) == m.asked {
			w.act(k, m)
		}
		return
	case slowMended:
		w.mend(k, m)
		return
	case slowFalse:
		w.nextFalse(k)
		w.falseAlarm(k, m)
		return
	default:
		law := int(event.what - slowFirst)
		ends := w.now.After(m.of.Laws[law].lasting(m.draws, event.id+1))
		w.beginEpisode(k, inForce{id: event.id, ends: ends}, &m.of.Laws[law], event.id+2)
		w.expect(k, ends, slowEnds, event.id)
		m.drawn[law]++
		w.nextEpisode(k, law, w.now)
	}
	w.repace(k)
}

// onMachine returns the instances on a machine.
func (w *World) onMachine(k int) []int32 {
	if k < len(w.pools) {
		return w.membersOf(&w.pools[k])
	}
	w.slow.single[0] = int32(k - len(w.pools))
	return w.slow.single[:]
}

// machineOf returns the machine of an instance, nil if it is never slow.
func (w *World) machineOf(i int32) *slowMachine {
	p := int(w.inst[i].pool)
	switch of := w.market.pools[p].Slow; {
	case of == nil:
		return nil
	case of.Whole:
		return &w.slow.machines[p]
	}
	return &w.slow.machines[len(w.pools)+int(i)]
}

// slowGrant is called when an instance is granted.
func (w *World) slowGrant(i int32) {
	inst := &w.inst[i]
	p := int(inst.pool)
	of := w.market.pools[p].Slow
	if of == nil {
		return
	}
	k := p
	if !of.Whole {
		k = len(w.pools) + int(i)
		w.startMachine(k, of, p, int(inst.ordinal))
	}
	w.watch(k)
	w.timeSlow()
}

// slowEnd is called when an instance has ended.
func (w *World) slowEnd(i, p int32) {
	of := w.market.pools[p].Slow
	switch {
	case of == nil:
	case !of.Whole:
		w.noteSlow(len(w.pools)+int(i), i, 1, SlowKeep)
		w.slow.machines[len(w.pools)+int(i)].leave()
	case w.pools[p].alive == 0:
		w.noteSlow(int(p), i, 1, SlowKeep)
		w.slow.machines[p].unwatch()
	}
}

// repace has the jobs on a machine, whose factors are others, train at their new rates.
func (w *World) repace(k int) {
	w.watch(k)
	last := int32(-1)
	for _, i := range w.onMachine(k) {
		inst := &w.inst[i]
		if inst.state != instanceReady || inst.job == last {
			continue
		}
		last = inst.job
		j := int(last)
		job := &w.jobs[j]
		if job.rate.Progress == 0 {
			continue
		}
		w.accountJob(j, w.now)
		job.settle(w.now)
		job.rate = w.specs[j].Model.Rate(&job.layout)
		job.rate.pace(w.cfg.Pace())
		w.slowDown(j)
		w.run(j)
	}
}

// slowDown makes the rate of job j, as the model has it, what its machines let it be.
func (w *World) slowDown(j int) {
	job := &w.jobs[j]
	if job.rate.Progress == 0 {
		return
	}
	job.rate.stretch(w.stepFactor(j))
	job.last.Progress = job.rate.Progress
	job.last.Iterations = job.rate.Iterations
	job.last.Samples = job.rate.Samples
	job.last.Slowed = job.rate.Slowed
}

// stretch makes steps take longer by a factor.
func (r *Rate) stretch(by float64) {
	r.Progress /= by
	r.Iterations /= by
	r.Samples /= by
	r.Traffic /= by
	r.Slowed = 1 - 1/by
}

// mend brings a server back after its repair.
func (w *World) mend(k int, m *slowMachine) {
	pool := &w.pools[k]
	m.away = false
	m.drop(func(one *inForce) bool { return one.bad })
	pool.capacity = unlimited
	pool.fit()
	w.trigger |= TriggerRepair
	w.dirty = true
	w.offer(pool)
}

// replaced reports whether pool p is a server that was replaced as it was slow, and is being repaired.
func (x *slowness) replaced(p int) bool { return x.on() && x.machines[p].away }

// imagineSlow has an imagined future in which no machine is slow: what becomes of them a policy does not see.
func (w *World) imagineSlow() {
	if !w.slow.on() {
		return
	}
	w.slow.machines = w.slow.machines[:0]
	w.jobBase-- // the timer of slow machines has no slot any more
	for _, j := range w.active() {
		job := &w.jobs[j]
		if job.rate.Slowed > 0 {
			w.accountJob(j, w.now)
			job.settle(w.now)
			job.rate.stretch(1 - job.rate.Slowed)
			job.rate.Slowed = 0
		}
	}
}

// slowed returns the part of the time of instances that work at a rate in which slow machines do what fast ones would
// not need, in whole microseconds.
func (r *Rate) slowed(worked MachineTime) MachineTime {
	return MachineTime(math.Round(float64(worked) * r.Slowed))
}

// slowSlot is the slot of the timer of slow machines.
func (w *World) slowSlot() int { return w.failingSlot(len(w.failing)) }
