package schedulers

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

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
