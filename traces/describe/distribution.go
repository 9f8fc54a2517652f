package describe

import (
	"math"
	"strconv"
	"time"
)

// LifetimeDistribution says how long machines live.
type LifetimeDistribution interface {
	// Quantile returns the hours, above 0, that a share u, in [0, 1), of the
	// machines does not outlive.
	Quantile(u float64) float64
	// String names the distribution, for results.
	String() string
}

// ExponentialLifetime is the distribution of machines that do not age; its value is
// their mean lifetime in hours, above 0.
type ExponentialLifetime float64

// Quantile implements LifetimeDistribution.
func (mean ExponentialLifetime) Quantile(u float64) float64 { return -float64(mean) * math.Log1p(-u) }

// String names the distribution, for results.
func (mean ExponentialLifetime) String() string {
	return "exponential(mean=" + shortest(float64(mean)) + "h)"
}

// Capped is a distribution whose every lifetime has ended by an age: who would live
// longer is lost then. Google's preemptible VMs ended by 24 h (recorded ones within
// half an hour after); its Spot VMs, which took their place, have no limit.
type Capped struct {
	LifetimeDistribution
	Max time.Duration // above 0
}

// Quantile implements LifetimeDistribution.
func (c Capped) Quantile(u float64) float64 {
	return math.Min(c.LifetimeDistribution.Quantile(u), c.Max.Hours())
}

// String names the distribution, for results.
func (c Capped) String() string {
	return c.LifetimeDistribution.String() + "<=" + shortest(c.Max.Hours()) + "h"
}

// shortest is a number in as few digits as tell it.
func shortest(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// MaxLifetimeHours bounds believed lifetimes: a hundred years.
const MaxLifetimeHours = 100 * 365 * 24
