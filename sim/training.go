package sim

import (
	"cmp"
	"math"
	"slices"
)

// training is the jobs: what each holds of each pool, and how it trains.
type training struct {
	specs      []Job // shared, read only; of the slots, where jobs come from a Source
	jobs       []jobState
	activeJobs []int     // submitted and not done, ascending
	many       bool      // the world is a Scheduler's: jobs have columns (columns.go), not held, workers, plans and state
	activeIDs  []int     // numbers in the run of activeJobs, the same
	over       int       // jobs among activeJobs that are not active any more, the same
	unlaid     []int32   // active jobs whose layout in force is not that of their instances, the same
	unfinished int       // jobs that are not done, submitted or not
	width      int       // number of pools: the length of a job's part of held and workers
	held       []holding // by job and pool
	workers    []int32   // by job and pool: workers of the layout in force
	next       []int32   // of the layout to come; in the world of a Scheduler by column of the job that is laid out
	plans      []int     // by job and pool: JobPlan.Hold of the plan in force
	lostPlaces [][]Place // by job: places whose instances are gone
	state      []bool    // by job and pool: whether the job's state is there
	stopped    []int32   // by job and pool: workers of jobState.trained
	gangs      []gang    // by job, if all are gangs; else none

	// Scratch.
	want        []int32 // by pool
	own         []int32 // instances of a job
	to          Layout
	change      Change
	occupied    []bool
	order, rank []int32
}

// reset makes all jobs unsubmitted.
func (t *training) reset(specs []Job, pools int, start Time, many bool) {
	n := len(specs)
	t.specs, t.activeJobs, t.unfinished, t.width = specs, t.activeJobs[:0], n, pools
	t.many, t.over, t.unlaid, t.activeIDs = many, 0, t.unlaid[:0], t.activeIDs[:0]
	if many {
		pools = 0
	}
	t.jobs, t.held, t.workers = resize(t.jobs, n), resize(t.held, n*pools), resize(t.workers, n*pools)
	t.plans = resize(t.plans, n*pools)
	t.lostPlaces = resize(t.lostPlaces, n)
	t.gangs = t.gangs[:0]
	t.to, t.change = Layout{}, Change{} // of another policy's world, whose pools may be others
	t.next, t.want = resize(t.next, n*pools), resize(t.want, pools)
	t.state, t.stopped = resize(t.state, n*pools), resize(t.stopped, n*pools)
	clear(t.workers)
	clear(t.next)
	clear(t.state)
	clear(t.plans)
	for i := range t.held {
		t.held[i] = holding{waitingSince: Never, paid: start}
	}
	for j := range t.jobs {
		t.prepare(j, j, start)
		if _, is := specs[j].Model.(GangModel); is && len(t.gangs) == j {
			t.gangs = append(t.gangs, gang{since: t.jobs[j].submit, started: Never})
		}
	}
	if len(t.gangs) < n {
		t.gangs = t.gangs[:0]
	}
	t.bind()
	for j := range t.jobs {
		t.noteSaveTime(j)
	}
}

// prepare makes the job of a slot an unsubmitted one, with its number in the run.
func (t *training) prepare(j, id int, start Time) {
	spec, s := &t.specs[j], &t.jobs[j]
	layout, trained, held, hold, stateAt := s.layout, s.trained, s.held, s.hold, s.stateAt
	*s = jobState{} // in place: with its fields it would be made elsewhere, and copied
	s.id, s.goal, s.submit, s.finish = id, spec.Model.Goal(spec.Objective.Loss), start.Add(spec.Submit), Never
	s.waitingSince, s.pendingAt, s.lastLoss, s.chief = Never, Never, Never, noChief
	if spec.Belief == nil {
		s.elastic, _ = spec.Model.(ElasticModel)
	}
	s.servers, s.serversSince, s.keep = int32(spec.ParameterServers), s.submit, int32(spec.Checkpoints.Keep)
	t.lostPlaces[j] = t.lostPlaces[j][:0]
	if t.many {
		s.layout.Pools, s.layout.Workers, s.held, s.hold, s.stateAt = layout.Pools, layout.Workers, held, hold, stateAt
		s.trained.Pools, s.trained.Workers = trained.Pools[:0], trained.Workers[:0]
		s.empty()
	}
}

