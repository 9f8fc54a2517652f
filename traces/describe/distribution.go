package describe

import (
	"math"
	"strconv"
	"time"

	"github.com/marigram/marigram/traces"
)

// LifetimeDistribution says how long machines live.
type LifetimeDistribution interface {
	// Quantile returns the hours, above 0, that a share u, in [0, 1), of the
	// machines does not outlive.
	Quantile(u float64) float64
	// String names the distribution, for results.
	String() string
}

// RecordedLifetimes returns the Kaplan-Meier estimate of the lifetimes (see Lifetimes)
// of the machines of pools of a set; no pools means all. Machines that came with the
// first record are taken as new then. An error if no machine was lost.
func RecordedLifetimes(s *traces.Set, pools ...int) (LifetimeDistribution, error) {
	all, _ := Lifetimes(s)
	of := s.Manifest.TraceID
	if len(pools) > 0 {
		byPool := make([][]Lifetime, len(s.Pools))
		for _, l := range all {
			byPool[l.Pool] = append(byPool[l.Pool], l)
		}
		all = nil
		for _, p := range pools {
			all, of = append(all, byPool[p]...), of+"/"+s.Pools[p].Name
		}
	}
	v := KaplanMeier(all)
	if err := v.Check(); err != nil {
		return nil, err
	}
	v.Of = of
	return v, nil
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
