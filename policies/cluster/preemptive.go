package cluster

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/sim"
)

// walk runs the jobs of the lists, in their order, as far as the GPUs go: one that does not fit is
// stopped, and the walk goes on. Jobs that run keep their GPUs.
func (g *gpus) walk(v sim.View, plan *sim.Plan, lists ...[]int) {
	g.empty(v)
	room := g.total
	g.chose = g.chose[:0]
	for _, list := range lists {
		for _, j := range list {
			n, hold := gang(v, j).Gang(), plan.Jobs[j].Hold
			if n > room {
				clear(hold)
				continue
			}
			room -= n
			if held(hold) == 0 {
				g.chose = append(g.chose, j)
				continue
			}
			for p, k := range hold {
				g.free[p] -= k
				g.total -= k
			}
		}
	}
	for _, j := range g.chose {
		g.place(v, plan.Jobs[j].Hold, gang(v, j).Gang(), Anywhere)
	}
}

// Key is what a preemptive scheduler with knowledge of the jobs sorts them by, ascending.
type Key uint8

// The keys.
const (
	RemainingTime    Key = iota // shortest remaining time first (SRTF)
	RemainingService            // remaining time times GPUs (SRSF)
	Size                        // GPUs: the smallest job first
)

var keyNames = [...]string{"srtf", "srsf", "smallest-first"}

// Shortest runs the jobs with the least of a key, and takes the GPUs of others for them. It
// knows how long jobs run, which no real scheduler does. Times are at a speed of 1.
type Shortest struct {
	Key Key

	gpus gpus
	keys []float64
}

// Name implements sim.Policy.
func (s *Shortest) Name() string { return keyNames[s.Key] }

// KnowsFuture implements sim.Oracle.
func (*Shortest) KnowsFuture() {}

// sorted is the list of the unfinished jobs, as it was sorted last: equal jobs keep the
// order that they had.
type sorted struct {
	jobs []int
	in   []bool // by job: it is or was in the list
}

// NewState implements sim.Stateful.
func (*Shortest) NewState(from any) any {
	if was, ok := from.(*sorted); ok {
		return &sorted{slices.Clone(was.jobs), slices.Clone(was.in)}
	}
	return &sorted{}
}

// Decide implements sim.Policy.
func (s *Shortest) Decide(v sim.View, plan *sim.Plan) {
	list := v.State().(*sorted)
	list.update(v)
	s.keys = slices.Grow(s.keys[:0], v.Jobs())[:v.Jobs()]
	for _, j := range list.jobs {
		g := gang(v, j)
		switch s.Key {
		case RemainingTime:
			s.keys[j] = left(v, j, g)
		case RemainingService:
			s.keys[j] = left(v, j, g) * float64(g.Gang())
		case Size:
			s.keys[j] = float64(g.Gang())
		}
	}
	slices.SortStableFunc(list.jobs, func(a, b int) int { return cmp.Compare(s.keys[a], s.keys[b]) })
	s.gpus.walk(v, plan, list.jobs)
}

// update drops the jobs that are done, and adds those that are new at the end.
func (l *sorted) update(v sim.View) {
	for len(l.in) < v.Jobs() {
		l.in = append(l.in, false)
	}
	l.jobs = slices.DeleteFunc(l.jobs, func(j int) bool { return !v.Job(j).Active() })
	for _, j := range v.ActiveJobs() {
		if !l.in[j] {
			l.in[j] = true
			l.jobs = append(l.jobs, j)
		}
	}
}
