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

// sortStates lists the states of the present level, the best first.
func (p *Planner) sortStates() {
	p.order = p.order[:0]
	p.biggest = 0
	for i := range p.now {
		for stalled, samples := range p.now[i].samples {
			if samples == absent {
				continue
			}
			size := p.shapes[i].Size()
			p.order = append(p.order, presentState{int32(2*i + stalled), int32(p.depths[i]), size, samples})
			p.biggest = max(p.biggest, size)
		}
	}
	slices.SortFunc(p.order, func(a, b presentState) int { return cmp.Compare(b.samples, a.samples) })
}

// goOn goes from one level to the next. States that cannot reach so many samples in the end are left out.
func (p *Planner) goOn(l *planLevel, floor float64) {
	for i := range p.next {
		p.next[i].samples = [2]float64{absent, absent}
	}
	suspended := true
	for _, shapes := range p.byDepth {
		for _, to := range shapes {
			s := p.shapes[to]
			if s.Size() <= l.instances && s.Pipelines >= p.model.Pipelines() {
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
	value := p.value(t, to)
	depth := p.depths[to]
	p.open = p.open[:0]
	for _, from := range p.byDepth[depth] {
		for stalled, samples := range p.now[from].samples {
			if samples != absent {
				p.tryOfDepth(t, int(from), stalled, to, value, floor)
			}
		}
	}
	bounds := p.lowest[depth*(len(p.byDepth)+1):]
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
		state := &p.order[i]
		if state.samples+gain < smallest {
			break
		}
		if int(state.depth) == depth {
			continue
		}
		join := 0
		if size > state.size {
			join = 1
		}
		from := int(state.code / 2)
		cost := costs[from]
		known := !math.IsNaN(cost)
		if !known {
			cost = bounds[state.depth+1]
		}
		largest := state.samples
		if left := p.Interval - (cost+arrive[join])/1000; left > 0 {
			largest += float64(value * left)
		}
		if largest < smallest {
			continue
		}
		if known {
			p.try(t, from, int(state.code%2), to, value, next)
			smallest = max(floor, next.samples[0])
		} else {
			p.open = append(p.open, openWay{state.code, largest})
		}
	}
	p.tryOpen(t, to, value, floor)
}

// tryOfDepth tries a way to a shape of the same depth, or puts it off.
func (p *Planner) tryOfDepth(t *transitions, from, stalled, to int, value, floor float64) {
	next := &p.next[to]
	if !math.IsNaN(*p.known(t, from, to)) {
		p.try(t, from, stalled, to, value, next)
		return
	}
	smallest := 0.0
	if p.shapes[to].Pipelines > p.shapes[from].Pipelines {
		smallest = p.restart[to]
	}
	largest := p.now[from].samples[stalled] + float64(value*max(0, p.Interval-smallest/1000))
	if largest >= max(floor, next.samples[0]) {
		p.open = append(p.open, openWay{int32(2*from + stalled), largest})
	}
}

// tryOpen tries the ways that were put off, as long as they can win.
func (p *Planner) tryOpen(t *transitions, to int, value, smallest float64) {
	next := &p.next[to]
	for len(p.open) > 0 {
		best := 0
		for i := range p.open {
			if p.open[i].samples > p.open[best].samples {
				best = i
			}
		}
		way := p.open[best]
		if way.samples < max(smallest, next.samples[0]) {
			return
		}
		p.try(t, int(way.code/2), int(way.code%2), to, value, next)
		last := len(p.open) - 1
		p.open[best] = p.open[last]
		p.open = p.open[:last]
	}
}

// try takes a way to a shape if it is better. Of equal ones that from fewer
// stages, then pipelines, is.
func (p *Planner) try(t *transitions, from, stalled, to int, value float64, next *planState) {
	state := &p.now[from]
	cost := p.cost(t, from, to)
	if stalled == 1 && cost > 0 && p.model.DropsRemainder() {
		cost += p.restart[to]
	} else if stalled == 1 {
		cost += state.rest
	}
	left := p.Interval - cost/1000
	samples := state.samples[stalled]
	code := int32(2*from + stalled)
	if left < 0 {
		rest := -1000 * left
		best := next.samples[1]
		sooner := rest < next.rest || rest == next.rest && p.isBefore(code, next.came[1])
		if samples > best || samples == best && sooner {
			next.samples[1] = samples
			next.rest = rest
			next.came[1] = code
		}
		return
	}
	samples += float64(value * left)
	best := next.samples[0]
	trains := samples > 0 || p.speeds[to] > 0
	if samples > best && trains || samples == best && p.isBefore(code, next.came[0]) {
		next.samples[0] = samples
		next.came[0] = code
	}
}

// isBefore orders states that come to the same.
func (p *Planner) isBefore(a, b int32) bool {
	x := p.shapes[a/2]
	y := p.shapes[b/2]
	return cmp.Or(cmp.Compare(x.Stages, y.Stages), cmp.Compare(x.Pipelines, y.Pipelines), cmp.Compare(a, b)) < 0
}
