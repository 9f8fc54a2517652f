package schedulers

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Limits are the service, in seconds (times GPUs, unless LAS.TimeOnly), at which a job leaves the
// first and the second queue.
type Limits struct {
	First  float64 `set:"first_limit" min:"0" max:"1000000000" doc:"service at which a job leaves the first queue: GPU-seconds, of las seconds"`
	Second float64 `set:"second_limit" min:"0" max:"1000000000" doc:"service at which a job leaves the second queue: GPU-seconds, of las seconds"`
}

// limit is the service at which a job leaves a queue, which is not the last.
func (l *Limits) limit(queue int) float64 {
	if queue == 0 {
		return l.First
	}
	return l.Second
}

// LAS is the discretised least attained service of Tiresias (NSDI 2019; SymbioticLab/Tiresias
// at 959f9b0): jobs begin in the first of three queues, and move to the next when the service that
// they received reaches a limit. Queues are served in their order, first come first served within
// one; GPUs of others are taken for it. No job's length is known.
type LAS struct {
	Limits
	// TimeOnly counts seconds, whatever the number of GPUs.
	TimeOnly bool
	// Promote moves a job that has waited longer than this factor times its run time back to the
	// first queue, as if it were new; 0: never.
	Promote float64 `set:"promote" min:"0" max:"1000000" doc:"moves a job that has waited longer than this factor times its run time back to the first queue; 0: never"`
	// Placement is Anywhere or Closest.
	Placement Placement `set:"placement" names:"anywhere,closest" doc:"which of the free GPUs a job gets: anywhere, or closest (as close together as they are: one server, one rack, and so on)"`
	// Gittins orders the jobs of a queue by their Gittins index, nil by when they came to it.
	Gittins *Gittins
	// AsReleased checks at the wrong time whether a job reaches a limit, as the public code does:
	// after (limit - seconds)/GPUs instead of limit/GPUs - seconds; and a job moves on one
	// queue at a time.
	AsReleased bool `set:"as_released" doc:"keeps two slips of the public code: when it checks which jobs are at a limit, and one queue at a time"`
}

// DefaultLimits are the limits of Tiresias's simulator, GPU-seconds.
var DefaultLimits = Limits{3250, 7200}

// Name implements sim.Policy.
func (l *LAS) Name() string {
	if l.Gittins != nil {
		return "tiresias-gittins"
	}
	if l.TimeOnly {
		return "las"
	}
	return "tiresias"
}

// Traits says what the policy is.
func (*LAS) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true}
}

// RentsOnDemand says that it takes nothing on demand.
func (*LAS) RentsOnDemand() bool { return false }

// NewState implements sim.Stateful.
func (*LAS) NewState(from, used any) any {
	if was, ok := from.(*lasState); ok {
		return was.clone()
	}
	if s, own := used.(*lasState); own {
		s.empty()
		return s
	}
	return &lasState{}
}

// Decide implements sim.Policy.
func (l *LAS) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*lasState)
	l.takeChanges(v, plan, s)
	s.gpus.watch(v, plan, l.Placement, func(j int) {
		s.unlink(j)
		l.stop(v, plan, s, j)
		s.queues[s.jobs[j].queue].wait.push(j, s.jobs[j].of, true)
	})
	l.moveJobs(v, s)
	if l.Gittins != nil {
		l.serveRanked(v, plan, s)
	} else {
		l.serve(v, plan, s)
	}
	l.wake(v, plan, s)
	if plan.Recorded() {
		sayFirst(v, plan, "jobs that have received less service")
	}
}

// takeChanges takes jobs that are done out of the queues, and puts new ones into the first.
func (l *LAS) takeChanges(v sim.View, plan *sim.Plan, s *lasState) {
	if len(s.gpus.free) == 0 {
		s.gpus.setUp(v)
		for q := range s.queues {
			s.queues[q].first = none
			s.queues[q].last = none
		}
	}
	for _, change := range v.JobChanges() {
		j := change.Job
		switch change.What {
		case sim.JobSubmitted:
			for len(s.jobs) <= j {
				s.jobs = append(s.jobs, lasJob{})
			}
			l.enqueue(v, plan, s, j)
		case sim.JobFinished, sim.JobLost:
			s.gpus.freeAll(plan, j)
			job := &s.jobs[j]
			if job.runs {
				s.unlink(j)
			} else {
				s.queues[job.queue].wait.remove(j)
			}
			job.stamp++
		}
	}
}

