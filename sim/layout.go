package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// layOut lays the jobs out whose instances may be others than those of their layouts, in the order of their numbers.
func (w *World) layOut() {
	if len(w.dirtyJobs) > 0 { // here, where it costs no call
		w.layOutDirty()
	}
}

// layOutDirty is layOut where there is anything to lay out.
func (w *World) layOutDirty() {
	if len(w.dirtyJobs) > 1 {
		w.sortDirty()
	}
	left := 0
	for n := 0; n < len(w.dirtyJobs); n++ { // a job that is lost gives back, and is dirty already
		j := int(w.dirtyJobs[n])
		s := &w.jobs[j]
		if s.active() && s.workersChanged() && !w.stretch(j, s) {
			w.relayout(j, s)
		}
		if s.layout.Pools != nil && s.laidOut && s.active() {
			w.closeEmpty(j)
		}
		if s.dirty = !s.laidOut && s.active(); s.dirty {
			w.dirtyJobs[left] = int32(j)
			left++
		}
	}
	w.dirtyJobs = w.dirtyJobs[:left]
}

// sortDirty puts the dirty jobs in the order of their numbers.
func (t *training) sortDirty() {
	slices.SortFunc(t.dirtyJobs, func(a, b int32) int { return cmp.Compare(t.jobs[a].id, t.jobs[b].id) })
}

// workersChanged reports whether the job needs a new layout.
func (s *jobState) workersChanged() bool {
	return s.differ != 0 || !s.begun || s.lost > 0 || s.refill ||
		s.pipelines != s.layout.Pipelines || s.stages != s.layout.Stages || s.servers != s.layout.Servers
}

// stretch lays job j out on the workers in jobState.next, where that stops nothing: what relayout does, without what cannot be. It reports
// whether it could.
func (w *World) stretch(j int, s *jobState) bool {
	if s.elastic == nil || !s.begun || s.unserved || w.rigid(j, s) {
		return false
	}
	w.accountJob(j, w.now)
	s.settle(w.now)
	n, trained := int(s.workers), s.rate.Progress > 0
	if !s.elastic.RateInto(w.specs[j].Model, s.next, n, s.servers, &s.rate) {
		return false
	}
	s.rate.pace(w.cfg.Pace())
	s.rate.check()
	if s.rate.Progress == 0 {
		w.dropSave(j) // as in relayout
		if trained {
			w.stop(j)
		}
	} else {
		if s.outgrows(n) {
			w.changeTo(j)
			w.outgrow(j)
		}
		s.trainOn()
	}
	if s.chief == noChief {
		s.chief = w.oldestReady(j)
	}
	s.laidOut, s.laidAt, s.layout.Servers = true, w.now, s.servers
	copy(s.layout.Workers, s.next)
	s.differ = 0
	w.run(j)
	return true
}

// relayout changes the layout of job j to the workers in jobState.next.
func (w *World) relayout(j int, s *jobState) {
	w.accountJob(j, w.now)
	s.settle(w.now)
	change, cost, trained := w.changeTo(j), Pause{}, s.rate.Progress > 0
	if s.begun && !w.costless(j) {
		cost = w.specs[j].Model.Change(change) // here: a Pause returned twice is copied twice
		cost.check()
	}
	if cost.Failover {
		w.to.Holes = int32(len(w.lostPlaces[j]))
	}
	s.rate = w.specs[j].Model.Rate(&w.to)
	s.rate.pace(w.cfg.Pace())
	s.rate.check()
	switch {
	case cost.Fatal:
		w.finish(j, phaseLost)
		return
	case s.rate.Progress == 0:
		w.dropSave(j) // the change is paid for when training goes on, or the run ends (cut)
		if trained {
			w.stop(j)
		}
	default:
		if s.outgrows(w.to.Total()) {
			w.outgrow(j)
		}
		if cost.DropStep {
			s.dropStep(cost.DropShare)
		}
		if cost.NewStep {
			s.stepsFrom = s.base.progress
		}
		s.trainOn()
		if w.cfg.Moves != nil {
			w.addMoves(j, &cost)
		}
		if cost.USD > 0 {
			w.moves(j, cost.USD)
		}
		if len(w.failing) > 0 && change.Lost > 0 {
			cost.Stall += w.undetected(j, w.now)
		}
		w.pause(j, cost)
	}
	if s.chief == noChief {
		s.chief = w.oldestReady(j)
	}
	s.laidOut, s.laidAt = true, w.now
	copy(s.layout.Workers, s.next)
	s.differ = 0
	s.layout.Pipelines, s.layout.Stages, s.layout.Servers, s.layout.Holes = s.pipelines, s.stages, s.servers, w.to.Holes
	w.noteSaveTime(j)
	switch trains := s.rate.Progress > 0 && !cost.Failover; {
	case trains && s.stages > 0:
		w.place(j)
	case trains && s.placed != Place{}:
		w.unplace(j)
	}
	if !s.begun && s.rate.Progress > 0 {
		w.begin(j)
	}
	if len(w.gangs) > 0 {
		what := w.gangs[j].note(s, w.now, w.change.Lost > 0)
		if what == JobStopped {
			w.totals.Suspensions++
		}
		if what != JobSubmitted {
			w.tell(j, what)
		}
	}
	w.run(j)
}

