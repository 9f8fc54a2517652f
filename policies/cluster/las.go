package cluster

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// lasQueues is the number of queues: the limits of Tiresias's simulator have a third, of a
// fourth queue that it does not have.
const lasQueues = 3

// LAS is the discretised least attained service of Tiresias (NSDI 2019; SymbioticLab/Tiresias
// at 959f9b0): jobs begin in the first of three queues, and move to the next when the service that
// they received reaches a limit. Queues are served in their order, first come first served within
// one; GPUs of others are taken for it. No job's length is known.
type LAS struct {
	// Limits are the service, in seconds (times GPUs, unless TimeOnly), at which a job leaves the
	// first and the second queue.
	Limits [lasQueues - 1]float64
	// TimeOnly counts seconds, whatever the number of GPUs.
	TimeOnly bool
	// Promote moves a job that has waited so many times as long as it has run back to the
	// first queue, as if it were new; 0: never.
	Promote float64
	// Gittins orders the jobs of a queue by their Gittins index, nil by when they came to it.
	Gittins *Gittins
	// AsReleased looks when a job reaches a limit at the wrong time, as the public code does:
	// after (limit - seconds)/GPUs instead of limit/GPUs - seconds; and a job moves on one
	// queue at a time.
	AsReleased bool

	gpus gpus
}

// DefaultLimits are the limits of Tiresias's simulator, GPU-seconds.
var DefaultLimits = [lasQueues - 1]float64{3250, 7200}

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

// lasState is what LAS remembers.
type lasState struct {
	jobs   []lasJob
	queues [lasQueues][]int
}

// lasJob is what is known of a job; times in seconds.
type lasJob struct {
	in       bool // it has come to a queue
	queue    int
	run      bool     // since the last check
	checked  sim.Time // the last check
	executed float64  // since it was last in the first queue
	waited   float64  // since it ran first
	rank     float64  // Gittins index
}

// NewState implements sim.Stateful.
func (*LAS) NewState(from any) any {
	was, ok := from.(*lasState)
	if !ok {
		return &lasState{}
	}
	s := &lasState{jobs: slices.Clone(was.jobs)}
	for q := range s.queues {
		s.queues[q] = slices.Clone(was.queues[q])
	}
	return s
}

// Decide implements sim.Policy.
func (l *LAS) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*lasState)
	s.update(v)
	for _, j := range v.ActiveJobs() {
		l.check(v, s, j)
	}
	if l.Gittins != nil {
		for q := range s.queues {
			slices.SortStableFunc(s.queues[q], func(a, b int) int {
				return cmp.Or(cmp.Compare(s.jobs[b].rank, s.jobs[a].rank), cmp.Compare(a, b))
			})
		}
	}
	l.gpus.walk(v, plan, s.queues[:]...)
	for q := range s.queues {
		for _, j := range s.queues[q] {
			s.jobs[j].run = held(plan.Jobs[j].Hold) > 0
		}
		slices.SortStableFunc(s.queues[q], func(a, b int) int { return runsFirst(&s.jobs[a], &s.jobs[b]) })
	}
	if in := l.next(v, s); in > 0 && !math.IsInf(in, 1) {
		plan.WakeIn(time.Duration(math.Ceil(in * float64(time.Second))))
	}
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
func (s *lasState) update(v sim.View) {
	for len(s.jobs) < v.Jobs() {
		s.jobs = append(s.jobs, lasJob{})
	}
	for q := range s.queues {
		s.queues[q] = slices.DeleteFunc(s.queues[q], func(j int) bool { return !v.Job(j).Active() })
	}
	for _, j := range v.ActiveJobs() {
		if x := &s.jobs[j]; !x.in {
			x.in, x.checked = true, v.Now()
			s.queues[0] = append(s.queues[0], j)
		}
	}
}

// service is what counts against the limits.
func (l *LAS) service(x *lasJob, gpus int) float64 {
	if l.TimeOnly {
		return x.executed
	}
	return x.executed * float64(gpus)
}
