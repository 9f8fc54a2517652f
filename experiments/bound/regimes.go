package bound

import (
	"math"
	"slices"
)

// maxRegimes is the largest number of regimes.
const maxRegimes = 8

// newRegimes sorts the states of a course by what their capacity gains, and makes regimes of those that are alike.
// All is worked out at the prices of the beginning.
func newRegimes(p *problem, course Course) (regimes []Regime, regimeOf func(capacity []int) int) {
	gain := p.gains(course)
	quality := func(capacity []int) float64 {
		sum := 0.0
		for i, n := range capacity {
			sum += gain[i] * float64(min(n, p.c.Market.Pool(i).Quota))
		}
		return sum
	}
	qualities := make([]float64, course.Len())
	for i := range qualities {
		_, capacity := course.State(i)
		qualities[i] = quality(capacity)
	}
	cuts := evenCuts(qualities)
	regimeOf = func(capacity []int) int {
		i, found := slices.BinarySearch(cuts, quality(capacity))
		if found {
			i++
		}
		return i
	}
	members := make([][]int, len(cuts)+1)
	for i := range qualities {
		_, capacity := course.State(i)
		r := regimeOf(capacity)
		members[r] = append(members[r], i)
	}
	for r, of := range members {
		regime := p.newRegime(course, of)
		regime.Next = meanRates(course, of, regimeOf, len(members))
		regime.Next[r] = 0
		regimes = append(regimes, regime)
	}
	return regimes, regimeOf
}

// newRegime returns what can be held in the regime of some states, as in the middle one of them.
func (p *problem) newRegime(course Course, members []int) Regime {
	_, typical := course.State(members[len(members)/2])
	regime := Regime{}
	for _, cluster := range p.clusters(typical) {
		regime.Clusters = append(regime.Clusters, [2]float64{cluster.rate, cluster.cost})
		regime.workers = append(regime.workers, cluster.workers)
	}
	differs := func(member int) bool {
		_, capacity := course.State(member)
		return !slices.Equal(capacity, typical)
	}
	if !slices.ContainsFunc(members, differs) {
		regime.capacity = typical
	}
	return regime
}

// maxSampled is how many states of a regime its rates are the mean of.
const maxSampled = 25

// meanRates returns how often the law leads from some states to each of n regimes, times a second.
func meanRates(course Course, members []int, regimeOf func([]int) int, n int) []float64 {
	mean := make([]float64, n)
	rates := make([]float64, n)
	step := (len(members) + maxSampled - 1) / maxSampled
	sampled := float64((len(members) + step - 1) / step)
	for k := 0; k < len(members); k += step {
		course.Rates(members[k], regimeOf, rates)
		for r, rate := range rates {
			mean[r] += rate / sampled
		}
	}
	return mean
}

// evenCuts cuts the range of numbers evenly, and leaves out what has none. A cut is just below the least number above
// it; numbers that differ by their rounding alone stay together, so that there is a number between any two cuts.
func evenCuts(numbers []float64) []float64 {
	low := slices.Min(numbers)
	high := slices.Max(numbers)
	if high == low {
		return nil
	}
	var lowest [maxRegimes]float64 // of each part
	for i := range lowest {
		lowest[i] = math.Inf(1)
	}
	for _, number := range numbers {
		i := min(int((number-low)/(high-low)*maxRegimes), maxRegimes-1)
		lowest[i] = min(lowest[i], number)
	}
	var cuts []float64
	below := low // the least number since the last cut
	for _, number := range lowest[1:] {
		if cut := number * (1 - 1e-9); !math.IsInf(number, 1) && cut > below {
			cuts = append(cuts, cut)
			below = number
		}
	}
	return cuts
}

// gainStates is the number of states that gains are the mean of.
const gainStates = 12

// gains is what an instance of each pool gains, USD a second, in the mean of some states: with the pool at its quota,
// compared with the pool without capacity. Progress is worth what the last of it costs at a steady pace, halfway
// between all capacity and on demand alone.
func (p *problem) gains(course Course) []float64 {
	market := p.c.Market
	gain := make([]float64, market.Pools())
	quotas := make([]int, market.Pools())
	onDemand := make([]int, market.Pools())
	for i := range quotas {
		quotas[i] = market.Pool(i).Quota
		if market.Pool(i).OnDemand {
			onDemand[i] = quotas[i]
		}
	}
	price := p.steadyPrice(quotas)
	if higher := p.steadyPrice(onDemand); higher > price {
		price = (price + higher) / 2
	}
	cheapest := func(capacity []int) float64 {
		cluster, _ := p.solver.cheapest(p.holding(capacity), price, corner{})
		return cluster.costAt(price)
	}
	for k := range gainStates {
		_, capacity := course.State((2*k + 1) * course.Len() / (2 * gainStates))
		for i, quota := range quotas {
			if onDemand[i] > 0 || quota == 0 {
				continue
			}
			before := capacity[i]
			capacity[i] = 0
			without := cheapest(capacity)
			capacity[i] = quota
			gain[i] += max(without-cheapest(capacity), 0) / float64(gainStates*quota)
			capacity[i] = before
		}
	}
	return gain
}

// steadyPrice is what the last unit of progress costs on a capacity, where the work is done at a steady pace.
func (p *problem) steadyPrice(capacity []int) float64 {
	work := (p.goal - p.solver.begins()[0].progress) / p.c.Pace()
	pace := work / p.last.Sub(p.first).Seconds()
	price := 0.0
	last := corner{}
	for _, cluster := range p.clusters(capacity) {
		price = slope(last, cluster)
		last = cluster
		if cluster.rate > pace {
			break
		}
	}
	return price
}

// clusters returns the hull of what can be held at the prices of the beginning, without boots.
func (p *problem) clusters(capacity []int) []corner {
	s := p.holding(capacity)
	findHull(p.solver, s, 0.01)
	return s.known
}

// holding is the state of so much capacity at the prices of the beginning.
func (p *problem) holding(capacity []int) *state {
	s := &state{levels: make([][]level, len(capacity))}
	for i := range capacity {
		n := min(capacity[i], p.c.Market.Pool(i).Quota)
		if n > 0 {
			s.levels[i] = []level{{n, p.segments[0].usd[i]}}
		}
	}
	return s
}
