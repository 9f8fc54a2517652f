package kit

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// ReadyAfter returns the seconds after which all of n instances are ready with a
// probability of 99 %, which is a quantile of their lognormal boot times.
func ReadyAfter(b sim.Boot, n int) float64 {
	each := math.Pow(0.99, 1/float64(n))
	return b.Median.Seconds() * math.Exp(b.Sigma*math.Sqrt2*math.Erfinv(2*each-1))
}
