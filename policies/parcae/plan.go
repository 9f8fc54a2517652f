package parcae

import "slices"

// State is where a job stands at the beginning of an interval, before the
// cloud changes anything.
type State struct {
	Instances int
	Shape     Shape
	Stalled   bool
	Rest      float64 // ms still to migrate, if stalled
}

// Step is one interval of a plan.
type Step struct {
	Shape   Shape
	Stalled bool    // its migration outlasts it
	Samples float64 // expected since the beginning of the plan
}

// Next returns the shape for the first of the coming intervals: the first step of
// the plan with the most samples; at a tie that with the least left to migrate, then
// with fewer pipelines and stages at the end. The zero Shape means that none fits.
func (p *Planner) Next(s State, future []Turnover) Shape {
	code := p.solve(s, future)
	for level := len(future) - 1; level > 0; level-- {
		code = p.levels[level].came[code]
	}
	return p.shapes[code/2]
}

// Plan appends the whole plan to into.
func (p *Planner) Plan(s State, future []Turnover, into []Step) []Step {
	code := p.solve(s, future)
	first := len(into)
	into = slices.Grow(into, len(future))[:first+len(future)]
	for level := len(future) - 1; level >= 0; level-- {
		into[first+level] = Step{Shape: p.shapes[code/2], Stalled: code%2 == 1, Samples: p.levels[level].samples[code]}
		code = p.levels[level].came[code]
	}
	return into
}

// solve fills the levels and returns the best last state.
func (p *Planner) solve(s State, future []Turnover) int32 {
	if len(future) == 0 {
		panic("parcae: a plan of no interval")
	}
	p.prepare(s, future)
	floor := 0.0 // samples that some plan is known to reach
	for level := range future {
		p.sort()
		floor = max(floor, p.promise(level))
		p.step(&p.levels[level], floor*(1-1e-9))
		p.note(level)
		p.now, p.next = p.next, p.now
	}
	return p.best()
}

// prepare sets up levels and the first state.
func (p *Planner) prepare(s State, future []Turnover) {
	for len(p.memory) < len(future) {
		n := len(p.shapes)
		p.memory = append(p.memory, planLevel{came: make([]int32, 2*n), samples: make([]float64, 2*n), keep: make([]int32, n),
			held: make([]float64, n), rest: make([]float64, len(p.fastest))})
	}
	p.levels = p.memory[:len(future)]
	clear(p.levels[len(future)-1].rest)
	n := s.Instances
	for i, e := range future {
		l := &p.levels[i]
		l.costs = p.table(n, e.Removed)
		n += e.Added - e.Removed
		l.instances = n
	}
	for i := len(future) - 1; i >= 0; i-- {
		l := &p.levels[i]
		if i+1 < len(future) {
			p.relax(&p.levels[i+1], l.rest)
		}
		p.hold(i)
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

// hold fills in what becomes of the shapes that are kept from a level on.
func (p *Planner) hold(level int) {
	l := &p.levels[level]
	for from := 1; from < len(p.shapes); from++ {
		s := p.shapes[from]
		l.keep[from], l.held[from] = 0, 0
		d := min(s.Pipelines, l.instances/s.Stages)
		if d < p.model.Pipelines() {
			continue
		}
		to := p.byDepth[p.depths[from]][d-1]
		l.keep[from], l.held[from] = to, p.Interval*p.speeds[to]
		if level+1 < len(p.levels) {
			l.held[from] += p.levels[level+1].held[to]
		}
	}
}

// relax fills in the most samples that can be trained from the beginning of a level
// on, by instances with a place before: all migrations are free, except that more
// instances need a restart.
func (p *Planner) relax(l *planLevel, largest []float64) {
	grown, same := 0.0, 0.0
	for n := range largest {
		if n <= l.instances {
			grown = max(grown, float64(p.fastest[n]*max(0, p.Interval-p.joining[n]/1000))+l.rest[n])
		}
	}
	for n := range largest {
		if n <= l.instances {
			same = max(same, float64(p.Interval*p.fastest[n])+l.rest[n])
		}
		largest[n] = max(same, grown)
	}
}

// promise returns samples that the plan reaches for certain from a level on: those
// of the state that is best to keep.
func (p *Planner) promise(level int) float64 {
	from, samples, largest := int32(0), 0.0, 0.0
	for i := range p.order {
		f := &p.order[i]
		if x := f.samples + p.levels[level].held[f.code/2]; f.code%2 == 0 && x > largest {
			from, samples, largest = f.code/2, f.samples, x
		}
	}
	for i := level; i < len(p.levels); i++ {
		l := &p.levels[i]
		to := l.keep[from]
		if to == 0 {
			break
		}
		left := p.Interval - p.cost(l.costs, int(from), int(to))/1000
		if left < 0 {
			break
		}
		samples += float64(p.value(l.costs, int(to)) * left)
		from = to
	}
	return samples
}

// note keeps the predecessors and samples of the states of a level.
func (p *Planner) note(level int) {
	for i := range p.next {
		copy(p.levels[level].came[2*i:], p.next[i].came[:])
		copy(p.levels[level].samples[2*i:], p.next[i].samples[:])
	}
}

// best returns the best of the present states.
func (p *Planner) best() int32 {
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
