package share

import "math"

// MaxMin (max_min_fairness_perf: least attained service that knows the models, Gavel's own) makes
// the least normalised speed as large as it can be: a job's speed, by what it would have in an
// equal part of the cluster, by its weight, times its GPUs.
//
// Optima are many. Of these it takes one with the largest sum of normalised speeds; with Levels, that
// in which no normalised speed can rise without a lower one falling, which is unique in these.
type MaxMin struct {
	// Agnostic (max_min_fairness) takes all models for equal: time is shared, not speed.
	Agnostic bool
	// Levels raises the least, then the least of those that can still rise, and so on.
	Levels bool

	lp linear
}

// slackOf is by how much a value may be missed that an earlier program found.
const slackOf = 1e-9

// Share implements Rule.
func (r *MaxMin) Share(in *Input, x *Shares) {
	if len(in.Jobs) == 0 {
		x.Reset()
		return
	}
	speed := in.speeds()
	if r.Agnostic {
		speed = in.alike(none)
	}
	scale := in.normal(speed)
	level := make([]float64, len(in.Jobs)) // NaN: not fixed
	for i := range level {
		level[i] = math.NaN()
	}
	solution, z := r.raise(in, speed, scale, level)
	if r.Levels {
		for r.fix(level, z) {
			solution, z = r.raise(in, speed, scale, level)
		}
		r.lp.shares(in, solution, x)
		return
	}
	for i := range level {
		level[i] = z
	}
	r.lp.set(in, speed, 0)
	for i := range in.Jobs {
		r.lp.work(r.lp.goal, i, scale[i])
		r.lp.work(r.lp.row(-z*(1-slackOf)), i, -scale[i])
	}
	if best, _, ok := r.lp.solve(); ok {
		solution = best
	}
	r.lp.shares(in, solution, x)
}

// normal returns what makes speeds of jobs comparable: GPUs by weight, by the speed on an equal
// part of the cluster.
func (in *Input) normal(speed [][]float64) []float64 {
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
	z := r.lp.set(in, speed, 1)
	r.lp.goal[z] = 1
	for i := range in.Jobs {
		if !math.IsNaN(level[i]) {
			r.lp.work(r.lp.row(-level[i]*(1-slackOf)), i, -scale[i])
			continue
		}
		row := r.lp.row(0)
		r.lp.work(row, i, -scale[i])
		row[z] = 1
	}
	solution, value, _ := r.lp.solve()
	return solution, value
}

// fix fixes the jobs that cannot rise above z, and reports whether others are left.
func (r *MaxMin) fix(level []float64, z float64) bool {
	first := len(r.lp.rows) - len(level)
	left, fixed := 0, false
	for i := range level {
		switch {
		case !math.IsNaN(level[i]):
		case r.lp.price(first+i) > 1e-7:
			level[i], fixed = z, true
		default:
			left++
		}
	}
	return fixed && left > 0
}