// enqueue puts a job at the end of the queue of what it has received: the first, but on a cluster that was taken over,
// where it may run.
func (l *LAS) enqueue(v sim.View, plan *sim.Plan, s *lasState, j int) {
	job := &s.jobs[j]
	*job = lasJob{
		id:       v.Job(j).ID(),
		of:       s.gpus.meet(v, plan, j, Anywhere),
		stamp:    job.stamp,
		since:    v.Now(),
		executed: sim.Time(0).Add(v.Job(j).Ran()),
		runs:     plan.Held(j) > 0,
	}
	for job.executed > 0 && job.queue < lasQueues-1 && l.limitAt(job) <= v.Now() {
		job.queue++
	}
	if job.runs {
		s.link(j)
	} else {
		s.queues[job.queue].wait.push(j, job.of, false)
	}
	l.awaitMove(s, j)
}

// serve gives out the GPUs to the queues in their order.
func (l *LAS) serve(v sim.View, plan *sim.Plan, s *lasState) {
	s.chooseJobs(plan)
	if l.stopAndStart(v, plan, s) && len(s.gpus.parts) > 1 && v.Trigger()&sim.TriggerAgain == 0 {
		plan.AskAgain() // what was stopped may run on another model
	}
}

// serveRanked gives out the GPUs where the jobs of a queue are in the order of their Gittins index. It changes as jobs
// run, so that every active job is ranked anew.
func (l *LAS) serveRanked(v sim.View, plan *sim.Plan, s *lasState) {
	for q := range s.queues {
		s.queues[q].linkCame(s)
		s.ranked[q] = s.ranked[q][:0]
	}
	for _, j := range v.ActiveJobs() {
		job := &s.jobs[j]
		job.rank = l.Gittins.Index(l.service(v, job))
		s.ranked[job.queue] = append(s.ranked[job.queue], j)
	}
	for q := range s.ranked {
		slices.SortFunc(s.ranked[q], func(a, b int) int {
			return cmp.Or(cmp.Compare(s.jobs[b].rank, s.jobs[a].rank), cmp.Compare(s.jobs[a].id, s.jobs[b].id))
		})
	}
	s.gpus.run(v, plan, l.Placement, s.ranked[:]...)
	for _, j := range v.ActiveJobs() {
		job := &s.jobs[j]
		wait := &s.queues[job.queue].wait
		holds := plan.Held(j) > 0
		if job.runs && !holds {
			s.unlink(j)
			l.noteStop(v, s, j)
			wait.push(j, job.of, false)
		} else if holds && !job.runs {
			wait.remove(j)
			l.noteStart(v, s, j)
		}
	}
}

// service is what counts against the limits.
func (l *LAS) service(v sim.View, job *lasJob) float64 {
	executed := job.executed
	if job.runs {
		executed += v.Now() - job.since
	}
	if l.TimeOnly {
		return executed.Seconds()
	}
	return executed.Seconds() * float64(job.of.gang)
}

// moveJobs puts jobs into other queues, in the order of their submission: those that have reached a limit, and those
// that have waited too long.
func (l *LAS) moveJobs(v sim.View, s *lasState) {
	s.moved = s.moved[:0]
	for len(s.limits) > 0 && s.limits[0].at <= v.Now() {
		next := s.limits.pop()
		if s.jobs[next.job].stamp == next.stamp {
			s.moved = append(s.moved, next.job)
		}
	}
	slices.SortFunc(s.moved, func(a, b int) int { return cmp.Compare(s.jobs[a].id, s.jobs[b].id) })
	for _, j := range s.moved {
		job := &s.jobs[j]
		if !job.runs { // it is promoted
			s.queues[job.queue].wait.remove(j)
			job.queue = 0
			job.executed = 0
			job.waited = 0
			s.queues[0].wait.push(j, job.of, false)
			continue
		}
		s.unlink(j)
		job.queue++
		for job.queue < lasQueues-1 && l.limitAt(job) <= v.Now() && !l.AsReleased {
			job.queue++
		}
		s.queues[job.queue].came = append(s.queues[job.queue].came, j)
		l.awaitMove(s, j)
	}
}

// limitAt returns when a job that runs reaches the limit of its queue.
func (l *LAS) limitAt(job *lasJob) sim.Time {
	gpus := float64(job.of.gang)
	if l.TimeOnly {
		gpus = 1
	}
	service := time.Duration(math.Ceil(l.limit(job.queue)/gpus*1e6)) * time.Microsecond
	return job.since.Add(service - job.executed.Sub(0))
}

// isPromoted reports whether a job that waits is to be moved to the first queue at some time.
func (l *LAS) isPromoted(job *lasJob) bool {
	return !job.runs && l.Promote > 0 && job.queue > 0 && job.executed > 0
}

