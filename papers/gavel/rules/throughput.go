package rules

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
)

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

	lp share.Program
}

// KnowsWork implements share.Knower.
func (r *MaxSum) KnowsWork() bool { return r.Deadlines }

// Share implements share.Rule.
func (r *MaxSum) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	if len(in.Jobs) == 0 {
		return
	}
	solution, _, ok := r.solve(in, r.Deadlines)
	if !ok {
		solution, _, _ = r.solve(in, false)
	}
	r.lp.Put(in, solution, x)
}

// solve returns an optimum, false where the deadlines cannot be met.
func (r *MaxSum) solve(in *share.Input, deadlines bool) ([]float64, float64, bool) {
	r.lp.Set(in, in.Speeds(), 0)
	goal := r.lp.Goal()
	for i := range in.Jobs {
		job := &in.Jobs[i]
		for m := range in.GPUs {
			variable, runs := r.lp.Variable(i, m)
			if !runs {
				continue
			}
			goal[variable] = job.Speed[m]
			if r.PerDollar {
				goal[variable] /= priceOf(in, m)
			}
		}
		impossible := job.Left > job.Time*slices.Max(job.Speed)
		if deadlines && job.Time > 0 && !(r.Possible && impossible) {
			r.lp.AddSpeed(r.lp.Row(-job.Left/job.Time), i, -1)
		}
	}
	return r.lp.Solve()
}

// priceOf is the price of a model; what is paid for anyway counts as a hundredth of the highest price.
func priceOf(in *share.Input, m int) float64 {
	if in.Price[m] > 0 {
		return in.Price[m]
	}
	if highest := slices.Max(in.Price); highest > 0 {
		return highest / 100
	}
	return 1
}

// MinDuration (min_total_duration) makes the time until all jobs are done as short as it can
// be, as far as its bisection goes.
type MinDuration struct {
	running share.Running
	lp      share.Program
}

// Share implements share.Rule.
func (r *MinDuration) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	some := r.running.Of(in)
	if len(some.Jobs) == 0 {
		return
	}
	solution, _ := r.solve(some)
	r.lp.Put(some, solution, x)
	r.running.Back(x)
}

// solve returns an optimum, and the time, s.
func (r *MinDuration) solve(in *share.Input) ([]float64, float64) {
	z := r.lp.Set(in, in.Speeds(), 1)
	r.lp.Goal()[z] = 1
	longest := 0.0
	for i := range in.Jobs {
		longest = max(longest, in.Jobs[i].Left)
	}
	for i := range in.Jobs {
		row := r.lp.Row(0)
		r.lp.AddSpeed(row, i, -1)
		row[z] = in.Jobs[i].Left / longest
	}
	solution, value, _ := r.lp.Solve()
	return solution, longest / value
}

// KnowsWork implements share.Knower.
func (*MinDuration) KnowsWork() bool { return true }
