package policyutil

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// ReadyAfter returns the seconds after which all of n instances are ready with a
// probability of share, which is a quantile of their lognormal boot times.
func ReadyAfter(b sim.Boot, n int, share float64) float64 {
	each := math.Pow(share, 1/float64(n))
	return b.Median.Seconds() * math.Exp(b.Sigma*math.Sqrt2*math.Erfinv(2*each-1))
}

// ReadyIn returns the seconds after which n instances are ready with a probability of share, where they have been starting
// for some seconds: what is left of ReadyAfter, and once that is over what the boot times say of those that take longer.
func ReadyIn(b sim.Boot, since float64, n int, share float64) float64 {
	if left := ReadyAfter(b, n, share) - since; left > 0 || b.Sigma == 0 || b.Median == 0 {
		return max(left, 0)
	}
	each := math.Pow(share, 1/float64(n))
	longer := math.Erfc(math.Log(since/b.Median.Seconds())/b.Sigma/math.Sqrt2) / 2 // the share that takes longer than since
	z := math.Sqrt2 * math.Erfcinv(2*(1-each)*longer)
	left := b.Median.Seconds()*math.Exp(b.Sigma*z) - since
	if !(left < since) { // beyond what floating-point numbers tell apart
		return since
	}
	return max(left, 1)
}
