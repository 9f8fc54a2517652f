package share

import "math"

// MaxMin (max_min_fairness_perf: least attained service that knows the models, Gavel's own) makes
// the least normalised speed as large as it can be: a job's speed, by what it would have in an
// equal part of the cluster, by its weight, times its GPUs.
//
// Optima are many. Of these it takes one with the largest sum of normalised speeds; with Levels, that in which no
// normalised speed can rise without a lower one falling, which is unique in these.
type MaxMin struct {
	// Agnostic (max_min_fairness) takes all models for equal: time is shared, not speed.
	Agnostic bool
	// Levels raises the least, then the least of those that can still rise, and so on.
	Levels bool

	running Running
	lp      Program
	free    []int
}

// slackOf is by how much a value may be missed that an earlier program found.
const slackOf = 1e-9

// Share implements Rule.
func (r *MaxMin) Share(in *Input, x *Shares) {
	x.Reset()
	running := r.running.Of(in)
	if len(running.Jobs) > 0 {
		r.shareAll(running, x)
		r.running.Back(x)
	}
}

// shareAll is Share where all jobs run.
func (r *MaxMin) shareAll(in *Input, x *Shares) {
	speed := in.Speeds()
	if r.Agnostic {
		speed = in.Alike(-1)
	}
	if r.giveFastest(in, speed, x) {
		return
	}
	scale := in.Normal(speed)
	level := make([]float64, len(in.Jobs)) // NaN: not fixed
	for i := range level {
		level[i] = math.NaN()
	}
	solution, least := r.raise(in, speed, scale, level)
	if r.Levels {
		for r.fix(level, least) {
			solution, least = r.raise(in, speed, scale, level)
		}
	}
	r.lp.Put(in, solution, x)
}

// giveFastest gives every job the whole time on the model on which it is fastest, and reports whether there are enough
// GPUs. Then nothing is better for any job, and no program is needed: most of the time, unless a cluster is overloaded.
func (r *MaxMin) giveFastest(in *Input, speed [][]float64, x *Shares) bool {
	r.free = append(r.free[:0], in.GPUs...)
	x.Reset()
	for i := range in.Jobs {
		best := none
		for m, n := range in.GPUs {
			if n > 0 && speed[i][m] > 0 && (best == none || speed[i][m] > speed[i][best]) {
				best = m
			}
		}
		if best == none {
			return false
		}
		r.free[best] -= in.Jobs[i].GPUs
		if r.free[best] < 0 {
			return false
		}
		x.Add(i, len(in.GPUs))[best] = 1
	}
	return true
}

// Normal returns what makes speeds of jobs comparable: GPUs by weight, by the speed on an equal
// part of the cluster.
func (in *Input) Normal(speed [][]float64) []float64 {
	scale := make([]float64, len(in.Jobs))
	for i := range in.Jobs {
		even := 0.0
		for m, n := range in.GPUs {
			even += speed[i][m] * float64(n) / float64(in.all())
		}
		scale[i] = float64(in.Jobs[i].GPUs) / in.Jobs[i].Weight / even
	}
	return scale
}

// raise returns an optimum in which the least normalised speed of the jobs that are not fixed
// is the largest, and that speed.
func (r *MaxMin) raise(in *Input, speed [][]float64, scale, level []float64) ([]float64, float64) {
	least := r.lp.Set(in, speed, 1)
	r.lp.Goal()[least] = 1
	if !r.Levels {
		sum := r.lp.addSecondGoal()
		for i := range in.Jobs {
			r.lp.AddSpeed(sum, i, scale[i])
		}
	}
	for i := range in.Jobs {
		if !math.IsNaN(level[i]) {
			r.lp.AddSpeed(r.lp.Row(-level[i]*(1-slackOf)), i, -scale[i])
			continue
		}
		row := r.lp.Row(0)
		r.lp.AddSpeed(row, i, -scale[i])
		row[least] = 1
	}
	solution, value, _ := r.lp.Solve()
	return solution, value
}

// fix fixes the jobs that cannot rise above the least speed, and reports whether others are left.
func (r *MaxMin) fix(level []float64, least float64) bool {
	first := len(r.lp.rows) - len(level)
	left := false
	fixed := false
	for i := range level {
		if !math.IsNaN(level[i]) {
			continue
		}
		if r.lp.price(first+i) > 1e-7 {
			level[i] = least
			fixed = true
		} else {
			left = true
		}
	}
	return fixed && left
}
