package share

import "math"

// FinishTime (finish_time_fairness_perf, like Themis) makes the largest finish-time fairness as small as
// it can be: the time of a job from its arrival to its end, by that which it would have with an equal part of
// the cluster for itself. Weights do not count.
type FinishTime struct {
	// Agnostic (finish_time_fairness) takes all models for the one with this place and 1 added;
	// 0: it knows the models.
	Agnostic int
	// Centre takes the analytic centre of the optima, see MaxMin; without it, which of them is left to the solver. It is faster.
	Centre bool
	// ECOS takes the optimum at which ECOS ends, the interior-point solver of Gavel's experiments, see MaxMin.
	ECOS bool

	able     able
	mid      centre
	fairness float64 // of the centre
	end      fairPath
	lp       linear
	known    map[int]alone // replaced at each call: a fork has the same at first
}

// alone is what is known of a job with an equal part of the cluster for itself.
type alone struct {
	since float64 // s in which it would have done what it did until the last call
	left  float64 // steps at the last call
	done  float64 // steps until the last call
	speed float64 // steps/s at the last call
}

// Share implements Rule.
func (r *FinishTime) Share(in *Input, x *Shares) {
	x.Reset()
	expected := r.expect(in, r.speeds(in)) // of all jobs, which are remembered
	some := r.able.of(in)
	expected = r.able.only(expected)
	switch {
	case len(some.Jobs) == 0:
		return
	case r.Centre:
		r.middle(some, expected)
		r.mid.shares(some, x)
	case r.ECOS:
		r.end.set(some, r.speeds(some), expected)
		r.end.solve()
		r.end.put(some, r.end.shares, x)
	default:
		solution, _ := r.solve(some, expected)
		r.lp.shares(some, solution, x)
	}
	r.able.back(x)
}

// Clone implements Rememberer.
func (r *FinishTime) Clone() Rule {
	return &FinishTime{Agnostic: r.Agnostic, Centre: r.Centre, ECOS: r.ECOS, known: r.known}
}

// middle finds the centre of the optima: the fairness with which the least of the jobs' gains, their speeds by those that they need for it,
// is 1. It grows with the fairness, and how fast says the duals (Newton's method).
func (r *FinishTime) middle(in *Input, expected []float64) {
	speed := r.speeds(in)
	least, c := 0.0, &r.mid
	for i := range in.Jobs {
		least = max(least, in.Jobs[i].Age/expected[i])
	}
	fairness, lo, hi := least+1, least, math.Inf(1)
	for close := roughly; ; {
		slope := r.climb(in, speed, expected, fairness, close)
		miss := 1 - c.level
		switch {
		case math.Abs(miss) > 0.1:
		case close > closeTo:
			close = closeTo
		case math.Abs(miss) <= 1e-7 || hi-lo <= 1e-9*hi:
			c.settle()
			r.fairness = fairness
			return
		}
		if miss > 0 {
			lo = fairness
		} else {
			hi = fairness
		}
		if fairness += miss / slope; !(fairness > lo && fairness < hi) {
			fairness = min((lo+hi)/2, 2*lo)
		}
	}
}

// climb makes the least gain as large as it can be with a fairness, and returns how much it grows with that.
func (r *FinishTime) climb(in *Input, speed [][]float64, expected []float64, fairness, close float64) (slope float64) {
	c := &r.mid
	c.begin(in)
	for i := range in.Jobs {
		j := &in.Jobs[i]
		for m, v := range speed[i] {
			if in.GPUs[m] > 0 {
				c.gain[i*c.models+m] = v * (fairness*expected[i] - j.Age) / j.Left
			}
		}
	}
	c.climb(close)
	for i, e := range expected {
		slope += c.floor.dual[i] * total(speed[i], c.x[i*c.models:(i+1)*c.models]) * e / in.Jobs[i].Left
	}
	return slope
}

// speeds returns the speeds that the rule believes.
func (r *FinishTime) speeds(in *Input) [][]float64 {
	if r.Agnostic > 0 {
		return in.alike(r.Agnostic - 1)
	}
	return in.speeds()
}

// solve returns an optimum, and the largest fairness.
func (r *FinishTime) solve(in *Input, expected []float64) ([]float64, float64) {
	speed := r.speeds(in)
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

// expect returns the time from arrival to end of each job with an equal part for itself.
func (r *FinishTime) expect(in *Input, speed [][]float64) []float64 {
	known := map[int]alone{}
	expected := make([]float64, len(in.Jobs))
	part := make([]float64, len(in.GPUs))
	for i := range in.Jobs {
		j := &in.Jobs[i]
		a := r.known[j.ID]
		if a.speed > 0 {
			a.goOn(a.left - j.Left)
		}
		in.isolated(i, part)
		a.left, a.speed = j.Left, total(speed[i], part)
		expected[i] = a.since + j.Left/a.speed
		known[j.ID] = a
	}
	r.known = known
	return expected
}

// goOn counts steps that a job did since the last call, or lost, below 0: what was lost took as long as what was done did on average, so that
// no time is below 0 however slow the job would be now.
func (a *alone) goOn(steps float64) {
	if steps < 0 && a.done > 0 {
		a.since *= max(a.done+steps, 0) / a.done
	} else if steps > 0 {
		a.since += steps / a.speed
	}
	a.done = max(a.done+steps, 0)
}

// within returns shares with which no fairness is above a bound, false where there are none.
func (r *FinishTime) within(in *Input, speed [][]float64, expected []float64, bound float64) ([]float64, bool) {
	z := r.lp.set(in, speed, 1)
	r.lp.goal[z] = 1
	r.lp.row(1)[z] = 1
	for i := range in.Jobs {
		j := &in.Jobs[i]
		time := bound*expected[i] - j.Age
		if !(time > 0) {
			return nil, false
		}
		row := r.lp.row(0)
		r.lp.work(row, i, -1)
		row[z] = j.Left / time
	}
	x, value, ok := r.lp.solve()
	return x, ok && value >= 1-1e-9 && !math.IsNaN(value)
}
