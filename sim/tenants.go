package sim

import (
	"cmp"
	"slices"
	"time"
)

// stage is where a job is between hosts.
type stage uint8

const (
	away     stage = iota // not all of its tasks are launched
	launched              // all are: it trains, or starts to
	stopping              // it trains on until a stop takes effect
	leaving               // it saves, and then leaves
)

// tenant is how the tasks of a job are placed.
type tenant struct {
	model TaskModel
	stage stage
	began bool    // a task has been launched
	to    []int32 // by task: the host of the plan, Nowhere for none
	on    []int32 // by task: the host where it has room, Nowhere for none
	up    []Time  // by task: when its launch is complete; longAgo once that was noted
	next  Time    // when the stop takes effect, or the job has left; Never in other stages
	keeps float64 // part of its speed beside its neighbours
	alone float64 // its progress a second without them
}

// longAgo is before any launch.
const longAgo Time = -1

// what the landlord's timer is set for.
type errand uint8

const (
	returning errand = iota // a host goes
	vacating                // tasks of jobs that are done leave a host
)

// due is an errand of the landlord.
type due struct {
	at   Time
	host int32
	what errand
}

// packing is the hosts of a Packer's world, and who is on them. The landlord is a job of the world's own behind those of the
// run: it holds the instances, so that requests, grants, notices and bills are those of any job.
type packing struct {
	packs    bool
	landlord int
	hosts    []host // ascending by number
	tenants  []tenant
	dues     []due // ascending
	emptied  bool  // a host may be empty that is to end
	packed   []Job // memory of specs
	paying   []payer
}

// landlordModel is the model of a job that holds hosts.
type landlordModel struct{}

func (landlordModel) Rate(*Layout) Rate              { return Rate{} }
func (landlordModel) Begin(*Layout) float64          { return 0 }
func (landlordModel) Goal(float64) float64           { return 1 }
func (landlordModel) Loss(float64) float64           { return 0 }
func (landlordModel) Change(*Change) Pause           { return Pause{} }
func (landlordModel) SaveTime(*Layout) time.Duration { return 0 }
func (landlordModel) Gang() int                      { return 1 }
func (landlordModel) Work() float64                  { return 1 }
func (landlordModel) Weight() float64                { return 1 }

// withLandlord returns the jobs of a Packer's world.
func (x *packing) withLandlord(jobs []Job) []Job {
	x.packed = append(append(x.packed[:0], jobs...), Job{Name: "hosts", Model: landlordModel{}})
	return x.packed
}

// reset makes all tasks wait.
func (x *packing) reset(jobs []Job) {
	x.hosts, x.dues, x.emptied = x.hosts[:0], x.dues[:0], false
	if !x.packs {
		return
	}
	x.landlord = len(jobs) - 1
	x.tenants = extend(x.tenants[:0], x.landlord)
	for j := range x.tenants {
		t := &x.tenants[j]
		m := jobs[j].Model.(TaskModel)
		n := m.Gang()
		*t = tenant{model: m, next: Never, to: resize(t.to, n), on: resize(t.on, n), up: resize(t.up, n)}
		for k := range n {
			t.to[k], t.on[k], t.up[k] = Nowhere, Nowhere, Never
		}
	}
}

// copyFrom makes x the packing of a fork of src.
func (x *packing) copyFrom(src *packing) {
	old := *x
	*x = *src
	x.hosts = extend(old.hosts[:0], len(src.hosts))
	for k := range src.hosts {
		h, o := src.hosts[k], x.hosts[k]
		h.on, h.coming, h.images = append(o.on[:0], h.on...), append(o.coming[:0], h.coming...), append(o.images[:0], h.images...)
		x.hosts[k] = h
	}
	x.tenants = extend(old.tenants[:0], len(src.tenants))
	for j := range src.tenants {
		t, o := src.tenants[j], x.tenants[j]
		t.to, t.on, t.up = append(o.to[:0], t.to...), append(o.on[:0], t.on...), append(o.up[:0], t.up...)
		x.tenants[j] = t
	}
	x.dues = append(old.dues[:0], src.dues...)
	x.packed, x.paying = append(old.packed[:0], src.packed...), old.paying
}

