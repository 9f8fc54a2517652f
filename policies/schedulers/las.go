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
	switch {
	case l.Gittins != nil:
		return "tiresias-gittins"
	case l.TimeOnly:
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
	l.update(v, plan, s)
	s.gpus.watch(v, plan, l.Placement, func(j int) {
		s.unlink(j)
		l.stop(v, plan, s, j)
		s.queues[s.jobs[j].queue].wait.push(j, s.jobs[j].of, true)
	})
	l.move(v, s)
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

// update takes jobs that are done out of the queues, and puts new ones into the first.
func (l *LAS) update(v sim.View, plan *sim.Plan, s *lasState) {
	if len(s.gpus.free) == 0 {
		s.gpus.setUp(v)
		for q := range s.queues {
			s.queues[q].first, s.queues[q].last = none, none
		}
	}
	for _, x := range v.JobChanges() {
		switch x.What {
		case sim.JobSubmitted:
			for len(s.jobs) <= x.Job {
				s.jobs = append(s.jobs, lasJob{})
			}
			l.come(v, plan, s, x.Job)
		case sim.JobFinished, sim.JobLost:
			s.gpus.back(plan, x.Job)
			if y := &s.jobs[x.Job]; y.run {
				s.unlink(x.Job)
			} else {
				s.queues[y.queue].wait.remove(x.Job)
			}
			s.jobs[x.Job].stamp++
		}
	}
}

// come puts a job at the end of the queue of what it has received: the first, but on a cluster that was taken over, where it may run.
func (l *LAS) come(v sim.View, plan *sim.Plan, s *lasState, j int) {
	x := &s.jobs[j]
	*x = lasJob{id: v.Job(j).ID(), of: s.gpus.meet(v, plan, j, Anywhere), stamp: x.stamp, since: v.Now(), executed: sim.Time(0).Add(v.Job(j).Ran())}
	for x.executed > 0 && x.queue < lasQueues-1 && l.reaches(x) <= v.Now() {
		x.queue++
	}
	if x.run = plan.Held(j) > 0; x.run {
		s.link(j)
	} else {
		s.queues[x.queue].wait.push(j, x.of, false)
	}
	l.await(s, j)
}

// serve gives out the GPUs to the queues in their order.
func (l *LAS) serve(v sim.View, plan *sim.Plan, s *lasState) {
	s.walk(plan)
	if l.settle(v, plan, s) && len(s.gpus.parts) > 1 && v.Trigger()&sim.TriggerAgain == 0 {
		plan.AskAgain() // what was stopped may run on another model
	}
}

// serveRanked gives out the GPUs where the jobs of a queue are in the order of their Gittins index. It changes as jobs run, so that every
// active job is ranked anew.
func (l *LAS) serveRanked(v sim.View, plan *sim.Plan, s *lasState) {
	for q := range s.queues {
		s.queues[q].linkCame(s)
		s.ranked[q] = s.ranked[q][:0]
	}
	for _, j := range v.ActiveJobs() {
		x := &s.jobs[j]
		x.rank = l.Gittins.Index(l.service(v, x))
		s.ranked[x.queue] = append(s.ranked[x.queue], j)
	}
	for q := range s.ranked {
		slices.SortFunc(s.ranked[q], func(a, b int) int {
			return cmp.Or(cmp.Compare(s.jobs[b].rank, s.jobs[a].rank), cmp.Compare(s.jobs[a].id, s.jobs[b].id))
		})
	}
	s.gpus.walk(v, plan, l.Placement, s.ranked[:]...)
	for _, j := range v.ActiveJobs() {
		x := &s.jobs[j]
		switch wait := &s.queues[x.queue].wait; {
		case x.run && plan.Held(j) == 0:
			s.unlink(j)
			l.stopped(v, s, j)
			wait.push(j, x.of, false)
		case !x.run && plan.Held(j) > 0:
			wait.remove(j)
			l.started(v, s, j)
		}
	}
}

// service is what counts against the limits.
func (l *LAS) service(v sim.View, x *lasJob) float64 {
	executed := x.executed
	if x.run {
		executed += v.Now() - x.since
	}
	if l.TimeOnly {
		return executed.Seconds()
	}
	return executed.Seconds() * float64(x.of.gang)
}

// move puts jobs into other queues, in the order of their submission: those that have reached a limit, and those that have waited too long.
func (l *LAS) move(v sim.View, s *lasState) {
	s.moved = s.moved[:0]
	for len(s.limits) > 0 && s.limits[0].at <= v.Now() {
		if x := s.limits.pop(); s.jobs[x.job].stamp == x.stamp {
			s.moved = append(s.moved, x.job)
		}
	}
	slices.SortFunc(s.moved, func(a, b int) int { return cmp.Compare(s.jobs[a].id, s.jobs[b].id) })
	for _, j := range s.moved {
		x := &s.jobs[j]
		if !x.run { // it is promoted
			s.queues[x.queue].wait.remove(j)
			x.queue, x.executed, x.waited = 0, 0, 0
			s.queues[0].wait.push(j, x.of, false)
			continue
		}
		s.unlink(j)
		for x.queue++; x.queue < lasQueues-1 && l.reaches(x) <= v.Now() && !l.AsReleased; {
			x.queue++
		}
		s.queues[x.queue].came = append(s.queues[x.queue].came, j)
		l.await(s, j)
	}
}

// reaches returns when a job that runs reaches the limit of its queue.
func (l *LAS) reaches(x *lasJob) sim.Time {
	gpus := float64(x.of.gang)
	if l.TimeOnly {
		gpus = 1
	}
	return x.since.Add(time.Duration(math.Ceil(l.limit(x.queue)/gpus*1e6))*time.Microsecond - x.executed.Sub(0))
}

// await notes when a job is to move to another queue: one that runs at its limit, one that waits when it is promoted.
func (l *LAS) await(s *lasState, j int) {
	x := &s.jobs[j]
	x.stamp++
	switch {
	case x.run && x.queue < lasQueues-1:
		s.limits.push(limit{l.reaches(x), j, x.stamp})
	case !x.run && l.Promote > 0 && x.queue > 0 && x.executed > 0:
		wait := time.Duration(math.Min(math.Trunc(x.executed.Seconds()*l.Promote), maxWait)) * time.Second
		s.limits.push(limit{x.since.Add(wait - x.waited.Sub(0)), j, x.stamp})
	}
}

// maxWait is a wait, in seconds, that no run is long enough for.
const maxWait = 1e9

// wake asks for a decision when the next job is to move.
func (l *LAS) wake(v sim.View, plan *sim.Plan, s *lasState) {
	in := time.Duration(0)
	switch at := s.nextLimit(); {
	case l.AsReleased && !l.TimeOnly:
		in = l.asReleased(v, s)
	case at == sim.Never:
	case l.TimeOnly:
		in = at.Sub(v.Now())
	default:
		in = (at.Sub(v.Now()) + time.Second - 1).Truncate(time.Second)
	}
	if in > 0 {
		plan.WakeIn(in)
	}
}

// asReleased is in how long the public code expects the next job to move, 0 for none.
func (l *LAS) asReleased(v sim.View, s *lasState) time.Duration {
	next := math.Inf(1)
	for _, j := range v.ActiveJobs() {
		x := &s.jobs[j]
		switch {
		case x.run && x.queue < lasQueues-1:
			executed := (x.executed + v.Now() - x.since).Seconds()
			next = min(next, math.Ceil((l.limit(x.queue)-executed)/float64(x.of.gang)))
		case !x.run && l.Promote > 0 && x.queue > 0 && x.executed > 0:
			waited := (x.waited + v.Now() - x.since).Seconds()
			if d := math.Trunc(x.executed.Seconds()*l.Promote - waited); d > 0 {
				next = min(next, d)
			}
		}
	}
	if math.IsInf(next, 1) {
		return 0
	}
	return time.Duration(next) * time.Second
}

// settle stops and starts jobs. In a queue, those that run come before those that wait: first those that ran, then
// those that start, then those that came; and those that are stopped wait before the others, but for those that came. It reports whether any job
// was stopped.
func (l *LAS) settle(v sim.View, plan *sim.Plan, s *lasState) (stopped bool) {
	for q := range s.queues {
		x := &s.queues[q]
		for _, j := range x.stop {
			s.unlink(j)
			l.stop(v, plan, s, j)
		}
		for _, j := range slices.Backward(x.stop) {
			x.wait.push(j, s.jobs[j].of, true)
		}
		for _, j := range x.late {
			l.stop(v, plan, s, j)
			x.wait.push(j, s.jobs[j].of, false)
		}
	}
	k := 0
	for q := range s.queues {
		x := &s.queues[q]
		stopped = stopped || len(x.stop)+len(x.late) > 0
		for _, j := range x.start {
			s.gpus.placeReserved(plan, j, k, s.jobs[j].of.gang, l.Placement)
			l.started(v, s, j)
			k++
		}
		x.linkCame(s)
	}
	return stopped
}

// started notes that a job runs from now on, as the last of its queue.
func (l *LAS) started(v sim.View, s *lasState, j int) {
	x := &s.jobs[j]
	if x.executed > 0 {
		x.waited += v.Now() - x.since
	}
	x.run, x.since = true, v.Now()
	s.link(j)
	l.await(s, j)
}

// stop takes the GPUs of a job.
func (l *LAS) stop(v sim.View, plan *sim.Plan, s *lasState, j int) {
	l.stopped(v, s, j)
	s.gpus.drop(plan, j)
}

// stopped notes that a job waits from now on.
func (l *LAS) stopped(v sim.View, s *lasState, j int) {
	x := &s.jobs[j]
	x.run, x.executed, x.since = false, x.executed+v.Now()-x.since, v.Now()
	l.await(s, j)
}

// lasQueues is the number of queues: the limits of Tiresias's simulator have a third, of a
// fourth queue that it does not have.
const lasQueues = 3

// lasState is what LAS remembers: who runs, who waits, and when the next job is to move to another queue. Where what a queue does follows
// from its order, a decision costs what the jobs do that it starts or stops.
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
	run        bool
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
	c := *s
	c.gpus, c.jobs, c.limits, c.moved, c.ranked = s.gpus.clone(), slices.Clone(s.jobs), slices.Clone(s.limits), nil, [lasQueues][]int{}
	for q := range c.queues {
		x := &c.queues[q]
		x.wait, x.came, x.start, x.stop = x.wait.clone(), nil, nil, nil
		x.late = nil
	}
	return &c
}

