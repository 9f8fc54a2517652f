package bound

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// Values are what a plan expects a job to cost from a state on: by the regime of the market, the seconds since the
// submission and the work left, in units of progress. Any values give a bound.
type Values interface {
	Value(regime int, seconds, work float64) float64 // USD
	Price(regime int, seconds, work float64) float64 // USD for one more unit of work
	Rate(regime int, seconds, work float64) float64  // progress a second that the plan makes there
}

// Regime is a kind of state of a market: what can be held in a typical one, and how often the law leads to each other
// regime.
type Regime struct {
	Clusters [][2]float64 // progress and USD a second, of the lower convex hull, ascending
	Next     []float64    // by regime, times a second
	workers  [][]int32    // by cluster and pool; nil where it is not known
	capacity []int        // by pool; nil where the states of the regime differ
}

// Course is one course of a market, state by state.
type Course interface {
	// Len returns the number of states. A state is all that the law of what comes next depends on; the first is that of
	// the beginning.
	Len() int
	// State returns when a state begins, and how many instances of each pool there is capacity for.
	State(i int) (from sim.Time, capacity []int)
	// Rates fills in how often the law leads from a state to states of each regime, times a second; regime tells that
	// of capacities. What is drawn to estimate them must have the right expectation, and be independent of the
	// course.
	Rates(i int, regime func(capacity []int) int, into []float64)
}

// Law is the law of a market, of which one future is known here.
type Law struct {
	Future Course
	// Sample is a course by the same law, independent of the future given its first state: regimes are made of it.
	Sample Course
}

// Planner makes values for a job of work within seconds, on a market of regimes, where a boot takes boot seconds.
type Planner func(regimes []Regime, work, seconds, boot float64) Values

// WithoutForesight returns a number whose mean over the futures of a law is a lower bound of the expected cost, USD, of
// every policy that does not know the future and meets the objective in every run. It is an information relaxation with
// a penalty (Brown, Smith and Sun, Operations Research 58(4), 2010) that is linear in what a policy does (Brown and
// Smith, Operations Research 62(6), 2014).
//
// Let V be the values, N the martingale of their changes by the market's news along the policy's own work left w,
//
//	dN = V(m', w) - V(m, w) - its expectation under the law, where the market goes from m to m',
//
// with V replaced by its tangent at the work that the plan has left: V(w*) + V'(w*) (w - w*). Its slope is a
// martingale, the price of progress: p(t) at time t, P at the end. A policy that does not know the future has E N =
// 0, so that its expected cost is that of cost - N. With progress made at rate r(t), w falls by it, so N is a number
// that no policy moves, and minus the integral of (P - p(t)) r(t). So in one future cost - N is at least
//
//	the least of the integral of cost + (P - p(t)) rate over all that makes the progress, minus that number
//
// which is Hindsight's problem where a unit of progress made at t costs P - p(t) more: what the price still rises. It
// is solved as that one is, by weak duality in the price of the whole work. With the values of the best policy, and
// boots left out, it is that policy's cost.
//
// For it to hold, p has to be a martingale under all that a policy may know. Policies know a removal when the notice
// comes, so p(t) has the news until t and the longest notice. Policies may know the factors behind capacities, and all
// else that is independent of the news: prices and boots. Where rates are estimated, by draws that are independent of
// the market and have the right mean, E N is still 0 for every policy, as none sees the draws; the least above is taken
// for each future as it is, so that noise can only make the mean lower.
//
// Boots are charged over the time for which instances are known to last, as Hindsight does (type stretch), or over that
// which the law expects (type tenure). As no policy knows how long the next one will take, the paid part is its mean
// (type boots).
//
// Errors are those of Hindsight.
func WithoutForesight(c sim.Config, law Law, plan Planner) (usd float64, err error) {
	p, err := newProblem(&c, false)
	if err != nil {
		return 0, err
	}
	if len(p.segments) == 0 || law.Future.Len() == 0 {
		return 0, fmt.Errorf("bound: a market without a future: no time, or no state")
	}
	usd = math.Inf(1)
	var path *pricePath
	for _, begin := range p.solver.begins() {
		need := (p.goal - begin.progress) * (1 - safety) / c.Pace()
		if need <= 0 {
			return 0, nil
		}
		if path == nil {
			path = p.followPlan(law, plan, need)
		}
		usd = min(usd, p.penalised(need, begin.maxInstances, path))
	}
	return usd, nil
}

// planSteps is the number of steps in which a plan is followed.
const planSteps = 180

// followPlan makes a plan for so much progress, and follows it through the future.
func (p *problem) followPlan(law Law, plan Planner, need float64) *pricePath {
	regimes, regimeOf := newRegimes(p, law.Sample)
	boot := 0.0
	for i := range p.c.Market.Pools() {
		boot = max(boot, p.c.Market.Pool(i).Boot.Mean().Seconds())
	}
	values := plan(regimes, need, p.last.Sub(p.first).Seconds(), boot)
	return newPricePath(p, regimes, episodes(law.Future, regimeOf, len(regimes)), values, planSteps, need)
}

