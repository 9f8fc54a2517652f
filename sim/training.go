package sim

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// reset makes all jobs unsubmitted. Every job has columns of n pools from the start.
func (t *training) reset(specs []Job, open int, start Time) {
	n := len(specs)
	t.specs = specs
	t.activeJobs = t.activeJobs[:0]
	t.activeIDs = t.activeIDs[:0]
	t.over = 0
	t.dirtyJobs = extend(t.dirtyJobs, n)[:0]
	t.unfinished = n
	t.open = open
	t.jobs = extend(t.jobs, n)
	t.lostPlaces = extend(t.lostPlaces, n)
	t.gangs = t.gangs[:0]
	t.touched = t.touched[:0]
	t.to = Layout{}
	t.change = Change{} // of another policy's world, whose pools may be others
	t.allocate()
	for j := range t.jobs {
		t.prepare(j, j, start)
		_, isGang := specs[j].Model.(GangModel)
		if isGang && len(t.gangs) == j {
			t.gangs = append(t.gangs, gang{since: t.jobs[j].submit, started: Never, disbanded: Never})
		}
	}
	if len(t.gangs) < n {
		t.gangs = t.gangs[:0]
	}
	for j := range t.jobs {
		t.noteSaveTime(j)
	}
}

// allocate gives jobs memory for the columns that they have from the start: together, as thousands of jobs would
// else allocate six times each.
func (t *training) allocate() {
	lacking := 0
	for j := range t.jobs {
		if cap(t.jobs[j].held) < t.open {
			lacking++
		}
	}
	if lacking == 0 {
		return
	}
	total := lacking * t.open
	held := make([]holding, total)
	hold := make([]int, total)
	stateAt := make([]bool, total)
	workers := make([]int32, 3*total)
	for j := range t.jobs {
		job := &t.jobs[j]
		if cap(job.held) < t.open {
			job.held = carve(&held, t.open)
			job.hold = carve(&hold, t.open)
			job.stateAt = carve(&stateAt, t.open)
			job.next = carve(&workers, t.open)
			job.layout.Workers = carve(&workers, t.open)
			job.trained.Workers = carve(&workers, t.open)
		}
	}
}

// carve takes the first n elements off a list. Nobody who appends to them reaches the rest.
func carve[T any](list *[]T, n int) []T {
	first := (*list)[:n:n]
	*list = (*list)[n:]
	return first
}

// prepare makes the job of a slot an unsubmitted one, with its number in the run.
func (t *training) prepare(j, id int, start Time) {
	job := &t.jobs[j]
	job.reset()
	t.lostPlaces[j] = t.lostPlaces[j][:0]
	if t.open > 0 {
		job.openAll(t.open, start)
	} else {
		job.closeAll()
	}

	spec := &t.specs[j]
	job.id = id
	job.goal = spec.Model.Goal(spec.Objective.Loss)
	job.submit = start.Add(spec.Submit)
	job.servers = int32(spec.ParameterServers)
	job.serversSince = job.submit
	job.keep = int32(spec.Checkpoints.Keep)
	if spec.Belief == nil {
		job.elastic, _ = spec.Model.(ElasticModel)
	}
}

// reset makes it the state of a job of which nothing is known. Its memory outlives the run.
func (s *jobState) reset() {
	columns := s.columns
	layout := s.layout
	trained := s.trained
	*s = jobState{} // in place: with its fields it would be made elsewhere, and copied
	s.columns = columns
	s.layout.Workers = layout.Workers
	s.layout.Pools = layout.Pools
	s.trained.Workers = trained.Workers[:0]
	s.trained.Pools = trained.Pools[:0]

	s.chief = noChief
	s.finish = Never
	s.waitingSince = Never
	s.unmetSince = Never
	s.metAt = Never
	s.pendingAt = Never
	s.lastLoss = Never
}

