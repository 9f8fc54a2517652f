package share

import "slices"

// MaxSum (max_sum_throughput) makes the sum of the jobs' speeds as large as it can be.
type MaxSum struct {
	// PerDollar counts a speed by the price of its GPU (…_normalized_by_cost).
	PerDollar bool
	// Deadlines gives every job the speed at which it meets its deadline (…_SLOs); where that
	// cannot be, deadlines do not count.
	Deadlines bool
	// Possible leaves out the deadlines of jobs that could not meet them on the fastest model either: one such job
	// makes Gavel forget those of all.
	Possible bool

	lp linear
}

// KnowsWork implements Knower.
func (r *MaxSum) KnowsWork() bool { return r.Deadlines }

// Share implements Rule.
func (r *MaxSum) Share(in *Input, x *Shares) {
	x.Reset()
	if len(in.Jobs) == 0 {
		return
	}
	solution, _, ok := r.solve(in, r.Deadlines)
	if !ok {
		solution, _, _ = r.solve(in, false)
	}
	r.lp.shares(in, solution, x)
}

// solve returns an optimum, false where the deadlines cannot be met.
func (r *MaxSum) solve(in *Input, deadlines bool) ([]float64, float64, bool) {
	r.lp.set(in, in.Speeds(), 0)
	for i := range in.Jobs {
		for m, v := range r.lp.at[i] {
			if v == none {
				continue
			}
			r.lp.goal[v] = in.Jobs[i].Speed[m]
			if r.PerDollar {
				r.lp.goal[v] /= in.value(m)
			}
		}
		if j := &in.Jobs[i]; deadlines && j.Time > 0 && !(r.Possible && j.Left > j.Time*slices.Max(j.Speed)) {
			r.lp.work(r.lp.row(-j.Left/j.Time), i, -1)
		}
	}
	return r.lp.solve()
}

// value is the price of a model; what is paid for anyway counts as a hundredth of the highest price.
func (in *Input) value(m int) float64 {
	if in.Price[m] > 0 {
		return in.Price[m]
	}
	if largest := slices.Max(in.Price); largest > 0 {
		return largest / 100
	}
	return 1
}

// MinDuration (min_total_duration) makes the time until all jobs are done as short as it can
// be, as far as its bisection goes.
type MinDuration struct {
	running Running
	lp      linear
}

// Share implements Rule.
func (r *MinDuration) Share(in *Input, x *Shares) {
	x.Reset()
	some := r.running.Of(in)
	if len(some.Jobs) == 0 {
		return
	}
	solution, _ := r.solve(some)
	r.lp.shares(some, solution, x)
	r.running.Back(x)
}

// solve returns an optimum, and the time, s.
func (r *MinDuration) solve(in *Input) ([]float64, float64) {
	z := r.lp.set(in, in.Speeds(), 1)
	r.lp.goal[z] = 1
	longest := 0.0
	for i := range in.Jobs {
		longest = max(longest, in.Jobs[i].Left)
	}
	for i := range in.Jobs {
		row := r.lp.row(0)
		r.lp.work(row, i, -1)
		row[z] = in.Jobs[i].Left / longest
	}
	solution, value, _ := r.lp.solve()
	return solution, longest / value
}

// KnowsWork implements Knower.
func (*MinDuration) KnowsWork() bool { return true }
