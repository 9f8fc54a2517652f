package reference

import "github.com/marigram/marigram/policies/schedulers/share"

// classes solves the program of MaxMin for jobs by class: jobs of a kind, of as many GPUs and of the same weight, which
// have the same shares in the end.
type classes struct {
	embedding
	class []int     // by job
	first []int     // by class: its first job
	size  []float64 // by class: its jobs
	scale []float64 // by job: what makes speeds comparable
	alone []int     // by class and model: the column, none where there are no GPUs
	idle  []bool    // by column: some job does not run there
	used  []float64
}

// share shares out a cluster by the speeds that a rule believes. With levels it raises the least speed, then the
// least of those that can still rise, and so on.
func (c *classes) share(in *share.Input, speed [][]float64, agnostic, levels bool, x *share.Shares) {
	c.group(in, agnostic)
	c.rows(in)
	c.scale = in.Normal(speed)
	for k, i := range c.first {
		for m, v := range speed[i] {
			c.alone = append(c.alone, c.column(in, m, c.size[k], 1, taking{k, 1, c.scale[i] * v}))
		}
	}
	c.solve()
	for levels && c.fix() {
		c.solve()
	}
	c.put(in, x)
}

// fix fixes the classes that cannot rise above the level, and reports whether others are left. At the end of a path
// either the slack of a row or its dual is small: a class that can rise has a slack.
func (c *classes) fix() bool {
	n := len(c.first)
	tightest, largest, left := none, -1.0, 0
	for r := n; r < 2*n; r++ {
		if c.lift[r] == 0 {
			continue
		}
		left++
		if v := c.dual[r] * c.best.level / c.slack[r]; v > largest {
			tightest, largest = r, v
		}
	}
	for r := n; r < 2*n; r++ {
		if c.lift[r] > 0 && (r == tightest || c.dual[r]*c.best.level > c.slack[r]) {
			c.lift[r], c.limit[r] = 0, -c.best.level*(1-shareAbove)
			left--
		}
	}
	return left > 0
}

// shareAbove is by how much a class that is fixed may fall, so that there is room for a path.
const shareAbove = 1e-6

// group puts jobs that are alike into classes.
func (c *classes) group(in *share.Input, agnostic bool) {
	type likeness struct {
		kind, gpus int
		weight     float64
	}
	c.class, c.first, c.size = c.class[:0], c.first[:0], c.size[:0]
	known := map[likeness]int{}
	for i := range in.Jobs {
		j := &in.Jobs[i]
		l := likeness{j.Kind, j.GPUs, j.Weight}
		if agnostic {
			l.kind = 0
		}
		k, ok := known[l]
		if !ok || j.Kind == 0 && !agnostic {
			k = len(c.first)
			known[l] = k
			c.first, c.size = append(c.first, i), append(c.size, 0)
		}
		c.class = append(c.class, k)
		c.size[k]++
	}
}

// rows begins the program, with the rows: the time of each class, the level above its normalised speed, the GPUs of
// each model.
func (c *classes) rows(in *share.Input) {
	n := len(c.first)
	c.begin(2*n + len(in.GPUs))
	c.alone = c.alone[:0]
	c.idle = c.idle[:0]
	for k := range c.first {
		c.limit[k], c.copies[k], c.copies[n+k], c.lift[n+k] = 1, c.size[k], c.size[k], 1
	}
	for m, gpus := range in.GPUs {
		c.limit[2*n+m] = max(1, float64(gpus))
	}
}

// taking is what a column takes of the time of a class, and gives it in normalised speed.
type taking struct {
	class       int
	time, speed float64
}

// column adds the column of a share of a model, and returns its place, none where there are no GPUs of it. Where a job
// does not run it is there as well, as in Gavel's program: it takes time and gives nothing, but the path to the optimum
// keeps away from its bounds too.
func (c *classes) column(in *share.Input, m int, copies, alike float64, of ...taking) int {
	n := len(c.first)
	if in.GPUs[m] == 0 {
		return none
	}
	k, idle := c.add(copies, alike), false
	for _, t := range of {
		idle = idle || !(t.speed > 0)
		k.take(t.class, t.time)
		k.take(n+t.class, -t.speed)
	}
	k.take(2*n+m, float64(in.Jobs[c.first[of[0].class]].GPUs))
	c.idle = append(c.idle, idle)
	return len(c.list) - 1
}

// put puts the solution into x. Rounding may leave a ten-millionth more GPUs of a model than there are, which is taken
// back.
func (c *classes) put(in *share.Input, x *share.Shares) {
	models := len(in.GPUs)
	x.Reset()
	for i, k := range c.class {
		c.copy(x.Add(i, models), c.alone[k*models:])
	}
	c.used = filled(c.used, models, 0)
	for k, j := range x.Jobs {
		for m, v := range x.X[k] {
			c.used[m] += v * float64(in.Jobs[j].GPUs)
		}
	}
	for k := range x.X {
		for m := range x.X[k] {
			x.X[k][m] *= min(1, float64(in.GPUs[m])/max(c.used[m], tiny))
		}
	}
}

// copy copies shares by model from their columns, but those where a job does not run.
func (c *classes) copy(part []float64, at []int) {
	for m := range part {
		if at[m] != none && !c.idle[at[m]] {
			part[m] = c.best.shares[at[m]]
		}
	}
}