// later adds an errand of the landlord.
func (w *World) later(at Time, host int32, what errand) {
	k, _ := slices.BinarySearchFunc(w.dues, at, func(d due, at Time) int {
		if d.at <= at {
			return -1
		}
		return 1
	})
	w.dues = slices.Insert(w.dues, k, due{at, host, what})
	w.timers.Set(w.jobSlot(w.landlord), w.dues[0].at)
}

// errands does what the landlord's timer was set for.
func (w *World) errands() {
	w.changed()
	for len(w.dues) > 0 && w.dues[0].at <= w.now {
		d := w.dues[0]
		w.dues = slices.Delete(w.dues, 0, 1)
		h := w.hostOf(d.host)
		switch {
		case h == nil: // the cloud took it
		case d.what == returning:
			w.release(h.inst)
		default:
			h.on = slices.DeleteFunc(h.on, w.isOver)
			w.emptied = w.emptied || h.ending
			w.stir(h)
		}
	}
	at := Never
	if len(w.dues) > 0 {
		at = w.dues[0].at
	}
	w.timers.Set(w.jobSlot(w.landlord), at)
	w.supply = true
}

// stir has the jobs of a host looked at: there may be room for tasks, or other neighbours.
func (w *World) stir(h *host) {
	for _, list := range [2][]guest{h.on, h.coming} {
		for _, g := range list {
			if !w.isOver(g) {
				w.addUnlaid(int(g.job))
			}
		}
	}
	w.supply, w.dirty = true, true
}

// countGuests brings the numbers of tasks of the jobs of a host up to date that start and are ready.
func (w *World) countGuests(h *host) {
	for _, list := range [2][]guest{h.on, h.coming} {
		for _, g := range list {
			if !w.isOver(g) {
				w.countTasks(int(g.job))
			}
		}
	}
}

// countTasks brings the numbers of a job's tasks up to date: those on hosts, and those whose hosts start.
func (w *World) countTasks(j int) {
	w.accountJob(j, w.now)
	s, t := &w.jobs[j], &w.tenants[j]
	s.ready, s.starting, s.want = 0, 0, 0
	for k := range t.to {
		if t.to[k] != Nowhere {
			s.want++
		}
		if t.on[k] != Nowhere {
			s.ready++
		} else if h := w.hostOf(t.to[k]); h != nil && h.inst != noInstance {
			if h.ready {
				s.ready++
			} else {
				s.starting++
			}
		}
	}
}

// follow takes over where the plan wants the tasks of job j.
func (w *World) follow(j int) {
	t, tasks := &w.tenants[j], w.plan.Jobs[j].tasks
	moved := false
	for k := range t.to {
		to := int32(Nowhere)
		if k < len(tasks) {
			to = tasks[k]
		}
		h := w.hostOf(to)
		if h == nil || h.ending || h.noticed {
			to = Nowhere
			if k < len(tasks) {
				tasks[k] = Nowhere
			}
		}
		if to == t.to[k] {
			continue
		}
		moved = true
		w.expect(guest{int32(j), int32(k)}, t.to[k], false)
		t.to[k] = to
		if t.on[k] != to || t.stage == stopping || t.stage == leaving {
			w.expect(guest{int32(j), int32(k)}, to, true)
		}
	}
	if moved {
		w.moveOut(j)
	}
	w.countTasks(j)
	w.addUnlaid(j)
}

// expect adds a task to those that are to come to a host, or takes it out.
func (w *World) expect(g guest, id int32, comes bool) {
	h := w.hostOf(id)
	if h == nil {
		return
	}
	if w.payHost(h); comes {
		h.coming = append(h.coming, g)
	} else {
		h.coming = slices.DeleteFunc(h.coming, func(x guest) bool { return x == g })
	}
}