// copyFrom makes t equal to src, reusing t's memory.
func (t *training) copyFrom(src *training) {
	old := *t
	*t = *src
	t.jobs = extend(old.jobs, len(src.jobs))
	for j := range src.jobs {
		t.jobs[j].copyFrom(&src.jobs[j])
	}
	t.dirtyJobs = append(extend(old.dirtyJobs, len(src.jobs))[:0], src.dirtyJobs...)
	t.activeIDs = append(old.activeIDs[:0], src.activeIDs...)
	t.activeJobs = append(old.activeJobs[:0], src.activeJobs...)
	t.gangs = append(old.gangs[:0], src.gangs...)
	t.touched = append(old.touched[:0], src.touched...)
	t.lostPlaces = extend(old.lostPlaces, len(src.lostPlaces))
	for j := range src.lostPlaces {
		t.lostPlaces[j] = append(t.lostPlaces[j][:0], src.lostPlaces[j]...)
	}
	t.want = old.want
	t.own = old.own
	t.to = Layout{}
	t.change = Change{}
	t.occupied = old.occupied
	t.order = old.order
	t.rank = old.rank
	t.turn = old.turn
}

// copyFrom makes s equal to src, with columns of its own.
func (s *jobState) copyFrom(src *jobState) {
	old := *s
	*s = *src
	s.layout = old.layout
	s.layout.copyFrom(&src.layout)
	s.trained = old.trained
	s.trained.copyFrom(&src.trained)
	s.columns = old.columns
	s.columns.copyFrom(&src.columns)
}

// columns is what a job has, and is to have, of pools: each list has an element for each of its columns.
//
// Where the policy plans by JobPlan.Hold, every job has a column of each pool from the start: the k-th is of pool k,
// and Layout.Pools is nil. Else Layout.Pools says of which pool each is; a column is opened when the plan wants
// something of its pool, and closed when nothing is left there: a job that waits has none. Layout.Workers has an
// element a column, too.
type columns struct {
	held    []holding
	hold    []int       // how many instances the plan in force wants, within the quota or not
	stateAt []bool      // whether the job's state is there
	next    []int32     // the workers of the next layout
	places  *poolPlaces // of the columns, where they are many
}

// copyFrom makes c equal to src, reusing c's memory.
func (c *columns) copyFrom(src *columns) {
	c.held = append(c.held[:0], src.held...)
	c.hold = append(c.hold[:0], src.hold...)
	c.stateAt = append(c.stateAt[:0], src.stateAt...)
	c.next = append(c.next[:0], src.next...)
	c.places = c.places.copyFrom(src.places)
}

// stop notes the layout in force of job j, which trained and is to be left for one that does not.
func (t *training) stop(j int) {
	job := &t.jobs[j]
	job.trained.copyFrom(&job.layout)
}

// activate adds job j, which is submitted now, to the active jobs.
func (t *training) activate(j int) {
	t.activeJobs = append(t.activeJobs, j)
	t.activeIDs = append(t.activeIDs, t.jobs[j].id)
}

// deactivate removes job j, which is done or lost, from the active jobs.
func (t *training) deactivate() {
	t.unfinished--
	t.over++
}

// active returns the jobs that are submitted and not done, in the order of their submission.
func (t *training) active() []int {
	if t.over > 0 {
		t.compact()
	}
	return t.activeJobs
}

// compact takes the jobs that are not active any more out of the list of active jobs.
//
//go:noinline
func (t *training) compact() {
	t.over = 0
	n := 0
	for k, j := range t.activeJobs {
		job := &t.jobs[j]
		if job.active() && job.id == t.activeIDs[k] { // its slot may have another job by now
			t.activeJobs[n] = j
			t.activeIDs[n] = job.id
			n++
		}
	}
	t.activeJobs = t.activeJobs[:n]
	t.activeIDs = t.activeIDs[:n]
}

// compactIfMany is compact where most of the list is over: nobody may ask for it.
func (t *training) compactIfMany() {
	if t.over > len(t.activeJobs)/2 {
		t.compact()
	}
}

// markDirty says that the instances of job j are others than those of its layout, perhaps.
func (t *training) markDirty(j int) {
	t.jobs[j].laidOut = false
	t.addDirty(j)
}

// touchGang notes that a gang has other instances than before: it may now have a part of what it needs.
func (t *training) touchGang(j int) {
	if len(t.gangs) > 0 && !t.gangs[j].touched { // here, where it costs no call
		t.addTouched(j)
	}
}

