package reference

import (
	"math"
	"slices"
)

// embedding solves columns by the primal-dual interior-point method on the homogeneous self-dual embedding, as ECOS
// does, with its start and its steps (A. Domahidi, E. Chu, S. Boyd, ECOS: an SOCP solver for embedded systems, European
// Control Conference 2013). Where optima are many it ends near their centre and not in it, at a point that its path
// chooses: that of Gavel's experiments, whose means depend on it.
type embedding struct {
	columns
	shares []float64 // times tau
	level  float64   // times tau
	slack  point     // above 0
	dual   point     // above 0
	tau    float64   // above 0; goes to 0 where there is no solution
	kappa  float64   // above 0

	scale  point     // of the rows
	width  []float64 // of the columns
	limits point     // of rows, 0 of shares
	ratio  point     // slack by dual

	missed, spare []float64 // of the duals' equations, and of the rows'
	gain          float64   // of the level's equation
	over, pull    point
	byTau, step   move
	second        point // products of a step's slacks and duals
	best          solution
}

// solution is a solution, and by how much it misses the equations, as the solver counts.
type solution struct {
	shares        []float64
	level, missed float64
}

// move is a step, but for the slacks.
type move struct {
	shares []float64
	level  float64
	dual   point
}

const (
	exact    = 1e-8  // the tolerance of the solver
	atMostOf = 0.999 // the longest step
	shorter  = 0.99  // part of the way to where a slack or a dual is 0
	minPart  = 1e-4  // of the mean product of slacks and duals that a step aims at
)

// solve sets best to a solution.
func (e *embedding) solve() {
	e.reset()
	e.equilibrate()
	e.start()
	e.best.missed = math.Inf(1)
	for range atMost {
		gap := e.miss()
		if !e.keep(gap) {
			break
		}
		e.iterate(gap)
	}
}

// reset makes room.
func (e *embedding) reset() {
	shares := len(e.list)
	all := len(e.limit) + shares
	for _, p := range []*point{&e.slack, &e.dual, &e.scale, &e.limits, &e.ratio, &e.over, &e.pull, &e.byTau.dual, &e.step.dual, &e.second} {
		*p = filled(*p, all, 0)
	}
	for _, p := range []*[]float64{&e.shares, &e.width, &e.missed, &e.spare, &e.byTau.shares, &e.step.shares, &e.best.shares} {
		*p = filled(*p, shares, 0)
	}
	copy(e.limits, e.limit)
}

// equilibrate finds scales of rows and columns with which the largest entries of both are near 1 (D. Ruiz, 2001), in
// three rounds.
func (e *embedding) equilibrate() {
	n, level := len(e.limit), 1.0
	for i := range e.scale {
		e.scale[i] = 1
	}
	for v := range e.width {
		e.width[v] = 1
	}
	for range 3 {
		rows, widest, lift := filled(e.over, len(e.over), 0), filled(e.missed, len(e.missed), 0), 0.0
		entry := func(r, v int, takes float64) {
			a := math.Abs(takes) / (e.scale[r] * e.width[v])
			rows[r], widest[v] = max(rows[r], a), max(widest[v], a)
		}
		for v := range e.list {
			k := &e.list[v]
			for i, r := range k.rows[:k.n] {
				takes := k.takes[i]
				if e.copies[r] > 1 {
					takes /= k.twins
				}
				entry(r, v, takes)
			}
			entry(n+v, v, 1)
		}
		for r, l := range e.lift {
			a := l / (e.scale[r] * level)
			rows[r], lift = max(rows[r], a), max(lift, a)
		}
		for i, v := range rows {
			e.scale[i] *= rootOf(v)
		}
		for v, w := range widest {
			e.width[v] *= rootOf(w)
		}
		level *= rootOf(lift)
	}
}

// rootOf is the root of an entry, 1 of one that is nearly 0.
func rootOf(v float64) float64 {
	if v < 1e-6 {
		return 1
	}
	return math.Sqrt(v)
}

// start takes the shares with the least squares of slacks, and the least duals, both moved until they are above 0.
func (e *embedding) start() {
	for i, s := range e.scale {
		e.ratio[i] = s * s
	}
	clear(e.missed)
	e.factor(e.ratio)
	e.level = e.direction(e.ratio, e.missed, 0, e.limits, e.shares, e.slack)
	clear(e.over)
	e.direction(e.ratio, e.missed, 1, e.over, e.step.shares, e.dual)
	for i, s := range e.scale {
		e.slack[i] *= -s
		e.dual[i] *= s
	}
	above(e.slack)
	above(e.dual)
	for i, s := range e.scale {
		e.slack[i] *= s
		e.dual[i] /= s
	}
	e.tau, e.kappa = 1, 1
}

// above moves all entries until the least of them is above 0.
func above(p point) {
	by := 0.01
	if smallest := slices.Min(p); smallest <= 0 {
		by = 1 - smallest
	}
	for i := range p {
		p[i] += by
	}
}

