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

// Tolerance is the share of a bound by which a run may be below it for rounding alone: the
// simulator's clock has whole microseconds, so that what lasts a second is off by a millionth of
// itself at most; sums of costs are off by far less.
const Tolerance = 1e-6