// addTouched has a gang looked at when the policy has decided (World.disbandParts).
func (t *training) addTouched(j int) {
	gang := &t.gangs[j]
	gang.touched = true
	gang.seen = false
	t.touched = append(t.touched, int32(j))
}

// fewest returns the number of instances without which a gang does not train.
func (t *training) fewest(j int) int32 {
	least, _ := RangeOf(t.specs[j].Model.(GangModel))
	return int32(least)
}

// holdsPart reports whether the job holds some of n instances, but not all: those under notice train until they go.
func (s *jobState) holdsPart(n int32) bool {
	all := s.starting + s.ready
	if all == 0 || all >= n {
		return false
	}
	for k := range s.held {
		if held := &s.held[k]; held.starting+held.ready > 0 {
			return true
		}
	}
	return false // what is left is under notice, and cannot be given back
}

// addDirty has a job looked at when jobs are laid out. There is memory for all of them.
func (t *training) addDirty(j int) {
	if job := &t.jobs[j]; !job.dirty {
		job.dirty = true
		n := len(t.dirtyJobs)
		t.dirtyJobs = t.dirtyJobs[:n+1]
		t.dirtyJobs[n] = int32(j)
	}
}

// believed returns the model of job j that the policy sees.
func (t *training) believed(j int) Model {
	if belief := t.specs[j].Belief; belief != nil {
		return belief
	}
	return t.specs[j].Model
}

// noteSaveTime asks the model for saveTime and persistTime: once a layout, not once a decision.
func (t *training) noteSaveTime(j int) {
	job := &t.jobs[j]
	job.saveTime, job.persistTime = t.believed(j).SaveTime(&job.layout)
}

// loss returns the training loss of job j at now, +Inf before training begins.
func (t *training) loss(j int, now Time) float64 {
	if !t.jobs[j].begun {
		return math.Inf(1)
	}
	return t.specs[j].Model.Loss(t.jobs[j].progress(now))
}

// savedLoss is loss at the last save of job j that is safe.
func (t *training) savedLoss(j int, now Time) float64 {
	job := &t.jobs[j]
	if !job.begun {
		return math.Inf(1)
	}
	job.secure(now)
	return t.specs[j].Model.Loss(job.saved.progress)
}

// done returns the share of its training that job j has done at now, in [0, 1].
func (t *training) done(j int, now Time) float64 {
	job := &t.jobs[j]
	if !job.begun {
		return 0
	}
	if job.goal <= job.first {
		return 1
	}
	return min(max((job.progress(now)-job.first)/(job.goal-job.first), 0), 1)
}

// staff adds n instances of a column to the next layout of a job, or takes them away.
func (s *jobState) staff(k int, by int32) {
	next := &s.next[k]
	now := s.layout.Workers[k]
	if *next == now {
		s.differ++
	}
	if *next += by; *next == now {
		s.differ--
	}
	s.workers += by
}

// longestWait returns since when the first of job j's requests has been waiting.
func (t *training) longestWait(j int) Time {
	since := Never
	job := &t.jobs[j]
	if job.waiting == 0 {
		return since
	}
	// None waits for longer than the one that was the first, and the last is granted last.
	for k := len(job.held) - 1; k >= 0 && since > job.waitingSince; k-- {
		since = min(since, job.held[k].waitingSince)
	}
	return since
}

// activeInstances returns how many instances of job j are not under notice.
func (t *training) activeInstances(j int) int32 {
	n := int32(0)
	held := t.jobs[j].held
	for k := range held {
		n += held[k].starting + held[k].ready
	}
	return n
}

// accountJob accounts for the time of job j's instances until now.
func (t *training) accountJob(j int, now Time) {
	if job := &t.jobs[j]; job.accountedUntil != now {
		job.account(now)
	}
}

// instanceTime returns for how long instances of job j were held until now.
func (t *training) instanceTime(j int, now Time) MachineTime {
	job := &t.jobs[j]
	held := job.base.useful + job.base.redundant + machineTime(job.starting+job.ready, now-job.accountedUntil)
	for _, a := range job.activities {
		held += a
	}
	return held
}