// trainOn notes that the job trains at its new rate.
func (s *jobState) trainOn() {
	from, to := &s.rate, &s.last // field by field: a copy waits for what was just written
	to.Progress, to.Iterations, to.Samples = from.Progress, from.Iterations, from.Samples
	to.Working, to.Redundant, to.Step = from.Working, from.Redundant, from.Step
	to.Saving = from.Saving
	s.lost, s.stateLost, s.chiefLost, s.refill = 0, false, false, false
	s.unserved, s.vacated, s.released = s.servers == 0, false, false
}

// changeTo describes the change of job j's layout to w.to, on the workers in jobState.next.
func (w *World) changeTo(j int) *Change {
	s, to, c := &w.jobs[j], &w.to, &w.change
	to.Workers, to.Pipelines, to.Stages, to.Servers, to.Holes = s.next, s.pipelines, s.stages, s.servers, 0
	to.Pools = s.layout.Pools
	c.From, c.To, c.Lost, c.StateLost, c.ChiefLost = &s.layout, to, s.lost, s.stateLost, s.chiefLost
	c.Worked, c.Unserved, c.Vacated, c.Released = s.last.Working, s.unserved, s.vacated, s.released
	c.LostPlaces, c.Grid, c.Refill, c.Restart = w.lostPlaces[j], s.placed, s.refill, w.plan.Jobs[j].Restart
	return c
}

// costless reports whether the plan lets changes of job j cost nothing.
func (w *World) costless(j int) bool {
	if !w.plan.Jobs[j].Free {
		return false
	}
	if !w.traits.KnowsFuture {
		panic("sim: JobPlan.Free: only a policy that knows the future may set it")
	}
	return true
}

// planned returns the layout that the policy means job j to train on, with most
// workers if that is above 0: where training starts does not depend on which
// instances happen to boot first. If most is fewer than the policy asked for, those
// that are ready come first.
func (t *training) planned(j, largest int) *Layout {
	s, left := &t.jobs[j], int32(math.MaxInt32)
	held := s.held
	t.want = resize(t.want, len(held))
	want := t.want
	if largest > 0 {
		left = int32(largest)
	}
	for p := range want {
		want[p] = min(s.next[p], left)
		left -= want[p]
	}
	for p := range want {
		more := min(max(held[p].want-s.next[p], 0), left)
		want[p] += more
		left -= more
	}
	t.to = Layout{Workers: want, Pools: s.layout.Pools, Pipelines: s.pipelines, Stages: s.stages, Servers: s.servers}
	return &t.to
}

// outgrows reports whether n instances are more than the job was set up for.
func (s *jobState) outgrows(n int) bool { return s.begun && s.setUp > 0 && n > int(s.setUp) }

// outgrow takes back what job j gained by being set up for fewer instances than it now
// trains on, as if it had been set up for all that it asks for: to announce few and train
// on many is worth nothing, and one that comes before the others does not hide them.
func (t *training) outgrow(j int) {
	s, to := &t.jobs[j], t.to
	if ahead := s.first - t.specs[j].Model.Begin(t.planned(j, 0)); ahead > 0 {
		for _, x := range []*float64{&s.first, &s.stepsFrom, &s.high, &s.base.progress, &s.saved.progress, &s.pending.progress} {
			*x -= ahead
		}
	}
	s.setUp, t.to = 0, to
}