// miss works out by how much the equations are missed, and returns the sum of the products of slacks and duals.
func (e *embedding) miss() (gap float64) {
	e.gain = e.tau - e.asked(e.missed, e.dual)
	for v := range e.missed {
		e.missed[v] = -e.missed[v]
	}
	e.taken(e.over, e.shares, e.level)
	for i, s := range e.slack {
		e.over[i] += s - e.limits[i]*e.tau
	}
	return e.product(e.slack, e.dual)
}

// keep keeps the best solution, and reports whether to look for a better one.
func (e *embedding) keep(gap float64) bool {
	rows, shares := 0.0, e.gain*e.gain
	limits, slacks, sizes, duals := 0.0, 0.0, e.level*e.level, 0.0
	for i, v := range e.over {
		n, s := e.number(i), e.scale[i]*e.scale[i]
		rows += n * v * v / s
		limits += n * e.limits[i] * e.limits[i] / s
		slacks += n * e.slack[i] * e.slack[i] / s
		duals += n * e.dual[i] * e.dual[i] * s
	}
	for v, m := range e.missed {
		n, w := e.list[v].copies, e.width[v]*e.width[v]
		shares += n * m * m / w
		sizes += n * e.shares[v] * e.shares[v] * w
	}
	rows = math.Sqrt(rows) / max(1, max(1, math.Sqrt(limits))+math.Sqrt(sizes)+math.Sqrt(slacks)) / e.tau
	shares = math.Sqrt(shares) / max(1, 1+math.Sqrt(duals)) / e.tau
	missed := max(rows, shares, min(gap, gap*e.tau/math.Abs(e.level)))
	if !(missed < e.best.missed) {
		return !math.IsNaN(missed) && missed < 10*e.best.missed
	}
	e.best.missed, e.best.level = missed, e.level/e.tau
	for v, x := range e.shares {
		e.best.shares[v] = min(1, max(0, x/e.tau))
	}
	return missed > exact
}

// iterate makes a step: a predictor, and a corrector that aims at products of slacks and duals between their mean and
// 0.
func (e *embedding) iterate(gap float64) {
	n := 1.0
	for i := range e.slack {
		e.ratio[i] = e.slack[i] / e.dual[i]
		n += e.number(i)
	}
	mean := (gap + e.kappa*e.tau) / n
	e.factor(e.ratio)
	e.spare = filled(e.spare, len(e.missed), 0)
	e.byTau.level = e.direction(e.ratio, e.spare, 1, e.limits, e.byTau.shares, e.byTau.dual)
	clear(e.second)
	tau, kappa := e.aim(0, 0, 0)
	part := e.longest(tau, kappa, 0)
	rest := 1 - part
	towards := min(1, max(minPart, rest*rest*rest))
	for i, d := range e.step.dual {
		e.second[i] = -(e.ratio[i]*d + e.slack[i]) * d
	}
	tau, kappa = e.aim(towards, towards*mean, kappa*tau)
	part = shorter * e.longest(tau, kappa, towards*mean)
	for i, d := range e.step.dual {
		e.slack[i] += part * e.slackStep(i, towards*mean)
		e.dual[i] += part * d
	}
	for v, d := range e.step.shares {
		e.shares[v] += part * d
	}
	e.level += part * e.step.level
	e.tau += part * tau
	e.kappa += part * kappa
}

// aim works out the step that leaves so much of what the equations are missed by, and makes each product of a slack and
// a dual so large. What the step before left out of the products is in second, and left for tau and kappa.
func (e *embedding) aim(rest, product, left float64) (tau, kappa float64) {
	for v, m := range e.missed {
		e.spare[v] = (1 - rest) * m
	}
	for i, s := range e.slack {
		e.pull[i] = s - (1-rest)*e.over[i] + (e.second[i]-product)/e.dual[i]
	}
	e.step.level = e.direction(e.ratio, e.spare, (1-rest)*e.gain, e.pull, e.step.shares, e.step.dual)
	up := e.kappa*e.tau + left - product
	slope := e.kappa/e.tau + e.byTau.level - e.product(e.limits, e.byTau.dual)
	total := e.kappa - e.level + e.product(e.limits, e.dual)
	tau = ((1-rest)*total - up/e.tau - e.step.level + e.product(e.limits, e.step.dual)) / slope
	for i, d := range e.byTau.dual {
		e.step.dual[i] += tau * d
	}
	for v, d := range e.byTau.shares {
		e.step.shares[v] += tau * d
	}
	e.step.level += tau * e.byTau.level
	return tau, -(up + e.kappa*tau) / e.tau
}

// slackStep is the step of a slack.
func (e *embedding) slackStep(i int, product float64) float64 {
	return (product-e.second[i])/e.dual[i] - e.slack[i] - e.ratio[i]*e.step.dual[i]
}

// longest is the part of the way to where the first slack or dual is 0.
func (e *embedding) longest(tau, kappa, product float64) float64 {
	part := math.Inf(1)
	until := func(value, step float64) {
		if step < 0 {
			part = min(part, -value/step)
		}
	}
	until(e.tau, tau)
	until(e.kappa, kappa)
	for i, d := range e.step.dual {
		until(e.dual[i], d)
		until(e.slack[i], e.slackStep(i, product))
	}
	return min(part, atMostOf)
}