// saved ends the pause of a save of job j, which is safe after a time.
func (t *training) saved(j int, now Time, persist time.Duration) {
	job := &t.jobs[j]
	job.secure(now)
	job.pending = job.base
	job.pendingAt = now.Add(persist)
	job.savedAt = now
	job.secure(now)
}

// persisting reports whether the last save of job j is not safe yet.
func (t *training) persisting(j int, now Time) bool {
	job := &t.jobs[j]
	job.secure(now)
	return job.pendingAt != Never
}

// vacate adds the place of an instance, if it has one, to those that were lost.
func (t *training) vacate(inst *instance) {
	if inst.place != unplaced {
		t.loseAt(inst)
	}
}

func (t *training) loseAt(inst *instance) {
	j := int(inst.job)
	stages := t.jobs[j].placed.Stage
	hit := Place{inst.place / stages, inst.place % stages}
	at, _ := slices.BinarySearchFunc(t.lostPlaces[j], hit, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Pipeline, b.Pipeline), cmp.Compare(a.Stage, b.Stage))
	})
	t.lostPlaces[j] = slices.Insert(t.lostPlaces[j], at, hit)
}

// noticed reports whether instances of the job are under notice and still in its
// layout.
func (s *jobState) noticed() bool {
	for p := range s.held {
		if held := &s.held[p]; held.noticedReady > held.drained {
			return true
		}
	}
	return false
}

// allProgress returns all that is kept of the job in the unit of its model's progress, but for the goal.
func (s *jobState) allProgress() [6]*float64 {
	return [6]*float64{&s.first, &s.stepsFrom, &s.high, &s.base.progress, &s.saved.progress, &s.pending.progress}
}

// translate turns what has been reached from the unit of a model into that of another. That of gangs is work done, and
// stays.
func (s *jobState) translate(from, to Model) {
	_, isGang := from.(GangModel)
	if s.begun && !isGang {
		for _, progress := range s.allProgress() {
			*progress = min(to.Goal(from.Loss(*progress)), math.MaxFloat64)
		}
	}
	s.rate = to.Rate(&s.layout)
	s.last.Progress = s.rate.Progress
	s.last.Step = s.rate.Step
}

// poolOf returns the pool of a job's k-th column.
func (s *jobState) poolOf(k int) int {
	return s.layout.Pool(k)
}

// column returns the place of the job's column of pool p, below 0 if it has none.
func (s *jobState) column(p int) int {
	if s.layout.Pools == nil {
		return p
	}
	return s.find(p)
}

// find is kept out of column, which is everywhere.
//
//go:noinline
func (s *jobState) find(p int) int {
	if s.places.isOn() {
		return s.places.place(p)
	}
	for k, other := range s.layout.Pools {
		if int(other) == p {
			return k
		}
	}
	return -1
}

// nothing is what a job has in a pool of which it has no column.
var nothing = holding{waitingSince: Never}

// holding is what the job has in pool p. What is not there is not to be written.
func (s *jobState) holding(p int) *holding {
	if s.layout.Pools != nil {
		return s.columnOf(p)
	}
	return &s.held[p]
}

// columnOf is kept out of holding, which is everywhere.
//
//go:noinline
func (s *jobState) columnOf(p int) *holding {
	if k := s.find(p); k >= 0 {
		return &s.held[k]
	}
	return &nothing
}

// openColumn returns the place of the job's column of pool p, which it opens if there is none.
func (s *jobState) openColumn(p int, now Time) int {
	if k := s.column(p); k >= 0 {
		return k
	}
	s.layout.Pools = append(s.layout.Pools, int32(p))
	s.layout.Workers = append(s.layout.Workers, 0)
	s.next = append(s.next, 0)
	s.held = append(s.held, holding{waitingSince: Never, paid: now, first: noInstance})
	s.hold = append(s.hold, 0)
	s.stateAt = append(s.stateAt, false)
	k := len(s.held) - 1
	switch {
	case s.places.isOn():
		s.places.note(p, k)
	case k == longList:
		s.places = s.places.begin()
		for k, other := range s.layout.Pools {
			s.places.note(int(other), k)
		}
	}
	return k
}

