package schedulers

import (
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// lasQueues is the number of queues: the limits of Tiresias's simulator have a third, of a
// fourth queue that it does not have.
const lasQueues = 3

// lasState is what LAS remembers where it looks at every job: where jobs are promoted or ranked, and
// as released.
type lasState struct {
	gpus   gpus
	jobs   []lasJob
	queues [lasQueues][]int
}

// lasJob is what is known of a job; times in seconds.
type lasJob struct {
	queue    int
	run      bool     // since the last check
	checked  sim.Time // the last check
	executed float64  // since it was last in the first queue
	waited   float64  // since it ran first
	rank     float64  // Gittins index
}

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
	// AsReleased looks when a job reaches a limit at the wrong time, as the public code does:
	// after (limit - seconds)/GPUs instead of limit/GPUs - seconds; and a job moves on one
	// queue at a time.
	AsReleased bool `set:"as_released" doc:"keeps two slips of the public code: when it looks for jobs at a limit, and one queue at a time"`
}

// service is what counts against the limits.
func (l *LAS) service(x *lasJob, gpus int) float64 {
	if l.TimeOnly {
		return x.executed
	}
	return x.executed * float64(gpus)
}

func runsFirst(a, b *lasJob) int {
	switch {
	case a.run == b.run:
		return 0
	case a.run:
		return -1
	}
	return 1
}

// update drops jobs that are done, and puts new ones into the first queue.
func (s *lasState) update(v sim.View, plan *sim.Plan) {
	s.gpus.setUp(v)
	for _, x := range v.News() {
		switch x.What {
		case sim.JobSubmitted:
			for len(s.jobs) <= x.Job {
				s.jobs = append(s.jobs, lasJob{})
			}
			s.jobs[x.Job] = lasJob{checked: v.Now(), executed: v.Job(x.Job).Ran().Seconds(), run: plan.Held(x.Job) > 0}
			s.queues[0] = append(s.queues[0], x.Job)
			s.gpus.meet(v, plan, x.Job, Anywhere)
		case sim.JobFinished, sim.JobLost:
			s.gpus.back(plan, x.Job)
			q := &s.queues[s.jobs[x.Job].queue]
			at := slices.Index(*q, x.Job)
			*q = slices.Delete(*q, at, at+1)
		}
	}
}

// DefaultLimits are the limits of Tiresias's simulator, GPU-seconds.
var DefaultLimits = Limits{3250, 7200}

// check counts what a job did since the last check, and moves it between queues.
func (l *LAS) check(v sim.View, s *lasState, j int) {
	x := &s.jobs[j]
	since := v.Now().Sub(x.checked).Seconds()
	x.checked = v.Now()
	n := gang(v, j).Gang()
	switch {
	case x.run:
		x.executed += since
		for x.queue < lasQueues-1 && l.service(x, n) >= l.limit(x.queue) {
			s.move(j, x.queue+1)
			if l.AsReleased {
				break
			}
		}
	case x.executed > 0:
		x.waited += since
		if l.Promote > 0 && x.queue > 0 && x.waited >= math.Trunc(x.executed*l.Promote) {
			x.executed, x.waited = 0, 0
			s.move(j, 0)
		}
	}
	if l.Gittins != nil {
		x.rank = l.Gittins.Index(l.service(x, n))
	}
}

// move puts a job at the end of another queue.
func (s *lasState) move(j, to int) {
	x := &s.jobs[j]
	from := s.queues[x.queue]
	at := slices.Index(from, j)
	s.queues[x.queue] = slices.Delete(from, at, at+1)
	x.queue = to
	s.queues[to] = append(s.queues[to], j)
}

// next returns in how many seconds a job is to change its queue, +Inf for none.
func (l *LAS) next(v sim.View, s *lasState) float64 {
	next := math.Inf(1)
	for _, j := range v.ActiveJobs() {
		x := &s.jobs[j]
		switch {
		case x.run && x.queue < lasQueues-1:
			next = min(next, l.untilLimit(x, gang(v, j).Gang()))
		case !x.run && l.Promote > 0 && x.queue > 0 && x.executed > 0:
			if d := math.Trunc(x.executed*l.Promote - x.waited); d > 0 {
				next = min(next, d)
			}
		}
	}
	return next
}

// untilLimit returns in how many seconds a job that runs reaches the limit of its queue.
func (l *LAS) untilLimit(x *lasJob, gpus int) float64 {
	limit := l.limit(x.queue)
	switch {
	case l.TimeOnly:
		return limit - x.executed
	case l.AsReleased:
		return math.Ceil((limit - x.executed) / float64(gpus))
	}
	return math.Ceil(limit/float64(gpus) - x.executed)
}
