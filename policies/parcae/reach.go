package parcae

import (
	"cmp"
	"math"
	"slices"
)

// How Planner goes from one interval to the next. States that cannot lead to as
// many samples as another plan surely reaches are left out, and so are transitions
// that are worse than another even at the least cost that they can have: most costs
// are never computed.

// sort lists the states of the present level, the best first.
func (p *Planner) sort() {
	p.order, p.biggest = p.order[:0], 0
	for i := range p.now {
		for stalled, x := range p.now[i].samples {
			if x != absent {
				p.order = append(p.order, presentState{int32(2*i + stalled), int32(p.depths[i]), p.shapes[i].Size(), x})
				p.biggest = max(p.biggest, p.shapes[i].Size())
			}
		}
	}
	slices.SortFunc(p.order, func(a, b presentState) int { return cmp.Compare(b.samples, a.samples) })
}

// step goes from one level to the next. States that cannot reach n samples
// in the end are left out.
func (p *Planner) step(l *planLevel, floor float64) {
	for i := range p.next {
		p.next[i].samples = [2]float64{absent, absent}
	}
	suspended := true
	for _, shapes := range p.byDepth {
		for _, to := range shapes {
			if s := p.shapes[to]; s.Size() <= l.instances && s.Pipelines >= p.model.Pipelines() {
				p.reach(l.costs, int(to), floor-l.rest[s.Size()])
				suspended = suspended && p.next[to].samples == [2]float64{absent, absent}
			}
		}
	}
	if suspended {
		first := p.order[0]
		p.next[0] = planState{samples: [2]float64{first.samples, absent}, came: [2]int32{first.code, first.code}}
	}
}

// reach finds the best way to a shape, if it has n samples: from those of
// its depth, and of the others from the best on, until even the cheapest migration
// would not make up. Ways whose cost is not computed yet come last, the most
// hopeful first.
func (p *Planner) reach(t *transitions, to int, floor float64) {
	next := &p.next[to]
	value, depth := p.value(t, to), p.depths[to]
	p.open = p.open[:0]
	for _, from := range p.byDepth[depth] {
		for stalled, x := range p.now[from].samples {
			if x != absent {
				p.stay(t, int(from), stalled, to, value, floor)
			}
		}
	}
	bounds := p.min[depth*(len(p.byDepth)+1):]
	costs := t.depth[depth*len(p.shapes):][:len(p.shapes)]
	size := p.shapes[to].Size() + t.removed // from less: others join
	arrive := [2]float64{p.arrive[0][to], p.arrive[1][to]}
	cheapest := arrive[1]
	if size <= p.biggest {
		cheapest = min(arrive[0], arrive[1])
	}
	gain := float64(value * max(0, p.Interval-cheapest/1000)) // at most
	smallest := max(floor, next.samples[0])
	for i := range p.order {
		f := &p.order[i]
		if f.samples+gain < smallest {
			break
		}
		if int(f.depth) == depth {
			continue
		}
		from, join := f.code/2, 0
		if size > f.size {
			join = 1
		}
		cost := costs[from]
		known := !math.IsNaN(cost)
		if !known {
			cost = bounds[f.depth+1]
		}
		largest := f.samples
		if left := p.Interval - (cost+arrive[join])/1000; left > 0 {
			largest += float64(value * left)
		}
		switch {
		case largest < smallest:
		case known:
			p.try(t, int(from), int(f.code%2), to, value, next)
			smallest = max(floor, next.samples[0])
		default:
			p.open = append(p.open, openWay{f.code, largest})
		}
	}
	p.close(t, to, value, floor)
}

// stay tries a way to a shape of the same depth, or puts it off.
func (p *Planner) stay(t *transitions, from, stalled, to int, value, floor float64) {
	next := &p.next[to]
	if !math.IsNaN(*p.known(t, from, to)) {
		p.try(t, from, stalled, to, value, next)
		return
	}
	smallest := 0.0
	if p.shapes[to].Pipelines > p.shapes[from].Pipelines {
		smallest = p.restart[to]
	}
	if largest := p.now[from].samples[stalled] + float64(value*max(0, p.Interval-smallest/1000)); largest >= max(floor,
		next.samples[0]) {
		p.open = append(p.open, openWay{int32(2*from + stalled), largest})
	}
}

// close tries the ways that were put off, as long as they can win.
func (p *Planner) close(t *transitions, to int, value, smallest float64) {
	next := &p.next[to]
	for len(p.open) > 0 {
		best := 0
		for i := range p.open {
			if p.open[i].samples > p.open[best].samples {
				best = i
			}
		}
		way, last := p.open[best], len(p.open)-1
		if way.samples < max(smallest, next.samples[0]) {
			return
		}
		p.try(t, int(way.code/2), int(way.code%2), to, value, next)
		p.open[best] = p.open[last]
		p.open = p.open[:last]
	}
}

// try takes a way to a shape if it is better. Of equal ones that from fewer
// stages, then pipelines, is.
func (p *Planner) try(t *transitions, from, stalled, to int, value float64, next *planState) {
	state := &p.now[from]
	cost := p.cost(t, from, to)
	if stalled == 1 {
		switch {
		case cost > 0 && p.model.DropsRemainder():
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
		if best := next.samples[1]; x > best || x == best &&
			(rest < next.rest || rest == next.rest && p.before(code, next.came[1])) {
			next.samples[1], next.rest, next.came[1] = x, rest, code
		}
		return
	}
	x += float64(value * left)
	if best := next.samples[0]; x > best && (x > 0 || p.speeds[to] > 0) || x == best && p.before(code, next.came[0]) {
		next.samples[0], next.came[0] = x, code
	}
}

// before orders states that come to the same.
func (p *Planner) before(a, b int32) bool {
	x, y := p.shapes[a/2], p.shapes[b/2]
	return cmp.Or(cmp.Compare(x.Stages, y.Stages), cmp.Compare(x.Pipelines, y.Pipelines), cmp.Compare(a, b)) < 0
}
