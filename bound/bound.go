package bound

import "math"

// Bound is what no policy can beat.
type Bound struct {
	USD      float64 // no run that meets the objective costs less; +Inf if none can
	Seconds  float64 // no run meets it sooner; +Inf if none can within its time
	Progress float64 // units of progress that training takes at least
	Lambda   float64 // USD that one more of them costs at the optimum
	Segments int     // stretches of constant prices and capacity
}

// Possible reports whether the bound does not rule out that a policy meets the objective.
func (b *Bound) Possible() bool { return !math.IsInf(b.USD, 1) }

// Contradicts reports whether a run that met the objective for n dollars, m seconds
// after the submission, is below the bound: then one of the two is wrong. A millionth of the
// bound is left to rounding: the simulator's clock has whole microseconds, so that a run of a
// second or more ends and is billed within a millionth of itself; sums of floating-point numbers
// are off by far less. Numbers that are none contradict it.
func (b *Bound) Contradicts(usd, seconds float64) bool {
	return !(usd >= b.USD*(1-tolerated) && seconds >= b.Seconds*(1-tolerated))
}

const tolerated = 1e-6