// empty makes it what it is at first, in the memory that it has.
func (s *lasState) empty() {
	was := *s
	*s = lasState{gpus: gpus{of: was.gpus.of[:0]}, jobs: was.jobs[:0], limits: was.limits[:0], moved: was.moved[:0]}
	for q := range s.queues {
		x, y := &s.queues[q], &was.queues[q]
		x.wait, x.came, x.start, x.stop, x.late, s.ranked[q] = y.wait.empty(), y.came[:0], y.start[:0], y.stop[:0], y.late[:0], was.ranked[q][:0]
	}
}

// walk serves the queues in order, and of each those first that run: a job that does not fit waits.
func (s *lasState) walk(plan *sim.Plan) {
	g := &s.gpus
	g.begin()
	for q := range s.queues {
		x := &s.queues[q]
		x.start, x.stop, x.late = x.start[:0], x.stop[:0], x.late[:0]
		j := x.first
		if len(g.parts) == 1 {
			j = s.overflow(x)
		}
		for ; j != none; j = s.jobs[j].next {
			if !g.keep(plan, j, s.jobs[j].of.gang) {
				g.yield(plan, j)
				x.stop = append(x.stop, j)
			}
		}
		for k := x.wait.first(g.left.free, nil); k != none; k = x.wait.first(g.left.free, nil) {
			head, _ := x.wait.head(k)
			x.wait.remove(head.job)
			x.start = append(x.start, head.job)
			g.reserve(head.job, x.wait.kinds[k].gang)
		}
		stay := x.came[:0]
		for _, j := range x.came {
			if g.keep(plan, j, s.jobs[j].of.gang) {
				stay = append(stay, j)
			} else {
				g.yield(plan, j)
				x.late = append(x.late, j)
			}
		}
		x.came = stay
	}
}