// moveOut begins to take a job off its hosts: all its tasks, as it is launched as a whole.
func (w *World) moveOut(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	switch t.stage {
	case launched:
		for k, on := range t.on { // those that stay are launched again
			if t.to[k] == on {
				w.expect(guest{int32(j), int32(k)}, on, true)
			}
		}
		t.stage, t.next = stopping, w.now.Add(t.model.Times().Stop)
		w.accountJob(j, w.now)
		s.settle(w.now)
		w.run(j)
	case away: // what is launched elsewhere is dropped
		for k, on := range t.on {
			if on != Nowhere && on != t.to[k] {
				w.vacateTask(j, k)
			}
		}
	}
}

// vacateTask takes a task off its host.
func (w *World) vacateTask(j, k int) {
	t := &w.tenants[j]
	if h := w.hostOf(t.on[k]); h != nil {
		w.payHost(h)
		h.on = slices.DeleteFunc(h.on, func(g guest) bool { return g == guest{int32(j), int32(k)} })
		w.emptied = w.emptied || h.ending
		w.stir(h)
	}
	t.on[k], t.up[k] = Nowhere, Never
}

// moveAway takes all tasks of a job off their hosts, where its training ends for now.
func (w *World) moveAway(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	for k := range t.on {
		w.vacateTask(j, k)
	}
	t.stage, t.next = away, Never
	s.rate, s.phase = Rate{}, phaseIdle
	w.countTasks(j)
	w.addUnlaid(j)
}

// evict is told that the cloud takes a host on which job j has tasks. All of them leave; those of other
// hosts are launched there again when all have a host.
func (w *World) evict(j int, id int32) {
	s, t := &w.jobs[j], &w.tenants[j]
	w.accountJob(j, w.now)
	s.settle(w.now)
	w.dropSave(j)
	if t.stage != away {
		s.countLoss(w.now)
	}
	t.began = false
	if g := &w.gangs[j]; g.on {
		g.on, g.since = false, w.now
		g.preemptions++
	}
	for k, on := range t.on {
		switch {
		case t.to[k] == id:
			w.expect(guest{int32(j), int32(k)}, id, false)
			t.to[k] = Nowhere
			w.plan.Jobs[j].tasks[k] = Nowhere
		case on != Nowhere && on == t.to[k] && t.stage != stopping && t.stage != leaving:
			w.expect(guest{int32(j), int32(k)}, on, true)
		}
	}
	w.moveAway(j)
	w.run(j)
}

// unassign takes a task out of those that are to come to its host, which ends.
func (w *World) unassign(g guest) {
	t := &w.tenants[g.job]
	w.expect(g, t.to[g.task], false)
	t.to[g.task] = Nowhere
	w.plan.Jobs[g.job].tasks[g.task] = Nowhere
	w.countTasks(int(g.job))
}

// layOutTenants launches the tasks that can be, in the order of the jobs, gives back hosts that are empty, and sets
// the speeds of the jobs that have other neighbours.
func (w *World) layOutTenants() {
	for more := true; more; more = w.emptied {
		if w.emptied {
			w.endEmpty()
		}
		slices.SortFunc(w.unlaid, func(a, b int32) int { return cmp.Compare(a, b) })
		for k := 0; k < len(w.unlaid); k++ {
			if j := int(w.unlaid[k]); j != w.landlord && w.jobs[j].active() && w.tenants[j].stage == away {
				w.launch(j)
			}
		}
		for k := 0; k < len(w.unlaid); k++ {
			j := int(w.unlaid[k])
			w.jobs[j].unlaid = false
			if j != w.landlord && w.jobs[j].active() {
				w.tune(j)
			}
		}
		w.unlaid = w.unlaid[:0]
	}
}

// launch begins to launch the tasks of job j whose hosts are ready and have room.
func (w *World) launch(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	times, all := t.model.Times(), true
	for k := range t.to {
		if t.on[k] != Nowhere {
			continue
		}
		h := w.hostOf(t.to[k])
		if h == nil || !h.ready || h.ending || !w.hasRoom(h, t) {
			all = false
			continue
		}
		g := guest{int32(j), int32(k)}
		w.expect(g, h.id, false)
		h.on = append(h.on, g)
		t.on[k], t.began = h.id, true
		span := times.Launch
		if !slices.Contains(h.images, int32(times.Image)) {
			span += times.Build
		}
		t.up[k] = w.now.Add(span)
	}
	w.countTasks(j)
	if all && s.phase == phaseIdle {
		w.accountJob(j, w.now)
		s.settle(w.now)
		s.rate.Working = int32(len(t.on))
		s.phase, s.stalledAs, s.pauseEnd = phaseStalled, Restoring, Never
	}
	w.awake(j)
}

