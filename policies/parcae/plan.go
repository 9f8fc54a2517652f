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
		p.sortStates()
		floor = max(floor, p.promise(level))
		p.goOn(&p.levels[level], floor*(1-1e-9))
		p.keepLevel(level)
		p.now, p.next = p.next, p.now
	}
	return p.best()
}

// prepare sets up levels and the first state.
func (p *Planner) prepare(s State, future []Turnover) {
	shapes := len(p.shapes)
	for len(p.memory) < len(future) {
		p.memory = append(p.memory, planLevel{
			came:    make([]int32, 2*shapes),
			samples: make([]float64, 2*shapes),
			keep:    make([]int32, shapes),
			held:    make([]float64, shapes),
			rest:    make([]float64, len(p.fastest)),
		})
	}
	p.levels = p.memory[:len(future)]
	clear(p.levels[len(future)-1].rest)
	n := s.Instances
	for i, turnover := range future {
		l := &p.levels[i]
		l.costs = p.table(n, turnover.Removed)
		n += turnover.Added - turnover.Removed
		l.instances = n
	}
	for i := len(future) - 1; i >= 0; i-- {
		if i+1 < len(future) {
			p.boundSamples(&p.levels[i+1], p.levels[i].rest)
		}
		p.keepShapes(i)
	}
	for i := range p.now {
		p.now[i].samples = [2]float64{absent, absent}
	}
	first := &p.now[p.index(s.Shape)]
	stalled := 0
	if s.Stalled {
		stalled = 1
	}
	first.samples[stalled] = 0
	first.rest = s.Rest
}

// keepShapes fills in what becomes of the shapes that are kept from a level on.
func (p *Planner) keepShapes(level int) {
	l := &p.levels[level]
	for from := 1; from < len(p.shapes); from++ {
		s := p.shapes[from]
		l.keep[from] = 0
		l.held[from] = 0
		pipelines := min(s.Pipelines, l.instances/s.Stages)
		if pipelines < p.model.Pipelines() {
			continue
		}
		to := p.byDepth[p.depths[from]][pipelines-1]
		l.keep[from] = to
		l.held[from] = p.Interval * p.speeds[to]
		if level+1 < len(p.levels) {
			l.held[from] += p.levels[level+1].held[to]
		}
	}
}

// boundSamples fills in the most samples that can be trained from the beginning of a level on, by instances with a
// place before: all migrations are free, except that more instances need a restart.
func (p *Planner) boundSamples(l *planLevel, largest []float64) {
	grown := 0.0
	same := 0.0
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
	from := int32(0)
	samples := 0.0
	largest := 0.0
	for i := range p.order {
		state := &p.order[i]
		promised := state.samples + p.levels[level].held[state.code/2]
		if state.code%2 == 0 && promised > largest {
			largest = promised
			from = state.code / 2
			samples = state.samples
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

// keepLevel keeps the predecessors and samples of the states of a level.
func (p *Planner) keepLevel(level int) {
	for i := range p.next {
		copy(p.levels[level].came[2*i:], p.next[i].came[:])
		copy(p.levels[level].samples[2*i:], p.next[i].samples[:])
	}
}

// best returns the best of the present states.
func (p *Planner) best() int32 {
	best := int32(0)
	most := float64(absent)
	least := 0.0
	for i := range p.now {
		for stalled, samples := range p.now[i].samples {
			rest := 0.0
			if stalled == 1 {
				rest = p.now[i].rest
			}
			if samples > most || samples == most && samples != absent && rest < least {
				best = int32(2*i + stalled)
				most = samples
				least = rest
			}
		}
	}
	return best
}
