package reference

import "math"

// fairPath solves fairest by the primal-dual interior-point method on the homogeneous self-dual embedding, as embedding
// does for programs without cones, with the start and the steps of ECOS (Domahidi and others, ECC 2013): where optima
// are many, its end is that of Gavel's experiments.
type fairPath struct {
	fairest
	x, z, s    []float64 // times tau
	tau, kappa float64

	rx, rz         []float64 // by how much equations are missed
	rt             float64
	lambda         []float64 // slacks and duals, scaled
	x1, z1, x2, z2 []float64
	ds, dz, spare  []float64 // scaled steps
	aim, limits    []float64
	right          []float64
	shares         []float64 // of the best point, by job and model
	missed         float64   // by it
}

// solve sets shares to a solution.
func (p *fairPath) solve() {
	rows, vars := len(p.limit), len(p.width)
	for _, v := range []*[]float64{&p.x, &p.rx, &p.x1, &p.x2, &p.limits} {
		*v = filled(*v, vars, 0)
	}
	for _, v := range []*[]float64{&p.z, &p.s, &p.rz, &p.lambda, &p.z1, &p.z2, &p.ds, &p.dz, &p.spare, &p.aim} {
		*v = filled(*v, rows, 0)
	}
	p.conic.lines(&p.fairest)
	p.start()
	p.missed, p.shares = math.Inf(1), filled(p.shares, p.jobs*len(p.models), 0)
	for range atMost {
		gap := p.miss()
		if !p.keep(gap) || !p.conic.set(p.s, p.z) {
			return
		}
		p.iterate(gap)
	}
}

// start takes the point with the least squares of slacks, and the least duals, both moved until they are within the
// cones.
func (p *fairPath) start() {
	for r, part := range p.conic.cones {
		p.conic.w[r], p.conic.eta[r] = 1, 1
		if part > 1 {
			p.conic.w[r] = 0
		}
	}
	level := len(p.x) - 1
	p.kkt.factor(&p.fairest)
	p.kkt.solve(&p.fairest, p.limits, p.limit, p.x, p.s)
	for r := range p.s {
		p.s[r] = -p.s[r]
	}
	p.limits[level] = -p.cost // the objective
	p.kkt.solve(&p.fairest, p.limits, p.spare, p.x1, p.z)
	p.conic.inside(p.s)
	p.conic.inside(p.z)
	p.tau, p.kappa = 1, 1
}

// miss works out by how much the equations are missed, and returns the product of slacks and duals.
func (p *fairPath) miss() (gap float64) {
	level := len(p.x) - 1
	p.asked(p.rx, p.z)
	for v := range p.rx {
		p.rx[v] = -p.rx[v]
	}
	p.rx[level] -= p.tau * p.cost
	p.taken(p.rz, p.x)
	for r, s := range p.s {
		p.rz[r] += s - p.tau*p.limit[r]
	}
	p.rt = p.kappa + p.cost*p.x[level] + dot(p.limit, p.z)
	return dot(p.s, p.z)
}

// keep keeps the best point, and reports whether to look for a better one.
func (p *fairPath) keep(gap float64) bool {
	rows := norm(p.rz) / max(1, max(1, norm(p.limit))+norm(p.x)+norm(p.s)) / p.tau
	duals := norm(p.rx) / max(1, max(1, p.cost)+norm(p.z)) / p.tau
	missed := max(rows, duals, min(gap, gap*p.tau/math.Abs(p.cost*p.x[len(p.x)-1])))
	if !(missed < p.missed) {
		return !math.IsNaN(missed) && missed < 10*p.missed
	}
	p.missed = missed
	k := len(p.models)
	for i := range p.jobs {
		for m := range k {
			v := i*p.vars + m
			p.shares[i*k+m] = min(1, max(0, p.x[v]/p.width[v]/p.tau))
		}
	}
	return missed > exact
}

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

// iterate makes a step: a predictor, and a corrector that aims at products of slacks and duals between their mean and
// 0.
func (p *fairPath) iterate(gap float64) {
	level, n := len(p.x)-1, 1.0
	for _, part := range p.conic.cones {
		if part <= 1 {
			n++
		}
	}
	mean := (gap + p.kappa*p.tau) / n
	p.conic.times(p.lambda, p.z)
	p.kkt.factor(&p.fairest)
	p.kkt.solve(&p.fairest, p.limits, p.limit, p.x1, p.z1)
	slope := p.kappa/p.tau - p.cost*p.x1[level] - dot(p.limit, p.z1)

	tau, kappa := p.predict(slope)
	rest := 1 - p.longest(tau, kappa)
	towards := min(1, max(minPart, rest*rest*rest))
	p.conic.product(p.aim, p.ds, p.dz)
	p.conic.product(p.spare, p.lambda, p.lambda)
	for r, v := range p.spare {
		p.aim[r] += v
	}
	p.conic.addUnit(p.aim, -towards*mean)
	p.conic.quotient(p.ds, p.lambda, p.aim)
	p.conic.times(p.aim, p.ds)
	left := p.kappa*p.tau + kappa*tau - towards*mean
	tau = p.direction(towards, left/p.tau, slope)
	for r, v := range p.ds {
		p.ds[r] = -v - p.dz[r]
	}
	kappa = -(left + p.kappa*tau) / p.tau
	p.step(tau, kappa, shorter*p.longest(tau, kappa))
}

// predict finds the step to where all products of slacks and duals are 0.
func (p *fairPath) predict(slope float64) (tau, kappa float64) {
	copy(p.aim, p.s)
	tau = p.direction(0, p.kappa, slope)
	for r, l := range p.lambda {
		p.ds[r] = -p.dz[r] - l
	}
	return tau, -p.kappa - p.kappa/p.tau*tau
}

// direction finds the step that leaves so much of what the equations are missed by, with aim as the part of the slacks:
// x2, z2, and dz, which is scaled. It returns the step of tau.
func (p *fairPath) direction(rest, kappa, slope float64) (tau float64) {
	level := len(p.x) - 1
	for v := range p.rx {
		p.x2[v] = (1 - rest) * p.rx[v]
	}
	for r, v := range p.rz {
		p.spare[r] = p.aim[r] - (1-rest)*v
	}
	p.right = append(p.right[:0], p.x2...)
	p.kkt.solve(&p.fairest, p.right, p.spare, p.x2, p.z2)
	tau = ((1-rest)*p.rt - kappa + p.cost*p.x2[level] + dot(p.limit, p.z2)) / slope
	for v, d := range p.x1 {
		p.x2[v] += tau * d
	}
	for r, d := range p.z1 {
		p.z2[r] += tau * d
	}
	p.conic.times(p.dz, p.z2)
	return tau
}

// longest is the part of the way to where the first slack or dual leaves its cone.
func (p *fairPath) longest(tau, kappa float64) float64 {
	inverse := max(-tau/p.tau, -kappa/p.kappa, p.conic.longest(p.lambda, p.ds), p.conic.longest(p.lambda, p.dz))
	return min(atMostOf, 1/max(inverse, tiny))
}

// step goes a part of a step.
func (p *fairPath) step(tau, kappa, part float64) {
	p.conic.times(p.spare, p.ds)
	for r := range p.s {
		p.s[r] += part * p.spare[r]
		p.z[r] += part * p.z2[r]
	}
	for v, d := range p.x2 {
		p.x[v] += part * d
	}
	p.tau += part * tau
	p.kappa += part * kappa
}
