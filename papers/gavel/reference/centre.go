package reference

import "github.com/marigram/marigram/policies/schedulers/share"

const (
	closeTo   = 1e-7 // a sum of products of slacks and duals, by the level, at which the level is found
	roughly   = 1e-3 // one that says where to look next
	balanced  = 1e-6 // by how much the duals' equations may be missed
	atMost    = 100  // steps
	towards   = 0.99 // part of the way to where a slack or a dual is 0
	centrings = 3    // steps to the centre, at the end
)

// begin starts a problem of n jobs, models and GPUs of these; gains and sizes are still to be set.
func (c *centre) begin(in *share.Input) {
	c.models = len(in.GPUs)
	c.free, c.size = c.free[:0], c.size[:0]
	c.gain = filled(c.gain, len(in.Jobs)*c.models, 0)
	for _, n := range in.GPUs {
		c.free = append(c.free, float64(n))
	}
	for i := range in.Jobs {
		c.size = append(c.size, float64(in.Jobs[i].GPUs))
	}
}

// maximise finds the highest level.
func (c *centre) maximise(close float64) {
	c.start()
	for range atMost {
		gap, n := c.gap()
		if c.factor(); gap <= close*c.level && c.imbalance() <= balanced {
			return
		}
		for _, r := range c.all() {
			for i, t := range r.slack {
				r.change[i] = -t * r.dual[i]
			}
		}
		c.direction()
		missing := 1 - c.longest(1)
		c.aim(missing*missing*missing*gap/n, true)
		c.direction()
		c.move(c.longest(towards))
	}
}

// settle goes to the centre at the level that climb has found.
func (c *centre) settle() {
	for range centrings {
		gap, n := c.gap()
		c.factor()
		c.aim(gap/n, false)
		c.direction()
		c.move(c.longest(towards))
	}
}

// start takes a point in the middle.
func (c *centre) start() {
	n, k := len(c.size), c.models
	c.x, c.level = filled(c.x, n*k, 0), 0
	c.share.reset(n * k)
	c.time.reset(n)
	c.floor.reset(n)
	c.use.reset(k)
	c.newton.reset(n, k)
	copy(c.use.slack, c.free)
	mean, all := 0.0, 0.0
	for _, s := range c.size {
		all += s
	}
	for i, s := range c.size {
		c.time.slack[i] = 1
		for m := range k {
			if c.gain[i*k+m] > 0 {
				x := min(1/float64(k), c.free[m]/all) / 2 // half of an equal part
				c.x[i*k+m] = x
				c.time.slack[i] -= x
				c.use.slack[m] -= s * x
				c.floor.slack[i] += c.gain[i*k+m] * x
			}
		}
		mean += c.floor.slack[i] / float64(n)
	}
	copy(c.share.slack, c.x)
	for _, r := range c.all() {
		for i, t := range r.slack {
			if t > 0 {
				r.dual[i] = mean / float64(n) / t
			}
		}
	}
}

// gap is the sum of the products of slacks and duals, and how many there are.
func (c *centre) gap() (sum, n float64) {
	for _, r := range c.all() {
		for i, t := range r.slack {
			if t > 0 {
				sum += t * r.dual[i]
				n++
			}
		}
	}
	return sum, n
}

// aim asks for the same product of all slacks and duals; it may allow for what the last step leaves out of their
// products.
func (c *centre) aim(product float64, corrected bool) {
	for _, r := range c.all() {
		for i, t := range r.slack {
			if t > 0 {
				r.change[i] = product - t*r.dual[i]
				if corrected {
					r.change[i] -= r.dSlack[i] * r.dDual[i]
				}
			}
		}
	}
}

// longest is the part of the way to where the first slack or dual is 0 that a step may go, at most the whole step.
func (c *centre) longest(part float64) float64 {
	largest := 1.0
	for _, r := range c.all() {
		for i, t := range r.slack {
			if d := r.dSlack[i]; d < 0 {
				largest = min(largest, -part*t/d)
			}
			if d := r.dDual[i]; d < 0 {
				largest = min(largest, -part*r.dual[i]/d)
			}
		}
	}
	return largest
}

// move goes a part of the step.
func (c *centre) move(part float64) {
	for i, d := range c.share.dSlack {
		c.x[i] += part * d
	}
	c.level += part * c.dLevel
	for _, r := range c.all() {
		for i := range r.slack {
			r.slack[i] += part * r.dSlack[i]
			r.dual[i] += part * r.dDual[i]
		}
	}
}

// shares puts the solution into x. Rounding may leave a ten-millionth more GPUs of a model than there are, which is
// taken back.
func (c *centre) shares(in *share.Input, x *share.Shares) {
	x.Reset()
	used := filled(c.work, c.models, 0)
	for i, s := range c.size {
		for m := range c.models {
			used[m] += s * c.x[i*c.models+m]
		}
	}
	for i := range in.Jobs {
		for m := range x.Add(i, c.models) {
			x.X[i][m] = c.x[i*c.models+m] * min(1, c.free[m]/max(used[m], tiny))
		}
	}
}
