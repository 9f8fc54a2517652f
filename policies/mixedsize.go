package policies

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// sized is the plan of a whole job on instances like those of a pool, and what it depends on.
type sized struct {
	model          sim.Model
	loss, seconds  float64
	usdPerH        float64
	slots, servers int
	instances      int
	choice         spotdnn.Choice
}

// sizes works plans out and remembers the last of each pool: a memory, never a state.
type sizes struct {
	search spotdnn.ClusterSearch
	trial  policyutil.Trial
	of     []sized // by pool
	slots  []int   // by instance type: quotas of all its pools
}

// group returns a pool of the type to hold, that of what is held or wanted, else of the
// cheapest that meets the objective, and the number of instances in all: the smallest
// that meets it where instances is 0.
func (s *sizes) group(v sim.View, j, instances int) (pool, n int) {
	best, at := spotdnn.Choice{USD: math.Inf(1)}, 0
	best.Seconds = math.Inf(1)
	s.slots = s.slots[:0]
	for _, group := range v.Groups(sim.ByType) {
		all := 0
		for _, p := range group.Pools {
			all += v.Pool(p).Quota
		}
		s.slots = append(s.slots, all)
	}
	for p := range v.Pools() {
		if h := v.Held(j, p); h.Want+h.Active() > 0 {
			return p, s.plan(v, j, p, instances).Workers
		}
		if v.Pool(p).Quota > 0 {
			if c := s.plan(v, j, p, instances); spotdnn.Better(c, &best) {
				best, at = *c, p
			}
		}
	}
	return at, best.Workers
}

// plan returns how many instances of p's type the whole job needs, and their cost at
// the present price of p. What it depends on seldom changes.
func (s *sizes) plan(v sim.View, j, p, instances int) *spotdnn.Choice {
	job := v.Job(j)
	x := sized{model: job.Model(), loss: job.Objective().Loss, usdPerH: v.Price(p), servers: job.Servers(), instances: instances,
		seconds: job.Objective().Within.Seconds() - v.Pool(p).Boot.Mean().Seconds()}
	x.slots = s.slots[slices.IndexFunc(v.Groups(sim.ByType), func(g sim.Group) bool { return g.Name == v.Pool(p).InstanceType })]
	if len(s.of) < v.Pools() {
		s.of = append(s.of, make([]sized, v.Pools()-len(s.of))...)
	}
	if last := &s.of[p]; !last.same(&x) {
		x.choice = s.size(v, j, p, &x)
		x.choice.Counts = nil // of the search
		*last = x
	}
	return &s.of[p].choice
}

// same reports whether both depend on the same.
func (x *sized) same(y *sized) bool {
	return x.loss == y.loss && x.seconds == y.seconds && x.usdPerH == y.usdPerH && x.slots == y.slots && x.servers == y.servers &&
		x.instances == y.instances && policyutil.SameModel(x.model, y.model)
}

// size works the plan out.
func (s *sizes) size(v sim.View, j, p int, x *sized) spotdnn.Choice {
	job := v.Job(j)
	if model, ok := x.model.(sim.WorkerModel); ok {
		task := s.search.Reset(v, j, 0)
		task.Model, task.From, task.Seconds, task.Exactly = model, math.Inf(1), x.seconds, min(x.instances, x.slots)
		task.Free[p] = x.slots
		return s.search.Window.Search(task)
	}
	best := spotdnn.Choice{USD: math.Inf(1)}
	best.Seconds = math.Inf(1)
	for n := 1; n <= min(x.slots, policyutil.Pipelines(v, j).MaxUseful()); n++ {
		c := spotdnn.Choice{Workers: n}
		c.Seconds, _ = s.trial.Train(x.model, job.Objective(), x.servers, n)
		c.USD, c.Feasible = float64(n)*x.usdPerH*c.Seconds/3600, c.Seconds <= x.seconds
		if x.instances == n || x.instances == 0 && spotdnn.Better(&c, &best) {
			best = c
		}
	}
	return best
}