// copyFrom makes t equal to src, reusing t's memory.
func (t *training) copyFrom(src *training) {
	old := *t
	*t = *src
	if src.many {
		t.copyColumns(old.jobs, src.jobs)
	} else {
		t.jobs = append(old.jobs[:0], src.jobs...)
	}
	t.unlaid, t.activeIDs = append(old.unlaid[:0], src.unlaid...), append(old.activeIDs[:0], src.activeIDs...)
	t.activeJobs = append(old.activeJobs[:0], src.activeJobs...)
	t.held = append(old.held[:0], src.held...)
	t.workers = append(old.workers[:0], src.workers...)
	t.state = append(old.state[:0], src.state...)
	t.stopped = append(old.stopped[:0], src.stopped...)
	t.plans = append(old.plans[:0], src.plans...)
	t.gangs = append(old.gangs[:0], src.gangs...)
	t.lostPlaces = resize(old.lostPlaces, len(src.lostPlaces))
	for j := range src.lostPlaces {
		t.lostPlaces[j] = append(t.lostPlaces[j][:0], src.lostPlaces[j]...)
	}
	t.next, t.want, t.own = append(old.next[:0], src.next...), resize(old.want, len(src.want)), old.own
	t.to, t.change = Layout{}, Change{}
	t.occupied, t.order, t.rank = old.occupied, old.order, old.rank
	t.bind()
}

// bind points each job at its parts of held, workers, next and plans.
func (t *training) bind() {
	if t.many {
		return
	}
	n := t.width
	for j := range t.jobs {
		s := &t.jobs[j]
		s.layout.Workers = t.workers[j*n : (j+1)*n : (j+1)*n]
		s.next = t.next[j*n : (j+1)*n : (j+1)*n]
		s.held = t.held[j*n : (j+1)*n : (j+1)*n]
		s.hold = t.plans[j*n : (j+1)*n : (j+1)*n]
		s.stateAt = t.state[j*n : (j+1)*n : (j+1)*n]
		if s.trained.Workers != nil {
			s.trained.Workers = t.stopped[j*n : (j+1)*n : (j+1)*n]
		}
	}
}

// stop notes the layout in force of job j, which trained and is to be left for one that does not.
func (t *training) stop(j int) {
	s := &t.jobs[j]
	pools, workers := s.trained.Pools, s.trained.Workers
	if !t.many {
		workers = t.stopped[j*t.width : j*t.width : (j+1)*t.width]
	}
	s.trained = s.layout
	s.trained.Pools, s.trained.Workers = append(pools[:0], s.layout.Pools...), append(workers[:0], s.layout.Workers...)
}

// activate adds job j, which is submitted now, to the active jobs.
func (t *training) activate(j int) {
	if t.many {
		t.activeJobs, t.activeIDs = append(t.activeJobs, j), append(t.activeIDs, t.jobs[j].id)
		return
	}
	at, _ := slices.BinarySearch(t.activeJobs, j)
	t.activeJobs = slices.Insert(t.activeJobs, at, j)
}

// deactivate removes job j, which is done or lost, from the active jobs.
func (t *training) deactivate(j int) {
	t.unfinished--
	if t.many {
		if t.over++; t.over > len(t.activeJobs)/2 {
			t.compact()
		}
		return
	}
	at, _ := slices.BinarySearch(t.activeJobs, j)
	t.activeJobs = slices.Delete(t.activeJobs, at, at+1)
}

// holding is what job j has in pool p.
func (t *training) holding(j, p int) *holding {
	if t.many {
		return t.columnOf(j, p)
	}
	return &t.held[j*t.width+p]
}

// holdings is what job j has, by pool.
func (t *training) holdings(j int) []holding { return t.jobs[j].held }

// believed returns the model of job j that the policy sees.
func (t *training) believed(j int) Model {
	if m := t.specs[j].Belief; m != nil {
		return m
	}
	return t.specs[j].Model
}

