package schedulers

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// lasLines is what LAS remembers where what a queue does follows from its order: who runs, who waits, and
// when the next job that runs reaches a limit. A decision looks at the jobs that it starts or stops.
type lasLines struct {
	gpus   gpus
	room   int // GPUs of the cluster
	jobs   []lined
	queues [lasQueues]lasQueue
	limits limitHeap
	moved  []int // scratch: jobs that reach a limit now
}

// lined is a job in a queue.
type lined struct {
	id         int
	of         kind
	queue      int
	run        bool
	since      sim.Time // it runs
	executed   sim.Time // before that
	next, prev int      // jobs of the queue that run, in order
	stamp      int      // of its place among the limits
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

func (s *lasLines) clone() *lasLines {
	c := *s
	c.gpus, c.jobs, c.limits, c.moved = s.gpus.clone(), slices.Clone(s.jobs), slices.Clone(s.limits), nil
	for q := range c.queues {
		x := &c.queues[q]
		x.wait, x.came, x.start, x.stop = x.wait.clone(), nil, nil, nil
		x.late = nil
	}
	return &c
}

// serve is Decide by the lines.
func (l *LAS) serve(v sim.View, plan *sim.Plan, s *lasLines) {
	l.update(v, plan, s)
	s.gpus.watch(v, plan, func(j int) {
		s.unlink(j)
		s.stop(v, plan, j)
		s.queues[s.jobs[j].queue].wait.push(j, s.jobs[j].of, true)
	})
	l.move(v, s)
	s.walk(plan)
	if l.settle(v, plan, s) && len(s.gpus.parts) > 1 && v.Trigger()&sim.TriggerAgain == 0 {
		plan.AskAgain() // what was stopped may run on another model
	}
	if at := s.nextLimit(); at != sim.Never {
		in := at.Sub(v.Now())
		if !l.TimeOnly {
			in = (in + time.Second - 1).Truncate(time.Second)
		}
		if in > 0 {
			plan.WakeIn(in)
		}
	}
}

// update takes jobs that are done out of the queues, and puts new ones into the first.
func (l *LAS) update(v sim.View, plan *sim.Plan, s *lasLines) {
	if s.room == 0 {
		s.gpus.setUp(v)
		s.room = s.gpus.total()
		for q := range s.queues {
			s.queues[q].first, s.queues[q].last = none, none
		}
	}
	for _, x := range v.News() {
		switch x.What {
		case sim.JobSubmitted:
			for len(s.jobs) <= x.Job {
				s.jobs = append(s.jobs, lined{})
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
func (l *LAS) come(v sim.View, plan *sim.Plan, s *lasLines, j int) {
	x := &s.jobs[j]
	*x = lined{id: v.Job(j).ID(), of: s.gpus.meet(v, plan, j, Anywhere), stamp: x.stamp + 1, since: v.Now(), executed: sim.Time(0).Add(v.Job(j).Ran())}
	for x.executed > 0 && x.queue < lasQueues-1 && l.reaches(x) <= v.Now() {
		x.queue++
	}
	if x.run = plan.Held(j) > 0; x.run {
		s.link(j)
		l.await(s, j)
		return
	}
	s.queues[x.queue].wait.push(j, x.of, false)
}

// move puts the jobs that have reached a limit at the end of another queue, in the order of their
// submission.
func (l *LAS) move(v sim.View, s *lasLines) {
	s.moved = s.moved[:0]
	for len(s.limits) > 0 && s.limits[0].at <= v.Now() {
		if x := s.limits.pop(); s.jobs[x.job].stamp == x.stamp {
			s.moved = append(s.moved, x.job)
		}
	}
	slices.SortFunc(s.moved, func(a, b int) int { return cmp.Compare(s.jobs[a].id, s.jobs[b].id) })
	for _, j := range s.moved {
		x := &s.jobs[j]
		s.unlink(j)
		for x.queue++; x.queue < lasQueues-1 && l.reaches(x) <= v.Now(); {
			x.queue++
		}
		s.queues[x.queue].came = append(s.queues[x.queue].came, j)
		l.await(s, j)
	}
}

// reaches returns when a job that runs reaches the limit of its queue.
func (l *LAS) reaches(x *lined) sim.Time {
	gpus := float64(x.of.gang)
	if l.TimeOnly {
		gpus = 1
	}
	return x.since.Add(time.Duration(math.Ceil(l.limit(x.queue)/gpus*1e6))*time.Microsecond - x.executed.Sub(0))
}

// await notes when a job that runs reaches its limit.
func (l *LAS) await(s *lasLines, j int) {
	x := &s.jobs[j]
	x.stamp++
	if x.queue < lasQueues-1 {
		s.limits.push(limit{l.reaches(x), j, x.stamp})
	}
}

// walk serves the queues in order, and of each those first that run: a job that does not fit waits.
func (s *lasLines) walk(plan *sim.Plan) {
	if len(s.gpus.parts) > 1 {
		s.walkByModel(plan)
		return
	}
	room := s.room - s.gpus.spot.gone
	for q := range s.queues {
		x := &s.queues[q]
		x.start, x.stop = x.start[:0], x.stop[:0]
		if x.gpus <= room {
			room -= x.gpus
		} else {
			j, left := s.overflow(x, room)
			for room = left; j != none; j = s.jobs[j].next {
				if s.jobs[j].of.gang > room {
					x.stop = append(x.stop, j)
				} else {
					room -= s.jobs[j].of.gang
				}
			}
		}
		free := [1]int{room}
		for k := x.wait.first(free[:], nil); k != none; k = x.wait.first(free[:], nil) {
			head, _ := x.wait.head(k)
			x.wait.remove(head.job)
			x.start = append(x.start, head.job)
			free[0] -= x.wait.kinds[k].gang
		}
		room = free[0]
		stay := x.came[:0]
		x.late = x.late[:0]
		for _, j := range x.came {
			if s.jobs[j].of.gang > room {
				x.late = append(x.late, j)
			} else {
				room -= s.jobs[j].of.gang
				stay = append(stay, j)
			}
		}
		x.came = stay
	}
}

// overflow returns the first of the jobs of a queue that run, which need more than there is room, with which they do, and what those
// before it leave. It looks from the end, as few do not fit.
func (s *lasLines) overflow(x *lasQueue, room int) (first, left int) {
	need := x.gpus // of the jobs up to j
	for j := x.last; j != none && need > room; j = s.jobs[j].prev {
		first = j
		need -= s.jobs[j].of.gang
	}
	return first, room - need
}

// settle stops and starts jobs. In a queue, those that run come before those that wait: first those that ran, then
// those that start, then those that came; and those that are stopped wait before the others, but for those that came. It reports whether any job was stopped.
func (l *LAS) settle(v sim.View, plan *sim.Plan, s *lasLines) (stopped bool) {
	for q := range s.queues {
		x := &s.queues[q]
		for _, j := range x.stop {
			s.unlink(j)
			s.stop(v, plan, j)
		}
		for _, j := range slices.Backward(x.stop) {
			x.wait.push(j, s.jobs[j].of, true)
		}
		for _, j := range x.late {
			s.stop(v, plan, j)
			x.wait.push(j, s.jobs[j].of, false)
		}
	}
	k := 0
	for q := range s.queues {
		x := &s.queues[q]
		stopped = stopped || len(x.stop)+len(x.late) > 0
		for _, j := range x.start {
			y := &s.jobs[j]
			y.run, y.since = true, v.Now()
			if len(s.gpus.parts) > 1 {
				s.gpus.placeReserved(plan, j, k, l.Placement)
				k++
			} else {
				s.gpus.place(plan, j, y.of.gang, l.Placement)
			}
			s.link(j)
			l.await(s, j)
		}
		for _, j := range x.came {
			s.link(j)
		}
		x.came = x.came[:0]
	}
	return stopped
}

// stop takes the GPUs of a job.
func (s *lasLines) stop(v sim.View, plan *sim.Plan, j int) {
	x := &s.jobs[j]
	x.run, x.executed = false, x.executed+v.Now()-x.since
	x.stamp++
	s.gpus.back(plan, j)
	plan.Stop(j)
}

// link makes a job the last of its queue that run.
func (s *lasLines) link(j int) {
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
func (s *lasLines) unlink(j int) {
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
func (s *lasLines) nextLimit() sim.Time {
	for len(s.limits) > 0 {
		if x := s.limits[0]; s.jobs[x.job].stamp == x.stamp {
			return x.at
		}
		s.limits.pop()
	}
	return sim.Never
}
