package formulas

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

const secondsPerDay = 86400

// Nodes are machines that fail one by one, each at exponential times of the same rate.
type Nodes struct {
	N    int     // at least 1
	Rate float64 // failures per 1,000 node-days, over 0
}

// MTTF is the mean time until the first of the nodes fails, s: that of a job that needs all.
func (x Nodes) MTTF() float64 { return 1000 * secondsPerDay / (x.Rate * float64(x.N)) }

// Down is the mean number of nodes that are down, of n that are wanted up, each for repair seconds in the mean
// (Little's law): it holds for repairs of any law, where those that are down are replaced.
func (x Nodes) Down(repair float64) float64 { return repair / x.MTTF() }

// Unavailability is the share of time that a node is down whose failures and repairs take turns: repair seconds against
// its mean time to failure.
func (x Nodes) Unavailability(repair float64) float64 {
	one := Nodes{N: 1, Rate: x.Rate}
	return repair / (one.MTTF() + repair)
}

// Spares is the least number of nodes beyond N with which at least N are up for a share of the time, in (0, 1): all N
// and the spares fail and are repaired independently, so that those that are down are binomial.
func (x Nodes) Spares(repair, share float64) int {
	unavailable := x.Unavailability(repair)
	if unavailable == 0 {
		return 0
	}
	enough := func(spares int) bool {
		down := distuv.Binomial{N: float64(x.N + spares), P: unavailable}
		return down.CDF(float64(spares)) >= share
	}
	spares := 1
	for !enough(spares) {
		spares *= 2
		if spares > math.MaxInt32 {
			return spares
		}
	}
	return sort.Search(spares, enough)
}
