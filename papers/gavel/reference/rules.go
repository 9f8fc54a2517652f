package reference

import (
	"math"

	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// MaxMin is share.MaxMin at the optimum at which ECOS ends, the interior-point solver of Gavel's experiments, whose
// means depend on which it is.
type MaxMin struct {
	// Agnostic and Levels are as in share.MaxMin.
	Agnostic, Levels bool
	// Centre takes the analytic centre of the optima, which is unique. An interior-point solver ends near it.
	Centre bool

	running share.Running
	mid     centre
	end     classes
}

// Share implements share.Rule.
func (r *MaxMin) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	some := r.running.Of(in)
	if len(some.Jobs) == 0 {
		return
	}
	speed := some.Speeds()
	if r.Agnostic {
		speed = some.Alike(none)
	}
	if r.Centre {
		r.middle(some, speed, some.Normal(speed))
		r.mid.shares(some, x)
	} else {
		r.end.share(some, speed, r.Agnostic, r.Levels, x)
	}
	r.running.Back(x)
}

// middle finds the centre of the optima.
func (r *MaxMin) middle(in *share.Input, speed [][]float64, scale []float64) {
	c := &r.mid
	c.begin(in)
	for i := range in.Jobs {
		for m, v := range speed[i] {
			if in.GPUs[m] > 0 {
				c.gain[i*c.models+m] = v * scale[i]
			}
		}
	}
	c.maximise(closeTo)
	c.settle()
}

// FinishTime is rules.FinishTime at the optimum at which ECOS ends.
type FinishTime struct {
	rules.FinishTime
	// Centre takes the analytic centre of the optima.
	Centre bool

	running  share.Running
	mid      centre
	fairness float64 // of the centre
	end      fairPath
}

// Share implements share.Rule.
func (r *FinishTime) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	expected := r.Expected(in) // of all jobs, which are remembered
	some := r.running.Of(in)
	expected = r.running.Only(expected)
	switch {
	case len(some.Jobs) == 0:
		return
	case r.Centre:
		r.middle(some, expected)
		r.mid.shares(some, x)
	default:
		r.end.set(some, r.Speeds(some), expected)
		r.end.solve()
		r.end.put(some, r.end.shares, x)
	}
	r.running.Back(x)
}

// Clone implements share.Rememberer.
func (r *FinishTime) Clone() share.Rule {
	return &FinishTime{FinishTime: *r.FinishTime.Clone().(*rules.FinishTime), Centre: r.Centre}
}

// middle finds the centre of the optima: the fairness with which the least of the jobs' gains, their speeds by those
// that they need for it, is 1. It grows with the fairness, and how fast says the duals (Newton's method).
func (r *FinishTime) middle(in *share.Input, expected []float64) {
	speed := r.Speeds(in)
	smallest, c := 0.0, &r.mid
	for i := range in.Jobs {
		smallest = max(smallest, in.Jobs[i].Age/expected[i])
	}
	fairness, lo, hi := smallest+1, smallest, math.Inf(1)
	for close := roughly; ; {
		slope := r.maximise(in, speed, expected, fairness, close)
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

// maximise makes the least gain as large as it can be with a fairness, and returns how much it grows with that.
func (r *FinishTime) maximise(in *share.Input, speed [][]float64, expected []float64, fairness, close float64) (slope float64) {
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
	c.maximise(close)
	for i, e := range expected {
		slope += c.floor.dual[i] * rules.Speed(speed[i], c.x[i*c.models:(i+1)*c.models]) * e / in.Jobs[i].Left
	}
	return slope
}

// MinDuration is rules.MinDuration at the analytic centre of its optima.
type MinDuration struct {
	rules.MinDuration

	running share.Running
	mid     centre
}

// Share implements share.Rule.
func (r *MinDuration) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	some := r.running.Of(in)
	if len(some.Jobs) == 0 {
		return
	}
	r.middle(some)
	r.mid.shares(some, x)
	r.running.Back(x)
}

// middle finds the centre of the optima: a gain is a speed by the steps that are left, by the most that are left to any
// job.
func (r *MinDuration) middle(in *share.Input) {
	r.mid.begin(in)
	longest := 0.0
	for i := range in.Jobs {
		longest = max(longest, in.Jobs[i].Left)
	}
	for i := range in.Jobs {
		for m, v := range in.Jobs[i].Speed {
			if in.GPUs[m] > 0 {
				r.mid.gain[i*r.mid.models+m] = v * longest / in.Jobs[i].Left
			}
		}
	}
	r.mid.maximise(closeTo)
	r.mid.settle()
}
