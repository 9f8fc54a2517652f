package policyutil

import (
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// Waiter is a policy that polls, and can say what it waits for.
type Waiter interface {
	sim.Policy
	// PollEvery returns the time between two looks, counted from the decision before; 0 is none but at events.
	PollEvery() time.Duration
	// Spares returns for how many seconds there is nothing to decide unless something comes that Wait
	// waits for; 0 if there may be now.
	Spares(v sim.View) float64
	// Wait names conditions and events (Plan.WakeWhen, Plan.WaitFor).
	Wait(v sim.View, plan *sim.Plan)
}

// Rest leaves out looks at which there is nothing to decide, and reports whether it does: the policy waits for what
// it names, and for the last look, of those that are so long apart, before the end of a span in seconds. That one is at
// the instant at which it would have been, so that what comes after it is decided when it would have been.
func Rest(v sim.View, p Waiter, spare float64, apart time.Duration, plan *sim.Plan) bool {
	if spare <= 0 {
		return false
	}
	if !math.IsInf(spare, 1) {
		apart = (apart + time.Microsecond - 1).Truncate(time.Microsecond)
		polls := math.Floor((spare - rounding) / apart.Seconds())
		if !(polls >= 2) || apart <= 0 {
			return false
		}
		plan.WakeIn(time.Duration(polls) * apart)
	}
	p.Wait(v, plan)
	return true
}

// rounding is more than the rounding of times, s.
const rounding = 1e-3

// ReadyAfter returns the seconds after which all of n instances are ready with a
// probability of share, which is a quantile of their lognormal boot times.
func ReadyAfter(b sim.Boot, n int, share float64) float64 {
	each := math.Pow(share, 1/float64(n))
	return b.Median.Seconds() * math.Exp(b.Sigma*math.Sqrt2*math.Erfinv(2*each-1))
}

// ReadyIn returns the seconds after which n instances are ready with a probability of share, where they have been
// starting for some seconds: what is left of ReadyAfter, and once that is over what the boot times say of those that
// take longer.
func ReadyIn(b sim.Boot, since float64, n int, share float64) float64 {
	if left := ReadyAfter(b, n, share) - since; left > 0 || b.Sigma == 0 || b.Median == 0 {
		return max(left, 0)
	}
	each := math.Pow(share, 1/float64(n))
	sigmas := math.Log(since/b.Median.Seconds()) / b.Sigma
	longer := math.Erfc(sigmas/math.Sqrt2) / 2 // the share that takes longer than since
	z := math.Sqrt2 * math.Erfcinv(2*(1-each)*longer)
	left := b.Median.Seconds()*math.Exp(b.Sigma*z) - since
	if !(left < since) { // beyond what floating-point numbers tell apart
		return since
	}
	return max(left, 1)
}