// hasRoom reports whether one more task of a job fits on a host.
func (w *World) hasRoom(h *host, t *tenant) bool {
	p := &w.market.pools[h.pool]
	d, runs := t.model.Demand(int(h.pool))
	if !runs {
		return false
	}
	if p.Full == (Resources{}) {
		return len(h.on) == 0
	}
	var used Resources
	for _, g := range h.on {
		x, _ := w.tenants[g.job].model.Demand(int(h.pool))
		used = used.Plus(x)
	}
	return p.Full.Fits(used, d)
}

// awake lets a job whose launch is complete start, or sets its timer to the next launch that is.
func (w *World) awake(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	next, last := Never, Time(0)
	for k, up := range t.up {
		last = max(last, up)
		if up > w.now {
			next = min(next, up)
		} else if h := w.hostOf(t.on[k]); up != longAgo {
			t.up[k] = longAgo
			image := int32(t.model.Times().Image)
			if !slices.Contains(h.images, image) {
				h.images = append(h.images, image)
			}
			w.stir(h)
		}
	}
	if last > w.now {
		w.timers.Set(w.jobSlot(j), next)
		return
	}
	w.startTraining(j)
	s.laidOut = true
}

// startTraining starts a job all of whose tasks are launched.
func (w *World) startTraining(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	w.accountJob(j, w.now)
	s.settle(w.now)
	t.stage = launched
	w.columns(j)
	w.speed(j)
	cost := Pause{}
	if s.begun {
		c := &w.change
		*c = Change{From: &s.layout, To: &s.layout, Lost: s.lost, Worked: s.last.Working, Vacated: true}
		cost = t.model.Change(c)
		if cost.DropStep {
			s.dropStep()
		}
	} else {
		s.begun, s.first = true, t.model.Begin(&s.layout)
		s.base.progress, s.high, s.savedAt, s.resumedAt = s.first, s.first, w.now, w.now
		s.saved = s.base
	}
	s.last, s.lost, s.laidAt = s.rate, 0, w.now
	s.phase = phaseIdle
	if cost.Stall += t.model.Times().Init; cost.Stall > 0 && cost.As == Useful {
		cost.As = Restoring
	}
	w.pause(j, cost)
	w.noteSaveTime(j)
	where := uint64(1)
	for _, on := range t.on {
		where += mix(uint64(uint32(on)) + 1)
	}
	if what := w.gangs[j].goOn(where, w.now, false); what != JobSubmitted {
		w.tell(j, what)
	}
	w.run(j)
}

// columns sets the layout of job j to its tasks by pool.
func (w *World) columns(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	s.empty()
	for _, on := range t.on {
		s.layout.Workers[w.open(j, int(w.hostOf(on).pool), w.now)]++
	}
}

// speed sets the rate of job j on its layout, beside its neighbours.
func (w *World) speed(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	t.keeps = w.neighbourly(j)
	s.rate = t.model.Rate(&s.layout)
	t.alone = s.rate.Progress
	s.rate.Progress *= t.keeps
	s.rate.Iterations *= t.keeps
	s.rate.Samples *= t.keeps
	s.rate.Step *= t.keeps
	s.last = s.rate
}

// neighbourly is the part of its speed that job j keeps: that of its slowest task.
func (w *World) neighbourly(j int) float64 {
	least, keeps := 1.0, w.cfg.Sharing.Keeps
	if keeps == nil {
		return least
	}
	for k, on := range w.tenants[j].on {
		h, x := w.hostOf(on), 1.0
		for _, g := range h.on {
			if w.isOver(g) || g == (guest{int32(j), int32(k)}) {
				continue
			}
			if o := &w.tenants[g.job]; o.up[g.task] <= w.now && o.stage != leaving {
				x *= keeps(&w.market.pools[h.pool], &w.specs[j], &w.specs[g.job])
			}
		}
		least = min(least, x)
	}
	if !(least > 0 && least <= 1) {
		panic("sim: Sharing.Keeps: expected above 0, at most 1")
	}
	return least
}

