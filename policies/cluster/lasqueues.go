package cluster

import (
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// check counts what a job did since the last check, and moves it between queues.
func (l *LAS) check(v sim.View, s *lasState, j int) {
	x := &s.jobs[j]
	since := v.Now().Sub(x.checked).Seconds()
	x.checked = v.Now()
	n := gang(v, j).Gang()
	switch {
	case x.run:
		x.executed += since
		for x.queue < lasQueues-1 && l.service(x, n) >= l.Limits[x.queue] {
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
	limit := l.Limits[x.queue]
	switch {
	case l.TimeOnly:
		return limit - x.executed
	case l.AsReleased:
		return math.Ceil((limit - x.executed) / float64(gpus))
	}
	return math.Ceil(limit/float64(gpus) - x.executed)
}