// pause stops job j for what a change costs. A change that costs nothing leaves a
// save under way alone.
func (w *World) pause(j int, p Pause) {
	s := &w.jobs[j]
	if p.Stall > 0 || p.Rollback {
		w.dropSave(j)
	}
	if p.Rollback {
		s.toSave(w.now)
		if s.pendingAt != Never {
			s.copies.drop(w.now)
		}
		s.pendingAt, s.savedAt = Never, w.now // there is nothing to save
	}
	if p.Stall <= 0 {
		return
	}
	end := w.now.Add(p.Stall)
	if s.phase == phaseStalled && s.pauseEnd >= end {
		return
	}
	s.phase, s.stalledAs, s.pauseEnd = phaseStalled, p.As, end
}

// dropSave abandons a save under way, and has the policy notified.
func (w *World) dropSave(j int) {
	if s := &w.jobs[j]; s.phase == phaseSaving {
		s.phase = phaseTraining
		s.copies.drop(w.now)
		w.trigger |= TriggerJob
	}
}

// setServers gives job j the number of parameter servers that the plan wants.
// They are on demand and ready at once; Model.Change says what the change costs.
func (w *World) setServers(j, n int) {
	if n < 0 {
		panic("sim: Plan: a negative number of parameter servers")
	}
	s := &w.jobs[j]
	if s.active() && int(s.servers) != n {
		s.serverUSD += w.serverCost(j)
		s.unserved = s.unserved || n == 0
		s.servers, s.serversSince = int32(n), w.now
		w.markDirty(j)
		w.supply = true
	}
}

// applyLayout takes over what the plan says of the layout, places and servers of job j.
func (w *World) applyLayout(j int) {
	p, s := &w.plan.Jobs[j], &w.jobs[j]
	if s.pipelines != int32(p.Pipelines) || s.stages != int32(p.Stages) {
		s.pipelines, s.stages = int32(p.Pipelines), int32(p.Stages)
		w.markDirty(j)
	}
	if p.Refill && s.layout.Holes > 0 {
		s.refill = true
		w.markDirty(j)
	}
	p.Refill = false
	if p.Drain && s.noticed() {
		w.drain(j)
	}
	w.setServers(j, p.Servers)
}

// closeEmpty closes the columns of job j of which it holds and wants nothing, and books what they have cost. Where moving
// costs something, a column says where the state is, and stays.
func (w *World) closeEmpty(j int) {
	s := &w.jobs[j]
	if w.cfg.Moves != nil && s.active() {
		return
	}
	for k := len(s.held) - 1; k >= 0; k-- {
		if h := &s.held[k]; h.want == 0 && h.alive() == 0 && s.layout.Workers[k] == 0 {
			w.charge(j, k)
			s.closeColumn(k)
		}
	}
}

// rigid reports whether a new layout of job j may need more than its rate.
func (w *World) rigid(j int, s *jobState) bool {
	return s.pipelines|s.stages|s.placed.Stage|s.layout.Pipelines|s.layout.Stages|s.layout.Holes != 0 ||
		w.plan.Jobs[j].Free || w.cfg.Moves != nil || len(w.gangs) > 0
}

// check panics if the model's progress or traffic is none.
func (r *Rate) check() {
	if !(r.Progress >= 0 && r.Progress <= math.MaxFloat64 && r.Traffic >= 0 && r.Traffic <= math.MaxFloat64) {
		panic("sim: Model.Rate: progress or traffic is negative or not finite")
	}
}

// check panics where a pause gives time or money back, or takes back more than there is: NaN included.
func (p *Pause) check() {
	if p.Stall < 0 || !(p.USD >= 0 && p.USD <= math.MaxFloat64) || !(p.DropShare >= 0 && p.DropShare <= 1) {
		panic(fmt.Sprintf("sim: Model.Change: a stall of %v, %v USD, %v of a step dropped, expected at least 0, and no more than 1 of a step",
			p.Stall, p.USD, p.DropShare))
	}
}

// pace makes a rate faster by a factor (Config.Speed).
func (r *Rate) pace(by float64) {
	r.Progress *= by
	r.Traffic *= by
}