// tune sets the speed of a job that runs, if its neighbours changed it.
func (w *World) tune(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	if t.stage != launched && t.stage != stopping {
		return
	}
	if now := w.neighbourly(j); now != t.keeps {
		w.accountJob(j, w.now)
		s.settle(w.now)
		w.speed(j)
		w.run(j)
	}
}

// fromTenant handles the timer of a job of tasks.
func (w *World) fromTenant(j int) {
	if j == w.landlord {
		w.errands()
		return
	}
	s, t := &w.jobs[j], &w.tenants[j]
	w.changed()
	w.accountJob(j, w.now)
	s.settle(w.now)
	w.supply = true
	switch {
	case s.phase == phaseUnsubmitted:
		w.submit(j)
	case t.stage == away:
		w.awake(j)
	case s.phase == phaseTraining && (s.base.progress >= s.goal || s.reaches(s.goal, w.now)):
		s.base.progress = s.goal
		w.finish(j, phaseDone)
	case t.stage == stopping && t.next <= w.now:
		w.depart(j)
	case t.stage == leaving:
		w.left(j)
	default:
		w.goOnTraining(j)
	}
}

// goOnTraining lets a job train whose pause is over, or which has done again what was lost.
func (w *World) goOnTraining(j int) {
	s := &w.jobs[j]
	switch s.phase {
	case phaseTraining:
		s.base.progress = max(s.base.progress, s.high)
	case phaseStalled:
		s.phase, s.resumedAt = phaseTraining, w.now
		if s.base.progress <= s.saved.progress {
			s.savedAt = w.now
		}
	case phaseSaving:
		s.phase = phaseTraining
		w.saved(j, w.now)
		w.trigger |= TriggerJob
	}
	w.run(j)
}

// depart ends the training of a job that is to leave, and has it saved.
func (w *World) depart(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	w.dropSave(j)
	t.stage, t.next = leaving, w.now.Add(t.model.Times().Save)
	s.phase, s.stalledAs, s.pauseEnd = phaseStalled, Checkpointing, Never
	for _, on := range t.on {
		w.stir(w.hostOf(on))
	}
	if g := &w.gangs[j]; g.on {
		g.on, g.since = false, w.now
		if s.want == 0 {
			g.suspensions++
			w.totals.Suspensions++
			w.tell(j, JobStopped)
		}
	}
	if t.next <= w.now {
		w.left(j)
		return
	}
	w.timers.Set(w.jobSlot(j), t.next)
}

// left takes a job that has saved off its hosts.
func (w *World) left(j int) {
	w.saved(j, w.now)
	w.moveAway(j)
	w.timers.Set(w.jobSlot(j), Never)
}

// checkOut takes the tasks of a job that is done off their hosts, where they take room for a moment.
func (w *World) checkOut(j int) {
	t := &w.tenants[j]
	for k := range t.to {
		w.expect(guest{int32(j), int32(k)}, t.to[k], false)
		h := w.hostOf(t.on[k])
		if h == nil {
			continue
		}
		w.payHost(h)
		if wait := w.cfg.Sharing.Leave; wait > 0 {
			w.later(w.now.Add(wait), h.id, vacating)
			w.stir(h)
		} else {
			w.vacateTask(j, k)
		}
		t.on[k], t.to[k] = Nowhere, Nowhere
	}
}

// closeHosts shares out and books what the hosts have cost when the run ends.
func (w *World) closeHosts() {
	for k := range w.hosts {
		w.payHost(&w.hosts[k])
	}
	s := &w.jobs[w.landlord]
	for k := range s.held {
		w.pay(w.landlord, s.poolOf(k))
		w.charge(w.landlord, k)
	}
}
