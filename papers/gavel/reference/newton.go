package reference

import "math"

// newton has what a step of a centre needs.
type newton struct {
	blocks []block   // by job
	system []float64 // of the GPUs of each model and of the level, with the right side as the last column
	work   []float64 // a copy of it, which is solved
	v      []float64 // by job and model
	dLevel float64
}

func (w *newton) reset(jobs, models int) {
	memory := filled(w.v, 2*jobs*models, 0)
	w.v = memory[:jobs*models]
	w.blocks = filled(w.blocks, jobs, block{})
	for i := range w.blocks {
		w.blocks[i].part = memory[(jobs+i)*models : (jobs+i+1)*models]
	}
}

// block is the part of the equations that is a job's own. Its formulas are written as determinants, of differences
// only: where weights go to 0 and to infinity, other forms lose all digits.
type block struct {
	gain, part    []float64 // by model: gain, and slack by dual of the share
	time, floor   float64   // slack by dual
	all           float64   // the determinant
	weight, lever float64   // what the rows of gain and of time do against a higher level
}

// set works out a block at a point.
func (b *block) set(share *rows, first int) {
	sum, linear, squares, cross := 0.0, 0.0, 0.0, 0.0
	for m, g := range b.gain {
		b.part[m] = 0
		if g > 0 {
			b.part[m] = share.slack[first+m] / share.dual[first+m]
		}
		d := b.part[m]
		sum += d
		linear += d * g
		squares += d * g * g
		for o := range m {
			cross += d * b.part[o] * (g - b.gain[o]) * (g - b.gain[o])
		}
	}
	b.all = b.time*b.floor + b.floor*sum + b.time*squares + cross
	b.weight, b.lever = (b.time+sum)/b.all, linear/b.all
}

// diagonal is an entry of the inverse of the block.
func (b *block) diagonal(m int) float64 {
	v := b.time * b.floor
	for o, d := range b.part {
		if o == m {
			continue
		}
		g := b.gain[o]
		v += d * (b.floor + b.time*g*g)
		for l := range o {
			if l != m {
				v += d * b.part[l] * (g - b.gain[l]) * (g - b.gain[l])
			}
		}
	}
	return b.part[m] * v / b.all
}

// between is an entry of the inverse of the block beside its diagonal.
func (b *block) between(m, o int) float64 {
	v := b.floor + b.time*b.gain[m]*b.gain[o]
	for l, d := range b.part {
		v += d * (b.gain[l] - b.gain[m]) * (b.gain[l] - b.gain[o])
	}
	return -b.part[m] * b.part[o] * v / b.all
}

// times is an entry of the product of the inverse with v.
func (b *block) times(v []float64, m int) float64 {
	x, g := v[m], b.gain[m]
	sum := b.time * b.floor * x
	for o, d := range b.part {
		h := b.gain[o]
		sum += d * (b.floor*(x-v[o]) + b.time*h*(h*x-g*v[o]))
		for l := range o {
			sum += d * b.part[l] * (b.gain[l] - h) * ((h-g)*(v[l]-x) - (b.gain[l]-g)*(v[o]-x))
		}
	}
	return b.part[m] * sum / b.all
}

// along is how much more of a model the job has at a higher level.
func (b *block) along(m int) float64 {
	v := b.time * b.gain[m]
	for o, d := range b.part {
		v += d * (b.gain[m] - b.gain[o])
	}
	return b.part[m] * v / b.all
}

// forces are what the rows of time and of gain do against v.
func (b *block) forces(v []float64) (time, gain float64) {
	for m, d := range b.part {
		time += b.floor * d * v[m]
		gain += b.time * d * b.gain[m] * v[m]
		for o := range m {
			e := d * b.part[o] * (b.gain[m] - b.gain[o])
			gain += e * (v[m] - v[o])
			time += e * (b.gain[m]*v[o] - b.gain[o]*v[m])
		}
	}
	return time / b.all, gain / b.all
}

// factor prepares directions at this point.
func (c *centre) factor() {
	k := c.models
	w := k + 2
	c.system = filled(c.system, (k+1)*w, 0)
	a := c.system
	for m := range k {
		a[m*w+m] = 1
		if c.free[m] > 0 {
			a[m*w+m] = c.use.slack[m] / c.use.dual[m]
		}
	}
	for i, s := range c.size {
		b := &c.blocks[i]
		c.set(i)
		for m := range k {
			a[m*w+m] += s * s * b.diagonal(m)
			for o := range m {
				v := s * s * b.between(m, o)
				a[m*w+o] += v
				a[o*w+m] += v
			}
			v := s * b.along(m)
			a[m*w+k] -= v
			a[k*w+m] += v
		}
		a[k*w+k] += b.weight
	}
}

// set sets the block of a job.
func (c *centre) set(i int) {
	b := &c.blocks[i]
	b.gain = c.gain[i*c.models : (i+1)*c.models]
	b.time, b.floor = c.time.slack[i]/c.time.dual[i], c.floor.slack[i]/c.floor.dual[i]
	b.set(&c.share, i*c.models)
}

// imbalance is by how much the duals' equations are missed at most, as set.
func (c *centre) imbalance() float64 {
	largest, level := 0.0, 1.0
	for i := range c.size {
		for m, g := range c.blocks[i].gain {
			if g > 0 {
				largest = max(largest, math.Abs(c.excess(i, m)))
			}
		}
		level -= c.floor.dual[i]
	}
	return max(largest, math.Abs(level))
}