// openAll gives a job an empty column of each of n pools.
func (s *jobState) openAll(pools int, now Time) {
	s.layout.Pools = nil
	s.places.end()
	s.held = resize(s.held, pools)
	s.hold = resize(s.hold, pools)
	s.stateAt = resize(s.stateAt, pools)
	s.layout.Workers = resize(s.layout.Workers, pools)
	s.next = resize(s.next, pools)
	for k := range s.held {
		s.held[k] = holding{waitingSince: Never, paid: now, first: noInstance}
	}
	clear(s.hold)
	clear(s.stateAt)
	clear(s.layout.Workers)
	clear(s.next)
}

// closeAll makes a job without columns, and keeps its memory.
func (s *jobState) closeAll() {
	s.layout.Pools = noPools(s.layout.Pools)
	s.layout.Workers = s.layout.Workers[:0]
	s.next = s.next[:0]
	s.held = s.held[:0]
	s.hold = s.hold[:0]
	s.stateAt = s.stateAt[:0]
	s.workers = 0
	s.differ = 0
	s.places.end()
}

// noPools is a list of no columns, in the memory of another; it is not nil, which would be all pools.
func noPools(memory []int32) []int32 {
	if memory == nil {
		memory = make([]int32, 0, 1)
	}
	return memory[:0]
}

// closeColumn takes out the k-th column, of which the job holds and wants nothing.
func (s *jobState) closeColumn(k int) {
	last := len(s.held) - 1
	if s.places.isOn() {
		s.places.note(int(s.layout.Pools[last]), k)
		s.places.at[s.layout.Pools[k]] = 0
	}
	s.layout.Pools[k] = s.layout.Pools[last]
	s.layout.Workers[k] = s.layout.Workers[last]
	s.next[k] = s.next[last]
	s.held[k] = s.held[last]
	s.hold[k] = s.hold[last]
	s.stateAt[k] = s.stateAt[last]
	s.layout.Pools = s.layout.Pools[:last]
	s.layout.Workers = s.layout.Workers[:last]
	s.next = s.next[:last]
	s.held = s.held[:last]
	s.hold = s.hold[:last]
	s.stateAt = s.stateAt[:last]
}

// link makes an instance, which is granted now, the first of its column, and unlink takes it out.
func (f *fleet) link(held *holding, i int32) {
	f.inst[i].next = held.first
	held.first = i
}

func (f *fleet) unlink(held *holding, i int32) {
	at := &held.first
	for *at != i {
		at = &f.inst[*at].next
	}
	*at = f.inst[i].next
}

// instancesOf lists the instances of job j, in no order. It is valid until the next call.
func (w *World) instancesOf(j int) []int32 {
	list := w.own[:0]
	for k := range w.jobs[j].held {
		for i := w.jobs[j].held[k].first; i != noInstance; i = w.inst[i].next {
			list = append(list, i)
		}
	}
	w.own = list
	return list
}

// bySlot is instancesOf in the order of their slots.
func (w *World) bySlot(j int) []int32 {
	list := w.instancesOf(j)
	if len(list) > 1 {
		slices.Sort(list)
	}
	return list
}

// newest returns the instance of a column that is released first: one that the plan names, then a starting one before
// a ready one, then the one granted last.
func (f *fleet) newest(held *holding) int32 {
	best := int32(noInstance)
	for i := held.first; i != noInstance; i = f.inst[i].next {
		inst := &f.inst[i]
		if !inst.announced && (best == noInstance || inst.beforeRelease(&f.inst[best])) {
			best = i
		}
	}
	return best
}

// oldestReady returns the oldest ready instance of job j, noChief if there is none: its
// chief (also master). In training with parameter servers it saves and coordinates;
// Model.Change says what its loss costs. A chief that the policy releases hands over to
// the next, and is not lost.
func (w *World) oldestReady(j int) int32 {
	oldest := int32(noChief)
	held := w.jobs[j].held
	for k := range held {
		if held[k].ready+held[k].noticedReady == 0 {
			continue
		}
		last := int32(noInstance) // of a column the oldest is the last
		for i := held[k].first; i != noInstance; i = w.inst[i].next {
			if w.inst[i].state == instanceReady {
				last = i
			}
		}
		if oldest == noChief || w.inst[last].older(&w.inst[oldest]) {
			oldest = last
		}
	}
	return oldest
}
