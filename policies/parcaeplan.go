package policies

import "slices"

// ParcaeState is where a job stands at the beginning of an interval, before the
// cloud changes anything.
type ParcaeState struct {
	Instances int
	Shape     Shape
	Stalled   bool
	Rest      float64 // ms still to migrate, if stalled
}

// ParcaeStep is one interval of a plan.
type ParcaeStep struct {
	Shape   Shape
	Stalled bool    // its migration is not over at the end
	Samples float64 // expected since the beginning of the plan
}

// Next returns the shape to take in the first of the coming intervals: the first
// step of the plan with the most samples. Of plans with equal ones that with the
// least left to migrate, then fewer pipelines and stages at the end. None is
// taken when no shape fits.
func (p *ParcaePlanner) Next(s ParcaeState, future []Turnover) Shape {
	code := p.solve(s, future)
	for level := len(future) - 1; level > 0; level-- {
		code = p.levels[level].came[code]
	}
	return p.shapes[code/2]
}

// Plan appends the whole plan to into.
func (p *ParcaePlanner) Plan(s ParcaeState, future []Turnover, into []ParcaeStep) []ParcaeStep {
	code := p.solve(s, future)
	first := len(into)
	into = slices.Grow(into, len(future))[:first+len(future)]
	for level := len(future) - 1; level >= 0; level-- {
		into[first+level] = ParcaeStep{Shape: p.shapes[code/2], Stalled: code%2 == 1, Samples: p.levels[level].samples[code]}
		code = p.levels[level].came[code]
	}
	return into
}

// solve fills the levels and returns the best last state.
func (p *ParcaePlanner) solve(s ParcaeState, future []Turnover) int32 {
	if len(future) == 0 {
		panic("policies: a plan of no interval")
	}
	p.prepare(s, future)
	floor := 0.0 // samples that some plan is known to reach
	for level := range future {
		p.sort()
		floor = max(floor, p.promise(level))
		p.step(&p.levels[level], floor*(1-1e-9))
		p.keep(level)
		p.now, p.next = p.next, p.now
	}
	return p.best()
}

// planLevel is one interval of a plan.
type planLevel struct {
	costs     *transitions
	instances int     // after what happens at its beginning
	rest      float64 // samples that can be trained after it at most
	came      []int32 // of each state
	samples   []float64
}

// prepare sets up levels and the first state.
func (p *ParcaePlanner) prepare(s ParcaeState, future []Turnover) {
	for len(p.levels) < len(future) {
		p.levels = append(p.levels, planLevel{came: make([]int32, 2*len(p.shapes)), samples: make([]float64, 2*len(p.shapes))})
	}
	p.levels = p.levels[:len(future)]
	n := s.Instances
	for i, e := range future {
		l := &p.levels[i]
		l.costs = p.table(n, e.Removed)
		n += e.Added - e.Removed
		l.instances = n
	}
	rest := 0.0
	for i := len(future) - 1; i >= 0; i-- {
		l := &p.levels[i]
		l.rest = rest
		rest += float64(p.Interval * p.fastest[max(0, min(l.instances, len(p.fastest)-1))])
	}
	for i := range p.now {
		p.now[i].samples = [2]float64{absent, absent}
	}
	at, stalled := p.index(s.Shape), 0
	if s.Stalled {
		stalled = 1
	}
	p.now[at].samples[stalled], p.now[at].rest = 0, s.Rest
}

// promise returns samples that the plan surely reaches from a level on: those of
// the best state there if the depth stays and pipelines go only for want of
// instances.
func (p *ParcaePlanner) promise(level int) float64 {
	from, samples := int(p.order[0].code/2), p.order[0].samples
	depth := p.depths[from]
	if p.order[0].code%2 == 1 || depth < 0 {
		return samples
	}
	for i := level; i < len(p.levels); i++ {
		l := &p.levels[i]
		s := p.shapes[from]
		d := min(s.Pipelines, l.instances/s.Stages)
		if d < p.model.Pipelines() {
			break
		}
		to := int(p.byDepth[depth][d-1])
		left := p.Interval - p.cost(l.costs, from, to)/1000
		if left < 0 {
			break
		}
		samples += float64(p.value(l.costs, to) * left)
		from = to
	}
	return samples
}

// keep notes how the states of a level came about.
func (p *ParcaePlanner) keep(level int) {
	for i := range p.next {
		copy(p.levels[level].came[2*i:], p.next[i].came[:])
		copy(p.levels[level].samples[2*i:], p.next[i].samples[:])
	}
}

// best returns the best of the present states.
func (p *ParcaePlanner) best() int32 {
	best, samples, rest := int32(0), float64(absent), 0.0
	for i := range p.now {
		for stalled, x := range p.now[i].samples {
			r := 0.0
			if stalled == 1 {
				r = p.now[i].rest
			}
			if x > samples || x == samples && x != absent && r < rest {
				best, samples, rest = int32(2*i+stalled), x, r
			}
		}
	}
	return best
}
