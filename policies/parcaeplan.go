package policies

import (
	"cmp"
	"math"
	"slices"
)

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
		code = p.came[level][code]
	}
	return p.shapes[code/2]
}

// Plan appends the whole plan to into.
func (p *ParcaePlanner) Plan(s ParcaeState, future []Turnover, into []ParcaeStep) []ParcaeStep {
	code := p.solve(s, future)
	first := len(into)
	into = slices.Grow(into, len(future))[:first+len(future)]
	for level := len(future) - 1; level >= 0; level-- {
		into[first+level] = ParcaeStep{Shape: p.shapes[code/2], Stalled: code%2 == 1, Samples: p.sum[level][code]}
		code = p.came[level][code]
	}
	return into
}

// solve fills the levels and returns the best last state.
func (p *ParcaePlanner) solve(s ParcaeState, future []Turnover) int32 {
	if len(future) == 0 {
		panic("policies: a plan of no interval")
	}
	for len(p.came) < len(future) {
		p.came = append(p.came, make([]int32, 2*len(p.shapes)))
		p.sum = append(p.sum, make([]float64, 2*len(p.shapes)))
	}
	for i := range p.now {
		p.now[i].samples = [2]float64{absent, absent}
	}
	at, stalled := p.index(s.Shape), 0
	if s.Stalled {
		stalled = 1
	}
	p.now[at].samples[stalled], p.now[at].rest = 0, s.Rest
	n := s.Instances
	for level, e := range future {
		p.step(p.table(n, e.Removed), n+e.Added-e.Removed)
		n += e.Added - e.Removed
		p.keep(level)
		p.now, p.next = p.next, p.now
	}
	return p.best()
}

// keep notes how the states of a level came about.
func (p *ParcaePlanner) keep(level int) {
	for i := range p.next {
		copy(p.came[level][2*i:], p.next[i].came[:])
		copy(p.sum[level][2*i:], p.next[i].samples[:])
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

// step goes from one level to the next, on which there are n instances.
func (p *ParcaePlanner) step(t *transitions, n int) {
	p.order = p.order[:0]
	for i := range p.now {
		for stalled, x := range p.now[i].samples {
			if x != absent {
				p.order = append(p.order, int32(2*i+stalled))
			}
		}
	}
	slices.SortFunc(p.order, func(a, b int32) int {
		return cmp.Compare(p.now[b/2].samples[b%2], p.now[a/2].samples[a%2])
	})
	suspended := true
	for to := 1; to < len(p.shapes); to++ {
		next := &p.next[to]
		next.samples = [2]float64{absent, absent}
		if s := p.shapes[to]; s.Size() <= n && s.Pipelines >= p.model.Pipelines() {
			p.reach(t, to, next)
			suspended = suspended && next.samples == [2]float64{absent, absent}
		}
	}
	p.next[0].samples = [2]float64{absent, absent}
	if suspended {
		first := p.order[0]
		p.next[0] = planState{samples: [2]float64{p.now[first/2].samples[first%2], absent}, came: [2]int32{first, first}}
	}
}

// reach finds the best way to a shape: from those of its depth, and of the others
// from the best on, until even the cheapest migration would not make up. Ways
// whose cost is not computed yet come last, the most hopeful first.
func (p *ParcaePlanner) reach(t *transitions, to int, next *planState) {
	value := p.value(t, to)
	depth := p.depths[to]
	p.open = p.open[:0]
	for _, from := range p.byDepth[depth] {
		for stalled, x := range p.now[from].samples {
			if x != absent {
				p.look(t, int(from), stalled, to, value, next)
			}
		}
	}
	left := max(0, p.Interval-min(p.arrive[0][to], p.arrive[1][to])/1000)
	for _, code := range p.order {
		from, stalled := int(code/2), int(code%2)
		if p.now[from].samples[stalled]+float64(value*left) < next.samples[0] {
			break
		}
		if p.depths[from] != depth {
			p.look(t, from, stalled, to, value, next)
		}
	}
	for len(p.open) > 0 {
		best := 0
		for i := range p.open {
			if p.open[i].samples > p.open[best].samples {
				best = i
			}
		}
		w := p.open[best]
		if w.samples < next.samples[0] {
			return
		}
		p.try(t, int(w.code/2), int(w.code%2), to, value, next)
		p.open[best] = p.open[len(p.open)-1]
		p.open = p.open[:len(p.open)-1]
	}
}

// openWay is a way to a shape whose cost is not computed yet.
type openWay struct {
	code    int32
	samples float64 // at most
}

// look tries a way to a shape whose cost is known, and puts others off.
func (p *ParcaePlanner) look(t *transitions, from, stalled, to int, value float64, next *planState) {
	if !math.IsNaN(*p.known(t, from, to)) {
		p.try(t, from, stalled, to, value, next)
		return
	}
	f, g := p.shapes[from], p.shapes[to]
	least := 0.0
	switch {
	case f.Stages != g.Stages:
		least = p.model.LeastDepth(f.Stages, g.Stages) + p.arrive[p.join(t, from, to)][to]
	case g.Pipelines > f.Pipelines:
		least = p.restart[to]
	}
	p.open = append(p.open, openWay{int32(2*from + stalled), p.now[from].samples[stalled] + float64(value*max(0, p.Interval-least/1000))})
}

// try takes a way to a shape if it is better. Of equal ones that from fewer
// stages, then pipelines, is.
func (p *ParcaePlanner) try(t *transitions, from, stalled, to int, value float64, next *planState) {
	state := &p.now[from]
	cost := p.cost(t, from, to)
	if stalled == 1 {
		switch {
		case cost > 0 && p.DropRemainder:
			cost += p.restart[to]
		default:
			cost += state.rest
		}
	}
	left := p.Interval - cost/1000
	x := state.samples[stalled]
	code := int32(2*from + stalled)
	if left < 0 {
		rest := -1000 * left
		if best := next.samples[1]; x > best || x == best && (rest < next.rest || rest == next.rest && p.before(code, next.came[1])) {
			next.samples[1], next.rest, next.came[1] = x, rest, code
		}
		return
	}
	x += float64(value * left)
	if best := next.samples[0]; x > max(0, best) || x == best && p.before(code, next.came[0]) {
		next.samples[0], next.came[0] = x, code
	}
}

// before orders states that come to the same.
func (p *ParcaePlanner) before(a, b int32) bool {
	x, y := p.shapes[a/2], p.shapes[b/2]
	return cmp.Or(cmp.Compare(x.Stages, y.Stages), cmp.Compare(x.Pipelines, y.Pipelines), cmp.Compare(a, b)) < 0
}
