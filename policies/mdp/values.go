package mdp

import "math"

// Regime is a kind of state of a market whose law is given.
type Regime struct {
	Clusters []Cluster // ascending by rate; the first is nothing
	Next     []float64 // by regime: how often the market goes there, times a second
}

// Cluster is what can be held: progress and USD a second.
type Cluster struct{ Rate, USD float64 }

// Values is the policy's table for a law that is given, instead of one that is believed: what the rest of a job costs
// in expectation. There is no reserve before the deadline, and no promise.
type Values struct {
	table
	steepest float64 // USD for a unit of progress on the largest cluster instead of the one before
}

// NewValues works the table out, for an amount of work within seconds, in steps; a larger cluster takes a boot,
// seconds. Where no cluster is in time, work that is late costs ten times what the fastest cluster takes for it.
func NewValues(regimes []Regime, work, seconds float64, steps int, boot float64) *Values {
	n := len(regimes)
	v := &Values{}
	v.steps = steps
	v.points = 2 * steps
	v.dt = seconds / float64(steps)
	v.dw = work / float64(v.points)
	list := make([]regime, n)
	for i := range regimes {
		last := corner{}
		for _, c := range regimes[i].Clusters {
			corner := corner{rate: c.Rate, usd: c.USD}
			list[i].corners = append(list[i].corners, corner)
			if corner.rate > last.rate {
				v.steepest = max(v.steepest, (corner.usd-last.usd)/(corner.rate-last.rate))
			}
			last = corner
		}
	}
	v.regimes = n
	v.quality = make([]float64, n)
	v.order = make([]int, n)
	v.becomes = transitions(regimes, v.dt)
	v.changeWork = make([]float64, n*n)
	v.changeUSD = make([]float64, n*n)
	for i := range list {
		list[i].best, _ = bestCorner(list[i].corners, v.steepest/2)
		list[i].from = [][]corner{list[i].corners}
		v.order[i] = i
	}
	for from := range n {
		for to := range n {
			v.changeWork[from*n+to] = max(list[to].best.rate-list[from].best.rate, 0) * boot / v.dw
		}
	}
	memory := &tables{}
	v.begin(list, memory)
	v.workOutBackTo(0, memory)
	return v
}

// transitions returns the probabilities of the regimes after a time by the one before, by uniformization: the changes
// of a Poisson process that is as fast as the fastest regime.
func transitions(regimes []Regime, seconds float64) []float64 {
	n := len(regimes)
	fastest := 0.0
	leave := make([]float64, n)
	for i := range regimes {
		for _, rate := range regimes[i].Next {
			leave[i] += rate
		}
		fastest = max(fastest, leave[i])
	}
	sum := make([]float64, n*n)
	power := make([]float64, n*n) // of the matrix of one change
	next := make([]float64, n*n)
	for i := range n {
		power[i*n+i] = 1
	}
	weight := math.Exp(-fastest * seconds) // probability of so many changes
	covered := 0.0
	for changes := 1; ; changes++ {
		for i := range sum {
			sum[i] += weight * power[i]
		}
		covered += weight
		if covered > 1-1e-12 || changes > 10_000 {
			return sum
		}
		weight *= fastest * seconds / float64(changes)
		clear(next)
		for from := range n {
			for at := range n {
				reached := power[from*n+at]
				next[from*n+at] += reached * (1 - leave[at]/fastest)
				for to, rate := range regimes[at].Next {
					next[from*n+to] += reached * rate / fastest
				}
			}
		}
		power, next = next, power
	}
}

// Value is what the rest costs in expectation, USD, in a regime, by the seconds since the submission and the work left.
func (v *Values) Value(regime int, seconds, work float64) float64 {
	return v.interpolate(v.next, v.step(seconds), work/v.dw, regime, 0)
}

// Price is what one more unit of work left costs in expectation, USD: no more than the most expensive progress.
func (v *Values) Price(regime int, seconds, work float64) float64 {
	step := v.step(seconds)
	low := max(work/v.dw-1, 0)
	high := work/v.dw + 1
	rise := v.interpolate(v.next, step, high, regime, 0) - v.interpolate(v.next, step, low, regime, 0)
	return min(rise/((high-low)*v.dw), v.steepest)
}

// Rate is the progress a second of the best cluster.
func (v *Values) Rate(regime int, seconds, work float64) float64 {
	if work <= 0 {
		return 0
	}
	return v.interpolate(v.rates, v.step(seconds), work/v.dw, regime, 0)
}

func (v *Values) step(seconds float64) float64 { return min(max(seconds/v.dt, 0), float64(v.steps-1)) }
