package rollout

import (
	"cmp"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// shop puts clusters together.
type shop struct {
	v          sim.View
	have, want []int
	free       []int
	order      []int // pools, the best first
	value      []float64
	speeds     []sim.Worker
}

// refusal is how long a pool that refused a request is not asked for more.
const refusal = 5 * time.Minute

// open looks at what there is for job j.
func (s *shop) open(v sim.View, j int, plan *sim.Plan) {
	n := v.Pools()
	s.v = v
	s.have, s.want, s.free = s.have[:0], slices.Grow(s.want[:0], n)[:n], s.free[:0]
	for p := range n {
		h := v.Held(j, p)
		s.have = append(s.have, h.Active())
		free := policyutil.Headroom(v, plan, j, p)
		if at := v.Seen(p).RefusedAt; at != sim.Never && v.Now().Sub(at) < refusal {
			free = 0
		}
		s.free = append(s.free, free)
	}
	s.rank(v, j)
}

// none begins an empty cluster, keep one of what runs or comes, spotOnly one without
// what is on demand.
func (s *shop) none() { clear(s.want) }

func (s *shop) keep() { copy(s.want, s.have) }

func (s *shop) spotOnly() {
	for p := range s.want {
		s.want[p] = s.have[p]
		if s.v.Pool(p).OnDemand {
			s.want[p] = 0
		}
	}
}

// add adds the n cheapest instances for their speed, on demand or spot, those that are
// held first; it reports whether there are n.
func (s *shop) add(n int, onDemand bool) bool {
	for _, p := range s.order {
		if s.v.Pool(p).OnDemand != onDemand {
			continue
		}
		k := min(n, max(s.have[p]+s.free[p]-s.want[p], 0))
		s.want[p] += k
		n -= k
	}
	return n == 0
}

// rank sorts the pools by what the rest of the training costs on one worker of each.
func (s *shop) rank(v sim.View, j int) {
	n := v.Pools()
	s.order, s.value = s.order[:0], s.value[:0]
	s.speeds = slices.Grow(s.speeds[:0], n)[:n]
	job := v.Job(j)
	m := job.Model().(sim.WorkerModel)
	m.Workers(1, 0, s.speeds)
	for p := range n {
		var one sim.Tally
		one.Add(1, s.speeds[p])
		seconds := m.Estimate(one, job.Loss(), job.Objective().Loss).Seconds
		s.value = append(s.value, v.Price(p)*seconds)
		if s.speeds[p].Rate > 0 {
			s.order = append(s.order, p)
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.value[a], s.value[b]) })
}