// noteSaveTime asks the model for saveTime: once a layout, not once a decision.
func (t *training) noteSaveTime(j int) {
	s := &t.jobs[j]
	s.saveTime = t.believed(j).SaveTime(&s.layout)
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
	s := &t.jobs[j]
	if !s.begun {
		return math.Inf(1)
	}
	s.secure(now)
	return t.specs[j].Model.Loss(s.saved.progress)
}

// done returns the share of its training that job j has done at now, in [0, 1].
func (t *training) done(j int, now Time) float64 {
	s := &t.jobs[j]
	if !s.begun {
		return 0
	}
	if s.goal <= s.first {
		return 1
	}
	return min(max((s.progress(now)-s.first)/(s.goal-s.first), 0), 1)
}

// staff adds an instance of pool p to the next layout of a job, or takes one away.
func (s *jobState) staff(p, by int32) {
	next, now := &s.next[p], s.layout.Workers[p]
	if *next == now {
		s.differ++
	}
	if *next += by; *next == now {
		s.differ--
	}
	s.workers += by
}

// addUp does for all columns of a job what staff does for a change.
func (t *training) addUp(s *jobState) {
	s.next, s.workers, s.differ = t.next[:len(s.held)], 0, 0
	for k := range s.held {
		h := &s.held[k]
		n := h.ready + h.noticedReady - h.drained
		s.next[k] = n
		s.workers += n
		s.differ |= n ^ s.layout.Workers[k]
	}
}

// longestWait returns since when the first of job j's requests has been waiting.
func (t *training) longestWait(j int) Time {
	since := Never
	if t.jobs[j].waiting == 0 {
		return since
	}
	held := t.holdings(j)
	for p := range held {
		since = min(since, held[p].waitingSince)
	}
	return since
}

// activeInstances returns how many instances of job j are not under notice.
func (t *training) activeInstances(j int) int32 {
	n := int32(0)
	held := t.holdings(j)
	for p := range held {
		n += held[p].starting + held[p].ready
	}
	return n
}

// accountJob accounts for the time of job j's instances until now.
func (t *training) accountJob(j int, now Time) {
	if s := &t.jobs[j]; s.accountedUntil != now {
		s.account(now)
	}
}

// instanceTime returns for how long instances of job j were held until now.
func (t *training) instanceTime(j int, now Time) MachineTime {
	s := &t.jobs[j]
	held := s.base.useful + s.base.redundant + machineTime(s.starting+s.ready, now-s.accountedUntil)
	for _, a := range s.activities {
		held += a
	}
	return held
}

// saved ends a save of job j. It is safe at once or, with a Persister, later.
func (t *training) saved(j int, now Time) {
	s := &t.jobs[j]
	s.secure(now)
	s.pending, s.pendingAt, s.savedAt = s.base, now, now
	if m, ok := t.specs[j].Model.(Persister); ok {
		s.pendingAt = now.Add(m.PersistTime(&s.layout))
	}
	s.secure(now)
}

// persisting reports whether the last save of job j is not safe yet.
func (t *training) persisting(j int, now Time) bool {
	s := &t.jobs[j]
	s.secure(now)
	return s.pendingAt != Never
}

// vacate adds the place of an instance, if it has one, to those that were lost.
func (t *training) vacate(x *instance) {
	if x.place != unplaced {
		t.loseAt(x)
	}
}

func (t *training) loseAt(x *instance) {
	j := int(x.job)
	stages := t.jobs[j].placed.Stage
	hit := Place{x.place / stages, x.place % stages}
	at, _ := slices.BinarySearchFunc(t.lostPlaces[j], hit, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Pipeline, b.Pipeline), cmp.Compare(a.Stage, b.Stage))
	})
	t.lostPlaces[j] = slices.Insert(t.lostPlaces[j], at, hit)
}

// noticed reports whether instances of the job are under notice and still in its
// layout.
func (s *jobState) noticed() bool {
	for p := range s.held {
		if h := &s.held[p]; h.noticedReady > h.drained {
			return true
		}
	}
	return false
}
