package mdp

import "math"

// Regime is a kind of state of a market whose law is given.
type Regime struct {
	Clusters []Cluster // ascending by rate; the first is nothing
	Next     []float64 // by regime: how often the market goes there, times a second
}

// Cluster is what can be held: progress and USD a second.
type Cluster struct{ Rate, USD float64 }

// Values is the policy's table for a law that is given, instead of one that is believed: what the rest of a job costs in expectation. There is no
// reserve before the deadline, and no promise.
type Values struct {
	table
	steepest float64 // USD for a unit of progress on the largest cluster instead of the one before
}

// NewValues works the table out, for an amount of work within seconds, in steps; a larger cluster takes a boot, seconds. Where no cluster is in time,
// work that is late costs ten times what the fastest cluster takes for it.
func NewValues(regimes []Regime, work, seconds float64, steps int, boot float64) *Values {
	n := len(regimes)
	v := &Values{table: table{steps: steps, points: 2 * steps, dt: seconds / float64(steps), dw: work / float64(2*steps)}}
	list := make([]regime, n)
	for i := range regimes {
		last := corner{}
		for _, c := range regimes[i].Clusters {
			now := corner{rate: c.Rate, usd: c.USD}
			list[i].corners = append(list[i].corners, now)
			if now.rate > last.rate {
				v.steepest = max(v.steepest, (now.usd-last.usd)/(now.rate-last.rate))
			}
			last = now
		}
	}
	v.quality, v.weight = make([]float64, n), transitions(regimes, v.dt)
	v.regimes, v.order = n, make([]int, n)
	v.shift, v.change = make([]float64, n*n), make([]float64, n*n)
	for i := range list {
		list[i].best, _ = gain(list[i].corners, v.steepest/2)
		list[i].from, v.order[i] = [][]corner{list[i].corners}, i
	}
	for a := range n {
		for b := range n {
			v.shift[a*n+b] = max(list[b].best.rate-list[a].best.rate, 0) * boot / v.dw
		}
	}
	x := &tables{}
	v.begin(list, x)
	v.until(0, x)
	return v
}

// transitions are the probabilities of the regimes after a time by the one before, by uniformization: the changes of a Poisson process that is as fast
// as the fastest regime.
func transitions(regimes []Regime, seconds float64) []float64 {
	n, fastest := len(regimes), 0.0
	leave := make([]float64, n)
	for i := range regimes {
		for _, r := range regimes[i].Next {
			leave[i] += r
		}
		fastest = max(fastest, leave[i])
	}
	out, now, next := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		now[i*n+i] = 1
	}
	weight, sum := math.Exp(-fastest*seconds), 0.0
	for k := 1; ; k++ {
		for i := range out {
			out[i] += weight * now[i]
		}
		if sum += weight; sum > 1-1e-12 || k > 10_000 {
			return out
		}
		weight *= fastest * seconds / float64(k)
		clear(next)
		for a := range n {
			for b := range n {
				next[a*n+b] += now[a*n+b] * (1 - leave[b]/fastest)
				for c, r := range regimes[b].Next {
					next[a*n+c] += now[a*n+b] * r / fastest
				}
			}
		}
		now, next = next, now
	}
}

// Value is what the rest costs in expectation, USD, in a regime, by the seconds since the submission and the work left.
func (v *Values) Value(regime int, seconds, work float64) float64 {
	return v.within(v.next, v.step(seconds), work/v.dw, regime, 0)
}

// Price is what one more unit of work left costs in expectation, USD: no more than the most expensive progress.
func (v *Values) Price(regime int, seconds, work float64) float64 {
	x, s := work/v.dw, v.step(seconds)
	low := max(x-1, 0)
	return min((v.within(v.next, s, x+1, regime, 0)-v.within(v.next, s, low, regime, 0))/((x+1-low)*v.dw), v.steepest)
}

// Rate is the progress a second of the best cluster.
func (v *Values) Rate(regime int, seconds, work float64) float64 {
	if work <= 0 {
		return 0
	}
	return v.within(v.rates, v.step(seconds), work/v.dw, regime, 0)
}

func (v *Values) step(seconds float64) float64 { return min(max(seconds/v.dt, 0), float64(v.steps-1)) }
