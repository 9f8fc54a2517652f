package rules

import (
	"math"

	"github.com/marigram/marigram/policies/schedulers/share"
)

// FinishTime (finish_time_fairness_perf, like Themis) makes the largest finish-time fairness as small as
// it can be: the time of a job from its arrival to its end, by that which it would have with an equal part of
// the cluster for itself. Weights do not count.
type FinishTime struct {
	// Agnostic (finish_time_fairness) takes all models for the one with this place and 1 added;
	// 0: it knows the models.
	Agnostic int

	running share.Running
	lp      share.Program
	known   map[int]alone // replaced at each call: a fork has the same at first
}

// KnowsWork implements share.Knower.
func (*FinishTime) KnowsWork() bool { return true }

// alone is what is known of a job with an equal part of the cluster for itself.
type alone struct {
	since float64 // s in which it would have done what it did until the last call
	left  float64 // steps at the last call
	done  float64 // steps until the last call
	speed float64 // steps/s at the last call
}

// Share implements share.Rule.
func (r *FinishTime) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	expected := r.Expected(in) // of all jobs, which are remembered
	some := r.running.Of(in)
	expected = r.running.Only(expected)
	if len(some.Jobs) == 0 {
		return
	}
	solution, _ := r.solve(some, expected)
	r.lp.Put(some, solution, x)
	r.running.Back(x)
}

// Clone implements share.Rememberer.
func (r *FinishTime) Clone() share.Rule {
	return &FinishTime{Agnostic: r.Agnostic, known: r.known}
}

// Speeds returns the speeds that the rule believes.
func (r *FinishTime) Speeds(in *share.Input) [][]float64 {
	if r.Agnostic > 0 {
		return in.Alike(r.Agnostic - 1)
	}
	return in.Speeds()
}

// solve returns an optimum, and the largest fairness.
func (r *FinishTime) solve(in *share.Input, expected []float64) ([]float64, float64) {
	speed := r.Speeds(in)
	lo, hi := 0.0, 1.0
	best, ok := r.within(in, speed, expected, hi)
	for ; !ok && hi < 1e12; best, ok = r.within(in, speed, expected, hi) {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1e-7*hi {
		middle := (lo + hi) / 2
		if x, ok := r.within(in, speed, expected, middle); ok {
			best, hi = x, middle
		} else {
			lo = middle
		}
	}
	return best, hi
}

// Expected returns the time from arrival to end of each job with an equal part of the cluster for itself, which it
// remembers from call to call.
func (r *FinishTime) Expected(in *share.Input) []float64 { return r.expect(in, r.Speeds(in)) }

// expect returns the time from arrival to end of each job with an equal part for itself.
func (r *FinishTime) expect(in *share.Input, speed [][]float64) []float64 {
	known := map[int]alone{}
	expected := make([]float64, len(in.Jobs))
	part := make([]float64, len(in.GPUs))
	for i := range in.Jobs {
		j := &in.Jobs[i]
		a := r.known[j.ID]
		if a.speed > 0 {
			a.goOn(a.left - j.Left)
		}
		isolate(in, i, part)
		a.left, a.speed = j.Left, Speed(speed[i], part)
		expected[i] = a.since + j.Left/a.speed
		known[j.ID] = a
	}
	r.known = known
	return expected
}

// goOn counts steps that a job did since the last call, or lost, below 0: what was lost took as long as what was done
// did on average, so that no time is below 0 however slow the job would be now.
func (a *alone) goOn(steps float64) {
	if steps < 0 && a.done > 0 {
		a.since *= max(a.done+steps, 0) / a.done
	} else if steps > 0 {
		a.since += steps / a.speed
	}
	a.done = max(a.done+steps, 0)
}

// within returns shares with which no fairness is above a bound, false where there are none.
func (r *FinishTime) within(in *share.Input, speed [][]float64, expected []float64, bound float64) ([]float64, bool) {
	z := r.lp.Set(in, speed, 1)
	r.lp.Goal()[z] = 1
	r.lp.Row(1)[z] = 1
	for i := range in.Jobs {
		j := &in.Jobs[i]
		time := bound*expected[i] - j.Age
		if !(time > 0) {
			return nil, false
		}
		row := r.lp.Row(0)
		r.lp.AddSpeed(row, i, -1)
		row[z] = j.Left / time
	}
	x, value, ok := r.lp.Solve()
	return x, ok && value >= 1-1e-9 && !math.IsNaN(value)
}
