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
	model  sim.Model
	terms  sizeTerms
	choice spotdnn.Choice
}

// sizeTerms are the numbers that a plan depends on.
type sizeTerms struct {
	loss, seconds  float64
	usdPerH        float64
	slots, servers int
	instances      int
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
	best := spotdnn.Choice{USD: math.Inf(1)}
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
		held := v.Held(j, p)
		if held.Want+held.Active() > 0 {
			return p, s.plan(v, j, p, instances).Workers
		}
		if v.Pool(p).Quota == 0 {
			continue
		}
		choice := s.plan(v, j, p, instances)
		if spotdnn.Better(choice, &best) {
			best = *choice
			pool = p
		}
	}
	return pool, best.Workers
}

// plan returns how many instances of p's type the whole job needs, and their cost at
// the present price of p. What it depends on seldom changes.
func (s *sizes) plan(v sim.View, j, p, instances int) *spotdnn.Choice {
	job := v.Job(j)
	ofType := func(g sim.Group) bool { return g.Name == v.Pool(p).InstanceType }
	terms := sizeTerms{
		loss:      job.Objective().Loss,
		seconds:   job.Objective().Within.Seconds() - v.Pool(p).Boot.Mean().Seconds(),
		usdPerH:   v.Price(p),
		slots:     s.slots[slices.IndexFunc(v.Groups(sim.ByType), ofType)],
		servers:   job.Servers(),
		instances: instances,
	}
	for len(s.of) < v.Pools() {
		s.of = append(s.of, sized{})
	}
	last := &s.of[p]
	if last.terms != terms || !policyutil.SameModel(last.model, job.Model()) {
		last.model = job.Model()
		last.terms = terms
		last.choice = s.size(v, j, p, &terms)
		last.choice.Counts = nil // of the search
	}
	return &last.choice
}

// size works the plan out.
func (s *sizes) size(v sim.View, j, p int, terms *sizeTerms) spotdnn.Choice {
	job := v.Job(j)
	if model, ok := job.Model().(sim.WorkerModel); ok {
		task := s.search.Reset(v, j, 0)
		task.Model = model
		task.From = math.Inf(1)
		task.Seconds = terms.seconds
		task.Exactly = min(terms.instances, terms.slots)
		task.Free[p] = terms.slots
		return s.search.Window.Search(task)
	}
	best := spotdnn.Choice{USD: math.Inf(1)}
	best.Seconds = math.Inf(1)
	for n := 1; n <= min(terms.slots, policyutil.Pipelines(v, j).MaxUseful()); n++ {
		choice := spotdnn.Choice{Workers: n}
		choice.Seconds, _ = s.trial.Train(job.Model(), job.Objective(), terms.servers, n)
		choice.USD = float64(n) * terms.usdPerH * choice.Seconds / 3600
		choice.Feasible = choice.Seconds <= terms.seconds
		if terms.instances == n || terms.instances == 0 && spotdnn.Better(&choice, &best) {
			best = choice
		}
	}
	return best
}