// overflow returns the first of the jobs of a queue that run, with which they need more than is left, and takes from what is left what those
// before it need; none if all fit. It goes back from the last, as few do not fit.
func (s *lasState) overflow(x *lasQueue) (first int) {
	left := &s.gpus.left.free[0]
	first = none
	need := x.gpus // of the jobs up to j
	for j := x.last; j != none && need > *left; j = s.jobs[j].prev {
		first = j
		need -= s.jobs[j].of.gang
	}
	*left -= need
	return first
}

// linkCame makes the jobs that came the last of a queue that run.
func (x *lasQueue) linkCame(s *lasState) {
	for _, j := range x.came {
		s.link(j)
	}
	x.came = x.came[:0]
}

// link makes a job the last of its queue that run.
func (s *lasState) link(j int) {
	x := &s.jobs[j]
	q := &s.queues[x.queue]
	x.next, x.prev = none, q.last
	if q.last == none {
		q.first = j
	} else {
		s.jobs[q.last].next = j
	}
	q.last = j
	q.gpus += x.of.gang
}

// unlink takes a job out of those of its queue that run.
func (s *lasState) unlink(j int) {
	x := &s.jobs[j]
	q := &s.queues[x.queue]
	if x.prev == none {
		q.first = x.next
	} else {
		s.jobs[x.prev].next = x.next
	}
	if x.next == none {
		q.last = x.prev
	} else {
		s.jobs[x.next].prev = x.prev
	}
	q.gpus -= x.of.gang
}

// nextLimit returns when the next job that runs reaches a limit, Never for none.
func (s *lasState) nextLimit() sim.Time {
	for len(s.limits) > 0 {
		if x := s.limits[0]; s.jobs[x.job].stamp == x.stamp {
			return x.at
		}
		s.limits.pop()
	}
	return sim.Never
}
