package share

import "math"

// MinDurationPacked (min_total_duration_packed) is MinDuration with pairs of jobs, as MaxMinPacked has them. Of the optima it takes one
// with the largest sum of the jobs' speeds, by what is left to each.
type MinDurationPacked struct{ lp MaxMinPacked }

// KnowsWork implements Knower.
func (*MinDurationPacked) KnowsWork() bool { return true }

// Share implements Rule.
func (r *MinDurationPacked) Share(in *Input, x *Shares) {
	x.Reset()
	in = r.lp.running.Of(in)
	if len(in.Jobs) == 0 {
		return
	}
	longest, scale := 0.0, make([]float64, len(in.Jobs))
	for i := range in.Jobs {
		longest = max(longest, in.Jobs[i].Left)
	}
	for i := range in.Jobs {
		scale[i] = longest / in.Jobs[i].Left
	}
	r.lp.max(in, scale, x)
	r.lp.running.Back(x)
}

// FinishTimePacked (finish_time_fairness_packed) is FinishTime with pairs of jobs, as MaxMinPacked has them. Of the optima it takes one
// with the largest sum of the jobs' speeds, by what each needs for the fairness.
type FinishTimePacked struct {
	lp    MaxMinPacked
	alone FinishTime // what the jobs would have had alone
}

// KnowsWork implements Knower.
func (*FinishTimePacked) KnowsWork() bool { return true }

// Clone implements Rememberer.
func (r *FinishTimePacked) Clone() Rule {
	return &FinishTimePacked{alone: FinishTime{known: r.alone.known}}
}

// Share implements Rule: shares have a fairness, and those that are best for it have a better one, until there is none (Dinkelbach's
// method).
func (r *FinishTimePacked) Share(in *Input, x *Shares) {
	x.Reset()
	expected := r.alone.expect(in, in.Speeds())
	in = r.lp.running.Of(in)
	if len(in.Jobs) == 0 {
		return
	}
	expected = r.lp.running.Only(expected)
	scale := make([]float64, len(in.Jobs))
	Isolated{}.Share(in, x)
	for worst, last := in.fairness(x, expected), math.Inf(1); worst < last*(1-closeEnough); {
		for i := range in.Jobs {
			scale[i] = (worst*expected[i] - in.Jobs[i].Age) / in.Jobs[i].Left
		}
		r.lp.max(in, scale, x)
		last, worst = worst, min(worst, in.fairness(x, expected))
	}
	r.lp.running.Back(x)
}

// closeEnough is by how much a fairness has to fall so that another program is solved.
const closeEnough = 1e-6

// fairness is the largest finish-time fairness of the jobs under shares.
func (in *Input) fairness(x *Shares, expected []float64) (worst float64) {
	speed := make([]float64, len(in.Jobs))
	for k, u := range x.Units {
		for m, v := range x.X[k] {
			switch {
			case v == 0:
			case u.B == Alone:
				speed[u.A] += v * in.Jobs[u.A].Speed[m]
			default:
				of, other := in.Together(u.A, u.B, m)
				speed[u.A] += v * of
				speed[u.B] += v * other
			}
		}
	}
	for i := range in.Jobs {
		j := &in.Jobs[i]
		worst = max(worst, (j.Age+j.Left/speed[i])/expected[i])
	}
	return worst
}