// episode is a time until the next one in which the state of the market stays.
type episode struct {
	from   sim.Time
	regime int
	rates  []float64 // by regime, times a second
}

// episodes lists the states of a course by their regimes, of which there are n.
func episodes(course Course, regimeOf func([]int) int, n int) []episode {
	out := make([]episode, course.Len())
	for i := range out {
		from, capacity := course.State(i)
		out[i] = episode{from: from, regime: regimeOf(capacity), rates: make([]float64, n)}
		course.Rates(i, regimeOf, out[i].rates)
	}
	return out
}

// penalised is the least of cost - N in a future.
func (p *problem) penalised(need float64, maxInstances int, path *pricePath) float64 {
	boots := newBoots(p.c)
	boots.setUnknown(p.segments)
	for {
		x := newSchedule(p, boots, maxInstances, newTenure(p, boots, path))
		usd := math.Inf(1)
		seconds := x.fastest(need)
		if !math.IsInf(seconds, 1) {
			usd = p.charged(x.alongPath(need, path)-x.credit-path.usd, seconds)
		}
		if boots.drawn == maxGrants || usd <= p.charged(boots.costOfMore(p.segments), 0) {
			return usd
		}
		boots.draw(8 * boots.drawn)
	}
}

// piece is a time in which the state stays and the price is linear.
type piece struct {
	lowest   *lowest
	seconds  float64
	from, to float64 // what the price still rises
}

// alongPath is the least cost where progress costs more by what its price still rises: the largest over lambda of
//
//	lambda need + sum over pieces of seconds (least cost - (lambda - what it still rises) rate)
//
// The least value is concave, so that the mean of those at the ends of a piece is below its mean. It is worked out
// where it matters: near the lambda that the plan expects, and near those that are the best by the clusters that are
// then known.
func (x *schedule) alongPath(need float64, path *pricePath) float64 {
	price, _ := x.knapsack(need)
	bounds := map[*state]*lowest{}
	lowestRise := map[*state]float64{}
	highestRise := map[*state]float64{}
	for _, s := range x.states {
		bounds[s] = newLowest(x.solver, s, reach*price)
		lowestRise[s] = math.Inf(1)
		highestRise[s] = math.Inf(-1)
	}
	var pieces []piece
	for _, stage := range x.stages {
		s := stage.state
		for from := stage.from; from < stage.to; {
			to := min(stage.to, path.nextPoint(from))
			part := piece{bounds[s], to.Sub(from).Seconds(), path.rise(from, true), path.rise(to, false)}
			lowestRise[s] = min(lowestRise[s], part.from, part.to)
			highestRise[s] = max(highestRise[s], part.from, part.to)
			pieces = append(pieces, part)
			from = to
		}
	}
	lambda := path.end(need)
	for range refined {
		for _, s := range x.states {
			bounds[s].refine(lambda-highestRise[s], lambda-lowestRise[s])
		}
		lambda, _ = highest(need, 4*reach*price, pieces, (*lowest).known)
	}
	_, usd := highest(need, 4*reach*price, pieces, (*lowest).at)
	return usd
}

// valueOf is what a state costs beyond its progress at a lambda, USD a second, and minus its slope.
type valueOf func(l *lowest, lambda float64) (usd, rate float64)

// highest returns the largest value over lambda, up to a high one, and where it is, by values of states.
func highest(need, high float64, pieces []piece, of valueOf) (at, usd float64) {
	usd, _ = sumAt(0, need, pieces, of)
	low := 0.0
	for range halvingsOfPrice {
		lambda := (low + high) / 2
		value, slope := sumAt(lambda, need, pieces, of)
		if value > usd {
			at = lambda
			usd = value
		}
		if slope > 0 {
			low = lambda
		} else {
			high = lambda
		}
	}
	return at, usd
}

// sumAt returns the sum at a lambda of which highest finds the largest, and its slope.
func sumAt(lambda, need float64, pieces []piece, of valueOf) (usd, slope float64) {
	usd = lambda * need
	slope = need
	for i := range pieces {
		part := &pieces[i]
		first, firstRate := of(part.lowest, lambda-part.from)
		last, lastRate := of(part.lowest, lambda-part.to)
		usd += part.seconds * (first + last) / 2
		slope -= part.seconds * (firstRate + lastRate) / 2
	}
	return usd, slope
}

// The least value of a state is worked out up to reach times the price of the last progress on the fastest clusters,
// and the price of the whole work to a part of that, in a number of rounds.
const (
	reach           = 2
	halvingsOfPrice = 40
	refined         = 8
)