// excess is by how much the equation of a share is missed.
func (c *centre) excess(i, m int) float64 {
	e := i*c.models + m
	return c.share.dual[e] - c.time.dual[i] + c.gain[e]*c.floor.dual[i] - c.size[i]*c.use.dual[m]
}

// direction works out the step that changes the products of slacks and duals as asked for.
func (c *centre) direction() {
	k := c.models
	w := k + 2
	a := append(c.work[:0], c.system...)
	c.work = a
	sum := 1.0
	for i, s := range c.size {
		b := &c.blocks[i]
		v := c.v[i*k : i*k+k]
		f := c.push(i, v)
		time, gain := b.forces(v)
		sum += gain - c.floor.dual[i] - f
		for m, g := range b.gain {
			a[m*w+k+1] += s * b.part[m] * (v[m] - time - g*gain)
		}
	}
	a[k*w+k+1] = sum
	gauss(a, k+1)
	c.dLevel = a[k*w+k+1]
	for m, n := range c.free {
		if q := a[m*w+k+1]; n > 0 {
			c.use.dSlack[m] = -q * c.use.slack[m] / c.use.dual[m]
			c.use.dDual[m] = c.use.change[m]/c.use.slack[m] + q
		}
	}
	for i, s := range c.size {
		v := c.v[i*k : i*k+k]
		for m := range v {
			v[m] -= s * a[m*w+k+1]
		}
		c.step(i, v)
	}
}

// push sets v to what pushes the shares of a job, and returns what pushes its gain.
func (c *centre) push(i int, v []float64) (floor float64) {
	floor = c.floor.change[i] / c.floor.slack[i]
	time := c.time.change[i] / c.time.slack[i]
	for m, g := range c.blocks[i].gain {
		v[m] = 0
		if g > 0 {
			e := i*c.models + m
			v[m] = c.share.change[e]/c.share.slack[e] - time + g*floor - c.size[i]*c.use.change[m]/c.use.slack[m] + c.excess(i, m)
		}
	}
	return floor
}

// step sets the step of a job's rows.
func (c *centre) step(i int, v []float64) {
	b := &c.blocks[i]
	time, gain := b.forces(v)
	gain -= b.weight * c.dLevel
	time += b.lever * c.dLevel
	c.floor.dSlack[i] = gain * b.floor
	c.floor.dDual[i] = c.floor.change[i]/c.floor.slack[i] - gain
	c.time.dSlack[i] = -time * b.time
	c.time.dDual[i] = c.time.change[i]/c.time.slack[i] + time
	for m, g := range b.gain {
		if g > 0 {
			e := i*c.models + m
			c.share.dSlack[e] = b.times(v, m) + b.along(m)*c.dLevel
			c.share.dDual[e] = c.share.change[e]/c.share.slack[e] - (v[m] - time - g*gain)
		}
	}
}

// gauss solves n equations, whose right sides are the last column, and leaves the solution there.
func gauss(a []float64, n int) {
	w := n + 1
	for j := range n {
		p := j
		for i := j + 1; i < n; i++ {
			if math.Abs(a[i*w+j]) > math.Abs(a[p*w+j]) {
				p = i
			}
		}
		for o := range w {
			a[j*w+o], a[p*w+o] = a[p*w+o], a[j*w+o]
		}
		for i := range n {
			if f := a[i*w+j] / a[j*w+j]; i != j && f != 0 {
				for o := j; o < w; o++ {
					a[i*w+o] -= f * a[j*w+o]
				}
			}
		}
	}
	for j := range n {
		a[j*w+n] /= a[j*w+j]
	}
}

// centre finds the shares with which the least of the jobs is best off, and of all such shares those in their middle:
// their analytic centre, where the product of all slacks that are not 0 in every optimum is the largest. It is unique.
// An interior-point method ends near it, so that the solver of Gavel's experiments (ECOS) did.
//
// All jobs' gains (their speeds, each in a unit of its own) are to be at least a level, and the level is to be the
// most. It is a primal-dual method with Mehrotra's predictor (J. Nocedal, S. Wright, Numerical Optimization, 2006,
// chapter 14). A job meets others in the level and in the GPUs of each model only, so that a step costs as much as
// there are jobs; the simplex method has a table of their number squared.
type centre struct {
	models int
	gain   []float64 // by job and model; 0: the job does not run there
	size   []float64 // GPUs by job
	free   []float64 // GPUs by model

	x     []float64 // shares by job and model
	level float64

	share, time, floor, use rows // of a job on a model; the whole time of a job; its gain; the GPUs of a model
	newton
}

// rows are inequalities: their slacks and duals, both above 0, a step of them, and by how much their product is to
// change.
type rows struct{ slack, dual, dSlack, dDual, change []float64 }

func (r *rows) reset(n int) {
	for _, v := range []*[]float64{&r.slack, &r.dual, &r.dSlack, &r.dDual, &r.change} {
		*v = filled(*v, n, 0)
	}
}

// all returns the rows.
func (c *centre) all() [4]*rows { return [4]*rows{&c.share, &c.time, &c.floor, &c.use} }
