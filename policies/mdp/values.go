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
	process
	steepest float64 // USD for a unit of progress on the largest cluster instead of the one before
}

// NewValues works the table out, for an amount of work within seconds, in steps; a larger cluster takes a boot,
// seconds. Work that is late costs ten times what the fastest cluster takes for it, or twice the most expensive
// progress if that is more.
func NewValues(regimes []Regime, work, seconds float64, steps int, boot float64) *Values {
	v := &Values{}
	v.steps = steps
	v.phases = 1
	v.points = 2 * steps
	v.forgets = true
	v.dt = seconds / float64(steps)
	v.dw = work / float64(v.points)
	v.regimes = make([]options, len(regimes))
	fastest := Cluster{}
	for i := range regimes {
		of := &v.regimes[i]
		of.held = 1
		of.sure = make([]float64, 1)
		of.changes = make([]change, len(regimes[i].Clusters))
		last := Cluster{}
		for _, c := range regimes[i].Clusters {
			of.clusters = append(of.clusters, corner{c.Rate, c.USD})
			of.rows = append(of.rows, i)
			if c.Rate > last.Rate {
				v.steepest = max(v.steepest, (c.USD-last.USD)/(c.Rate-last.Rate))
			}
			if c.Rate > fastest.Rate {
				fastest = c
			}
			last = c
		}
	}
	v.latePrice = max(2*v.steepest, 10*fastest.USD/max(fastest.Rate, math.SmallestNonzeroFloat64))
	if v.latePrice == 0 { // all is free: being late costs something still
		v.latePrice = 1
	}
	v.numberHeld()
	v.leadOn(regimes, boot)
	memory := &tables{}
	v.begin(memory)
	v.workOutBackTo(0, memory)
	return v
}

// leadOn works out which regimes come after which. In a better one what the best cluster has more boots.
func (v *Values) leadOn(regimes []Regime, boot float64) {
	n := len(regimes)
	becomes := transitions(regimes, v.dt)
	best := make([]corner, n)
	for i := range best {
		best[i] = bestCorner(v.regimes[i].clusters, v.steepest/2)
	}
	for from := range n {
		var leads []lead
		for to := range n {
			if becomes[from*n+to] > 0 {
				points := max(best[to].rate-best[from].rate, 0) * boot / v.dw
				leads = append(leads, lead{change{points: points}, becomes[from*n+to], to})
			}
		}
		of := &v.regimes[from]
		of.leads = make([][]lead, len(of.clusters))
		for c := range of.leads {
			of.leads[c] = leads
		}
	}
}

// bestCorner returns the best cluster at a price of progress.
func bestCorner(corners []corner, price float64) (best corner) {
	for _, c := range corners {
		if price*c.rate-c.usd > price*best.rate-best.usd {
			best = c
		}
	}
	return best
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
	if work <= 0 {
		return 0
	}
	usd, _ := v.best(regime, seconds, work)
	return usd
}

// Price is what one more unit of work left costs in expectation, USD: no more than the most expensive progress.
func (v *Values) Price(regime int, seconds, work float64) float64 {
	low := max(work-v.dw, 0)
	high := work + v.dw
	rise := v.Value(regime, seconds, high) - v.Value(regime, seconds, low)
	return min(rise/(high-low), v.steepest)
}

// Rate is the progress a second of the best cluster.
func (v *Values) Rate(regime int, seconds, work float64) float64 {
	if work <= 0 {
		return 0
	}
	_, rate := v.best(regime, seconds, work)
	return rate
}
