package schedulers

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// spotRoom is what a queue knows of spot pools: GPUs that it counts as free until a request is not granted, and
// again some time later.
type spotRoom struct {
	is   []bool     // by pool; nil: there is none
	full []sim.Time // by pool: until when it is not asked
	out  []int      // by pool: GPUs that do not count as free so long
	gone int        // of all pools
	lack []int      // scratch, by pool: GPUs that were asked for and did not come
}

func (s *spotRoom) setUp(v sim.View) {
	for p := range v.Pools() {
		if x := v.Pool(p); !x.Reserved && !x.OnDemand {
			if s.is == nil {
				s.is, s.full, s.out = make([]bool, v.Pools()), make([]sim.Time, v.Pools()), make([]int, v.Pools())
			}
			s.is[p] = true
		}
	}
}

func (s *spotRoom) clone() spotRoom {
	return spotRoom{s.is, slices.Clone(s.full), slices.Clone(s.out), s.gone, nil}
}

// watch looks at spot pools: stop takes the GPUs of a job whose requests wait there, and puts it back into the
// queue; what did not come is not asked for again for a while, and others may have the rest. Where all came it does nothing.
func (g *gpus) watch(v sim.View, plan *sim.Plan, stop func(j int)) {
	s := &g.spot
	if s.is == nil || s.gone == 0 && !v.AnyWaiting() {
		return
	}
	s.lack = append(s.lack[:0], s.out...)
	clear(s.lack)
	for _, j := range v.ActiveJobs() {
		if plan.Held(j) == 0 || v.Job(j).Waiting() == 0 {
			continue
		}
		waits := false
		for _, x := range plan.Parts(j) {
			if n, _ := v.Waiting(j, int(x.Pool)); n > 0 && s.is[x.Pool] {
				s.full[x.Pool], waits = v.Now().Add(fullAgain), true
				s.lack[x.Pool] += n
			}
		}
		if waits {
			stop(j)
		}
	}
	for p := range s.is {
		switch full := s.full[p] > v.Now(); {
		case s.lack[p] > 0: // the others may have what came
			n := min(s.lack[p], g.free[p])
			s.out[p], s.gone = s.out[p]+n, s.gone+n
			g.add(p, -n)
		case !full && s.out[p] > 0:
			n := s.out[p]
			s.out[p], s.gone = 0, s.gone-n
			g.add(p, n)
		}
		if s.out[p] > 0 {
			plan.WakeIn(s.full[p].Sub(v.Now()))
		}
	}
}

// drop takes the GPUs of a job, which are free again.
func (g *gpus) drop(plan *sim.Plan, j int) {
	g.back(plan, j)
	plan.Stop(j)
}