// awaitMove notes when a job is to move to another queue: one that runs at its limit, one that waits when it is
// promoted.
func (l *LAS) awaitMove(s *lasState, j int) {
	job := &s.jobs[j]
	job.stamp++
	if job.runs && job.queue < lasQueues-1 {
		s.limits.push(limit{l.limitAt(job), j, job.stamp})
	} else if l.isPromoted(job) {
		wait := time.Duration(math.Min(math.Trunc(job.executed.Seconds()*l.Promote), maxWait)) * time.Second
		s.limits.push(limit{job.since.Add(wait - job.waited.Sub(0)), j, job.stamp})
	}
}

// maxWait is a wait, in seconds, that no run is long enough for.
const maxWait = 1e9

// wake asks for a decision when the next job is to move.
func (l *LAS) wake(v sim.View, plan *sim.Plan, s *lasState) {
	next := s.nextLimit()
	in := time.Duration(0)
	if l.AsReleased && !l.TimeOnly {
		in = l.nextAsReleased(v, s)
	} else if next != sim.Never {
		in = next.Sub(v.Now())
		if !l.TimeOnly {
			in = (in + time.Second - 1).Truncate(time.Second)
		}
	}
	if in > 0 {
		plan.WakeIn(in)
	}
}

// nextAsReleased is in how long the public code expects the next job to move, 0 for none.
func (l *LAS) nextAsReleased(v sim.View, s *lasState) time.Duration {
	next := math.Inf(1)
	for _, j := range v.ActiveJobs() {
		job := &s.jobs[j]
		since := v.Now() - job.since
		if job.runs && job.queue < lasQueues-1 {
			executed := (job.executed + since).Seconds()
			next = min(next, math.Ceil((l.limit(job.queue)-executed)/float64(job.of.gang)))
		} else if l.isPromoted(job) {
			waited := (job.waited + since).Seconds()
			left := math.Trunc(job.executed.Seconds()*l.Promote - waited)
			if left > 0 {
				next = min(next, left)
			}
		}
	}
	if math.IsInf(next, 1) {
		return 0
	}
	return time.Duration(next) * time.Second
}

// stopAndStart stops and starts the jobs that were chosen. In a queue, those that run come before those that wait:
// first those that ran, then those that start, then those that came; and those that are stopped wait before the
// others, but for those that came. It reports whether any job was stopped.
func (l *LAS) stopAndStart(v sim.View, plan *sim.Plan, s *lasState) (stopped bool) {
	for q := range s.queues {
		queue := &s.queues[q]
		stopped = stopped || len(queue.stop)+len(queue.late) > 0
		for _, j := range queue.stop {
			s.unlink(j)
			l.stop(v, plan, s, j)
		}
		for _, j := range slices.Backward(queue.stop) {
			queue.wait.push(j, s.jobs[j].of, true)
		}
		for _, j := range queue.late {
			l.stop(v, plan, s, j)
			queue.wait.push(j, s.jobs[j].of, false)
		}
	}
	started := 0
	for q := range s.queues {
		queue := &s.queues[q]
		for _, j := range queue.start {
			s.gpus.placeReserved(plan, j, started, s.jobs[j].of.gang, l.Placement)
			l.noteStart(v, s, j)
			started++
		}
		queue.linkCame(s)
	}
	return stopped
}

// noteStart notes that a job runs from now on, as the last of its queue.
func (l *LAS) noteStart(v sim.View, s *lasState, j int) {
	job := &s.jobs[j]
	if job.executed > 0 {
		job.waited += v.Now() - job.since
	}
	job.runs = true
	job.since = v.Now()
	s.link(j)
	l.awaitMove(s, j)
}

// stop takes the GPUs of a job.
func (l *LAS) stop(v sim.View, plan *sim.Plan, s *lasState, j int) {
	l.noteStop(v, s, j)
	s.gpus.stop(plan, j)
}

// noteStop notes that a job waits from now on.
func (l *LAS) noteStop(v sim.View, s *lasState, j int) {
	job := &s.jobs[j]
	job.runs = false
	job.executed += v.Now() - job.since
	job.since = v.Now()
	l.awaitMove(s, j)
}

// lasQueues is the number of queues: the limits of Tiresias's simulator have a third, of a fourth queue that it does
// not have.
const lasQueues = 3

// lasState is what LAS remembers: who runs, who waits, and when the next job is to move to another queue. Where what
// a queue does follows from its order, a decision costs what the jobs do that it starts or stops.
type lasState struct {
	gpus   gpus
	jobs   []lasJob
	queues [lasQueues]lasQueue
	limits limitHeap
	moved  []int            // scratch: jobs that move now
	ranked [lasQueues][]int // scratch: jobs by queue and Gittins index
}

// lasJob is a job in a queue.
type lasJob struct {
	id         int
	of         kind
	queue      int
	runs       bool
	since      sim.Time // it runs, or waits
	executed   sim.Time // before that, since it was last in the first queue as if it were new
	waited     sim.Time // before that, since it ran first or was promoted
	next, prev int      // jobs of the queue that run, in order
	stamp      int      // of its place among the limits
	rank       float64  // Gittins index
}

