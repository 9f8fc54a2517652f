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
		job := &w.jobs[j]
		if job.active() && job.workersChanged() && !w.stretch(j, job) {
			w.relayout(j, job)
		}
		if job.layout.Pools != nil && job.laidOut && job.active() {
			w.closeEmpty(j)
		}
		job.dirty = !job.laidOut && job.active()
		if job.dirty {
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

// stretch lays job j out on the workers in jobState.next, where that stops nothing: what relayout does, without what
// cannot be. It reports whether it could.
func (w *World) stretch(j int, job *jobState) bool {
	if job.elastic == nil || !job.begun || job.unserved || w.rigid(j, job) {
		return false
	}
	w.accountJob(j, w.now)
	job.settle(w.now)
	workers := int(job.workers)
	trained := job.rate.Progress > 0
	if !job.elastic.RateInto(w.specs[j].Model, job.next, workers, job.servers, &job.rate) {
		return false
	}
	job.rate.pace(w.cfg.Pace())
	job.rate.check()
	if job.rate.Progress == 0 {
		w.dropSave(j) // as in relayout
		if trained {
			w.stop(j)
		}
	} else {
		if job.outgrows(workers) {
			w.changeTo(j)
			w.outgrow(j)
		}
		job.trainOn()
	}
	w.putInForce(j)
	job.layout.Servers = job.servers
	if w.slow.on() {
		w.slowDown(j)
	}
	w.run(j)
	return true
}

// relayout changes the layout of job j to the workers in jobState.next.
func (w *World) relayout(j int, job *jobState) {
	w.accountJob(j, w.now)
	job.settle(w.now)
	trained := job.rate.Progress > 0
	change := w.changeTo(j)
	cost := Pause{}
	if job.begun && !w.costless(j) {
		cost = w.specs[j].Model.Change(change) // here: a Pause returned twice is copied twice
		cost.check()
	}
	if cost.Failover {
		w.to.Holes = int32(len(w.lostPlaces[j]))
	}
	job.rate = w.specs[j].Model.Rate(&w.to)
	job.rate.pace(w.cfg.Pace())
	job.rate.check()
	switch {
	case cost.Fatal:
		w.finish(j, phaseLost)
		return
	case job.rate.Progress == 0:
		w.dropSave(j) // the change is paid for when training goes on, or the run ends (cut)
		if trained {
			w.stop(j)
		}
	default:
		w.payChange(j, &cost)
	}
	w.putInForce(j)
	job.layout.Pipelines = job.pipelines
	job.layout.Stages = job.stages
	job.layout.Servers = job.servers
	job.layout.Holes = w.to.Holes
	w.noteSaveTime(j)
	if job.rate.Progress > 0 && !cost.Failover {
		if job.stages > 0 {
			w.place(j)
		} else if job.placed != (Place{}) {
			w.unplace(j)
		}
	}
	if !job.begun && job.rate.Progress > 0 {
		w.begin(j)
	}
	if len(w.gangs) > 0 {
		w.noteGang(j)
	}
	if w.slow.on() {
		w.slowDown(j)
	}
	w.run(j)
}

// payChange has job j, which trains at its new rate, pay for the change of its layout: with progress, money and time.
func (w *World) payChange(j int, cost *Pause) {
	job := &w.jobs[j]
	if job.outgrows(w.to.Total()) {
		w.outgrow(j)
	}
	if cost.DropStep {
		job.dropStep(cost.DropShare)
	}
	if cost.NewStep {
		job.stepsFrom = job.base.progress
	}
	job.trainOn()
	if w.cfg.Moves != nil {
		w.addMoves(j, cost)
	}
	if cost.USD > 0 {
		w.moves(j, cost.USD)
	}
	if len(w.failing) > 0 && w.change.Lost > 0 {
		w.addDetection(j, cost)
	}
	w.pause(j, *cost)
}

// addDetection has the change of job j take longer by the time until its failure is seen. A job that failed before it
// ever trained has nothing to restore: without an activity of its own that time would count as useful.
func (w *World) addDetection(j int, cost *Pause) {
	late := w.undetected(j, w.now)
	if late > 0 && cost.Stall <= 0 {
		cost.As = Restoring
	}
	cost.Stall += late
}

// putInForce makes the workers in jobState.next those of the layout in force.
func (w *World) putInForce(j int) {
	job := &w.jobs[j]
	if job.chief == noChief {
		job.chief = w.oldestReady(j)
	}
	job.laidOut = true
	job.laidAt = w.now
	copy(job.layout.Workers, job.next)
	job.differ = 0
}

// noteGang counts what became of job j, a gang that was laid out, and tells who listens.
func (w *World) noteGang(j int) {
	what := w.gangs[j].note(&w.jobs[j], w.now, w.change.Lost > 0)
	if what == JobStopped {
		w.totals.Suspensions++
	}
	if what != JobSubmitted {
		w.tell(j, what)
	}
}

// trainOn notes that the job trains at its new rate.
func (s *jobState) trainOn() {
	from := &s.rate
	to := &s.last
	// Field by field: a copy waits for what was just written.
	to.Progress = from.Progress
	to.Iterations = from.Iterations
	to.Samples = from.Samples
	to.Working = from.Working
	to.Redundant = from.Redundant
	to.Step = from.Step
	to.Saving = from.Saving
	to.Slowed = from.Slowed

	s.lost = 0
	s.stateLost = false
	s.chiefLost = false
	s.refill = false
	s.unserved = s.servers == 0
	s.vacated = false
	s.released = false
}

// changeTo describes the change of job j's layout to w.to, on the workers in jobState.next.
func (w *World) changeTo(j int) *Change {
	job := &w.jobs[j]
	to := &w.to
	change := &w.change
	to.Workers = job.next
	to.Pipelines = job.pipelines
	to.Stages = job.stages
	to.Servers = job.servers
	to.Holes = 0
	to.Pools = job.layout.Pools

	change.From = &job.layout
	change.To = to
	change.Lost = job.lost
	change.StateLost = job.stateLost
	change.ChiefLost = job.chiefLost
	change.Worked = job.last.Working
	change.Unserved = job.unserved
	change.Vacated = job.vacated
	change.Released = job.released
	change.LostPlaces = w.lostPlaces[j]
	change.Grid = job.placed
	change.Refill = job.refill
	change.Restart = w.plan.Jobs[j].Restart
	return change
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

// planned returns the layout that the policy means job j to train on, with at most
// largest workers if that is above 0: where training starts does not depend on which
// instances happen to boot first. If largest is fewer than the policy asked for, those
// that are ready come first.
func (t *training) planned(j, largest int) *Layout {
	job := &t.jobs[j]
	t.want = resize(t.want, len(job.held))
	want := t.want
	left := int32(math.MaxInt32)
	if largest > 0 {
		left = int32(largest)
	}
	for k := range want {
		want[k] = min(job.next[k], left)
		left -= want[k]
	}
	for k := range want {
		more := min(max(job.held[k].want-job.next[k], 0), left)
		want[k] += more
		left -= more
	}
	t.to = Layout{
		Workers: want, Pools: job.layout.Pools, Pipelines: job.pipelines, Stages: job.stages, Servers: job.servers,
	}
	return &t.to
}

// outgrows reports whether n instances are more than the job was set up for.
func (s *jobState) outgrows(n int) bool { return s.begun && s.setUp > 0 && n > int(s.setUp) }

// outgrow takes back what job j gained by being set up for fewer instances than it now
// trains on, as if it had been set up for all that it asks for: to announce few and train
// on many is worth nothing, and one that comes before the others does not hide them.
func (t *training) outgrow(j int) {
	job := &t.jobs[j]
	to := t.to
	ahead := job.first - t.specs[j].Model.Begin(t.planned(j, 0))
	if ahead > 0 {
		for _, progress := range job.allProgress() {
			*progress -= ahead
		}
	}
	job.setUp = 0
	t.to = to // planned wrote over it
}

// pause stops job j for what a change costs. A change that costs nothing leaves a
// save under way alone.
func (w *World) pause(j int, cost Pause) {
	job := &w.jobs[j]
	if cost.Stall > 0 || cost.Rollback {
		w.dropSave(j)
	}
	if cost.Rollback {
		job.toSave(w.now)
		if job.pendingAt != Never {
			job.copies.drop(w.now)
		}
		job.pendingAt = Never
		job.savedAt = w.now // there is nothing to save
	}
	if cost.Stall <= 0 {
		return
	}
	end := w.now.Add(cost.Stall)
	if job.phase == phaseStalled && job.pauseEnd >= end {
		return
	}
	job.phase = phaseStalled
	job.stalledAs = cost.As
	job.pauseEnd = end
}

// dropSave abandons a save under way, and has the policy notified.
func (w *World) dropSave(j int) {
	if job := &w.jobs[j]; job.phase == phaseSaving {
		job.phase = phaseTraining
		job.copies.drop(w.now)
		w.trigger |= TriggerJob
	}
}

// setServers gives job j the number of parameter servers that the plan wants.
// They are on demand and ready at once; Model.Change says what the change costs.
func (w *World) setServers(j, n int) {
	if n < 0 {
		panic("sim: Plan: a negative number of parameter servers")
	}
	job := &w.jobs[j]
	if job.active() && int(job.servers) != n {
		job.serverUSD += w.serverCost(j)
		job.unserved = job.unserved || n == 0
		job.servers = int32(n)
		job.serversSince = w.now
		w.markDirty(j)
		w.supply = true
	}
}

// applyLayout takes over what the plan says of the layout, places and servers of job j.
func (w *World) applyLayout(j int) {
	plan := &w.plan.Jobs[j]
	job := &w.jobs[j]
	if job.pipelines != int32(plan.Pipelines) || job.stages != int32(plan.Stages) {
		job.pipelines = int32(plan.Pipelines)
		job.stages = int32(plan.Stages)
		w.markDirty(j)
	}
	if plan.Refill && job.layout.Holes > 0 {
		job.refill = true
		w.markDirty(j)
	}
	plan.Refill = false
	if plan.Drain && job.noticed() {
		w.drain(j)
	}
	w.setServers(j, plan.Servers)
}

// closeEmpty closes the columns of job j of which it holds and wants nothing, and books what they have cost. Where
// moving costs something, a column says where the state is, and stays.
func (w *World) closeEmpty(j int) {
	job := &w.jobs[j]
	if w.cfg.Moves != nil && job.active() {
		return
	}
	for k := len(job.held) - 1; k >= 0; k-- {
		held := &job.held[k]
		if held.want == 0 && held.alive() == 0 && job.layout.Workers[k] == 0 {
			w.charge(j, k)
			job.closeColumn(k)
		}
	}
}

// rigid reports whether a new layout of job j may need more than its rate.
func (w *World) rigid(j int, job *jobState) bool {
	return job.pipelines|job.stages|job.placed.Stage|job.layout.Pipelines|job.layout.Stages|job.layout.Holes != 0 ||
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
		panic(fmt.Sprintf("sim: Model.Change: a stall of %v, %v USD, %v of a step dropped, "+
			"expected at least 0, and no more than 1 of a step", p.Stall, p.USD, p.DropShare))
	}
}

// pace makes a rate faster by a factor (Config.Speed).
func (r *Rate) pace(by float64) {
	r.Progress *= by
	r.Traffic *= by
}