// lasQueue is a queue: jobs that run, then jobs that wait, then those that come to it now, which run.
type lasQueue struct {
	first, last int // that run
	gpus        int // of these
	wait        line
	came        []int
	start       []int // scratch: jobs of wait that are to start
	stop, late  []int // scratch: jobs that ran here, or came, and are to wait
}

func (s *lasState) clone() *lasState {
	c := &lasState{
		gpus:   s.gpus.clone(),
		jobs:   slices.Clone(s.jobs),
		limits: slices.Clone(s.limits),
	}
	for q := range s.queues {
		from := &s.queues[q]
		c.queues[q] = lasQueue{first: from.first, last: from.last, gpus: from.gpus, wait: from.wait.clone()}
	}
	return c
}

// empty makes it what it is at first, in the memory that it has.
func (s *lasState) empty() {
	before := *s
	*s = lasState{
		gpus:   before.gpus.empty(),
		jobs:   before.jobs[:0],
		limits: before.limits[:0],
		moved:  before.moved[:0],
	}
	for q := range s.queues {
		from := &before.queues[q]
		s.queues[q] = lasQueue{
			wait:  from.wait.empty(),
			came:  from.came[:0],
			start: from.start[:0],
			stop:  from.stop[:0],
			late:  from.late[:0],
		}
		s.ranked[q] = before.ranked[q][:0]
	}
}

// chooseJobs serves the queues in order, and of each those first that run: a job that does not fit waits.
func (s *lasState) chooseJobs(plan *sim.Plan) {
	g := &s.gpus
	g.begin()
	for q := range s.queues {
		queue := &s.queues[q]
		queue.start = queue.start[:0]
		queue.stop = queue.stop[:0]
		queue.late = queue.late[:0]
		j := queue.first
		if len(g.parts) == 1 {
			j = s.takeThoseThatFit(queue)
		}
		for ; j != none; j = s.jobs[j].next {
			if !g.keep(plan, j, s.jobs[j].of.gang) {
				g.yield(plan, j)
				queue.stop = append(queue.stop, j)
			}
		}
		for k := queue.wait.first(g.left.free, nil); k != none; k = queue.wait.first(g.left.free, nil) {
			head, _ := queue.wait.head(k)
			queue.wait.remove(head.job)
			queue.start = append(queue.start, head.job)
			g.reserve(head.job, queue.wait.kinds[k].gang)
		}
		stay := queue.came[:0]
		for _, j := range queue.came {
			if g.keep(plan, j, s.jobs[j].of.gang) {
				stay = append(stay, j)
			} else {
				g.yield(plan, j)
				queue.late = append(queue.late, j)
			}
		}
		queue.came = stay
	}
}

// takeThoseThatFit takes from what is left what the jobs of a queue need that run, and returns the first with which
// they need more; none if all fit. It goes back from the last, as few do not fit.
func (s *lasState) takeThoseThatFit(queue *lasQueue) (first int) {
	left := &s.gpus.left.free[0]
	first = none
	need := queue.gpus // of the jobs up to j
	for j := queue.last; j != none && need > *left; j = s.jobs[j].prev {
		first = j
		need -= s.jobs[j].of.gang
	}
	*left -= need
	return first
}

// linkCame makes the jobs that came the last of a queue that run.
func (q *lasQueue) linkCame(s *lasState) {
	for _, j := range q.came {
		s.link(j)
	}
	q.came = q.came[:0]
}

// link makes a job the last of its queue that run.
func (s *lasState) link(j int) {
	job := &s.jobs[j]
	queue := &s.queues[job.queue]
	job.next = none
	job.prev = queue.last
	if queue.last == none {
		queue.first = j
	} else {
		s.jobs[queue.last].next = j
	}
	queue.last = j
	queue.gpus += job.of.gang
}

// unlink takes a job out of those of its queue that run.
func (s *lasState) unlink(j int) {
	job := &s.jobs[j]
	queue := &s.queues[job.queue]
	if job.prev == none {
		queue.first = job.next
	} else {
		s.jobs[job.prev].next = job.next
	}
	if job.next == none {
		queue.last = job.prev
	} else {
		s.jobs[job.next].prev = job.prev
	}
	queue.gpus -= job.of.gang
}

// nextLimit returns when the next job that runs reaches a limit, Never for none.
func (s *lasState) nextLimit() sim.Time {
	for len(s.limits) > 0 {
		next := s.limits[0]
		if s.jobs[next.job].stamp == next.stamp {
			return next.at
		}
		s.limits.pop()
	}
	return sim.Never
}
