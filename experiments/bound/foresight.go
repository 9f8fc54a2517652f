package bound

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// Values are what a plan expects a job to cost from a state on: by the regime of the market, the seconds since the submission and the work left, in
// units of progress. Any values give a bound.
type Values interface {
	Value(regime int, seconds, work float64) float64 // USD
	Price(regime int, seconds, work float64) float64 // USD for one more unit of work
	Rate(regime int, seconds, work float64) float64  // progress a second that the plan makes there
}

// Regime is a kind of state of a market: what can be held in a typical one, and how often the law leads to each other regime.
type Regime struct {
	Clusters [][2]float64 // progress and USD a second, of the lower convex hull, ascending
	Next     []float64    // by regime, times a second
	workers  [][]int32    // by cluster and pool; nil where it is not known
	capacity []int        // by pool; nil where the states of the regime differ
}

// Course is one course of a market, state by state.
type Course interface {
	// Len returns the number of states. A state is all that the law of what comes next depends on; the first is that of the beginning.
	Len() int
	// State returns when a state begins, and how many instances of each pool there is capacity for.
	State(i int) (from sim.Time, capacity []int)
	// Rates fills in how often the law leads from a state to states of each regime, times a second; regime tells that of capacities.
	// What is drawn to estimate them must have the right expectation, and be independent of the course.
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

// WithoutForesight returns a number whose mean over the futures of a law is a lower bound of the expected cost, USD, of every policy that does not know
// the future and meets the objective in every run. It is an information relaxation with a penalty (Brown, Smith and Sun,
// Operations Research 58(4), 2010) that is linear in what a policy does (Brown and Smith, Operations Research 62(6), 2014).
//
// Let V be the values, N the martingale of their changes by the market's news along the policy's own work left w,
//
//	dN = V(m', w) - V(m, w) - its expectation under the law, where the market goes from m to m',
//
// with V replaced by its tangent at the work that the plan has left: V(w*) + V'(w*) (w - w*). Its slope is a martingale, the price of
// progress: p(t) at time t, P at the end. A policy that does not know the future has E N = 0, so that its expected cost is that of cost - N. With progress
// made at rate r(t), w falls by it, so N is a number that no policy moves, and minus the integral of (P - p(t)) r(t). So in one future
// cost - N is at least
//
//	the least of the integral of cost + (P - p(t)) rate over all that makes the progress, minus that number
//
// which is Hindsight's problem where a unit of progress made at t costs P - p(t) more: what the price still rises. It is solved as that one
// is, by weak duality in the price of the whole work. With the values of the best policy, and boots left out, it is that policy's cost.
//
// For it to hold, p has to be a martingale under all that a policy may know. Policies know a removal when the notice comes, so p(t) has the news
// until t and the longest notice. Policies may know the factors behind capacities, and all else that is independent of the news: prices
// and boots. Where rates are estimated, by draws that are independent of the market and have the right mean, E N is still 0 for every
// policy, as none sees the draws; the least above is taken for each future as it is, so that noise can only make the mean lower.
//
// Boots are charged over the time for which instances are known to last, as Hindsight does (type stretch), or over that which the law expects (type
// tenure). As no policy knows how long the next one will take, the paid part is its mean (type boots).
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
	for _, b := range p.solver.begins() {
		need := (p.goal - b.progress) * (1 - safety) / p.c.Pace()
		if need <= 0 {
			return 0, nil
		}
		if path == nil {
			regimes, of := newRegimes(p, law.Sample)
			boot := 0.0
			for i := range c.Market.Pools() {
				boot = max(boot, c.Market.Pool(i).Boot.Mean().Seconds())
			}
			v := plan(regimes, need, p.last.Sub(p.first).Seconds(), boot)
			path = newPricePath(p, regimes, episodes(law.Future, of, len(regimes)), v, planSteps, need)
		}
		usd = min(usd, p.penalised(need, b.max, path))
	}
	return usd, nil
}

// planSteps is the number of steps in which a plan is followed.
const planSteps = 180

// Episode is a time until the next one in which the state of the market stays.
type Episode struct {
	From   sim.Time
	Regime int
	Rates  []float64 // by regime, times a second
}

// episodes lists the states of a course by their regimes.
func episodes(x Course, regime func([]int) int, n int) []Episode {
	out := make([]Episode, x.Len())
	for i := range out {
		e := &out[i]
		at, capacity := x.State(i)
		e.From, e.Regime, e.Rates = at, regime(capacity), make([]float64, n)
		x.Rates(i, regime, e.Rates)
	}
	return out
}

// penalised is the least of cost - N in a future.
func (p *problem) penalised(need float64, largest int, path *pricePath) float64 {
	boots := newBoots(p.c)
	boots.unknown(p.segments)
	for {
		x := newSchedule(p, boots, largest, newTenure(p, boots, path))
		seconds, usd := x.fastest(need), math.Inf(1)
		if !math.IsInf(seconds, 1) {
			usd = p.charged(x.alongPath(need, path)-x.credit-path.usd, seconds)
		}
		if boots.drawn == maxGrants || usd <= p.charged(boots.enough(p.segments), 0) {
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
// The least value is concave, so that the mean of those at the ends of a piece is below its mean. It is worked out where it matters:
// near the lambda that the plan expects, and near those that are the best by the clusters that are then known.
func (x *schedule) alongPath(need float64, path *pricePath) float64 {
	price, _ := x.knapsack(need)
	by, lows, highs := map[*state]*lowest{}, map[*state]float64{}, map[*state]float64{}
	for _, s := range x.states {
		by[s], lows[s], highs[s] = lowestOf(x.solver, s, reach*price), math.Inf(1), math.Inf(-1)
	}
	var pieces []piece
	for _, g := range x.stages {
		for from := g.from; from < g.to; {
			to := min(g.to, path.next(from))
			q := piece{by[g.state], to.Sub(from).Seconds(), path.left(from, true), path.left(to, false)}
			lows[g.state], highs[g.state] = min(lows[g.state], q.from, q.to), max(highs[g.state], q.from, q.to)
			pieces = append(pieces, q)
			from = to
		}
	}
	lambda := path.end(need)
	for range refined {
		for _, s := range x.states {
			by[s].refine(lambda-highs[s], lambda-lows[s])
		}
		lambda, _ = highest(need, 4*reach*price, pieces, (*lowest).known)
	}
	_, usd := highest(need, 4*reach*price, pieces, (*lowest).at)
	return usd
}

// highest returns the largest value over lambda, up to some, and where it is, by least values of states.
func highest(need, high float64, pieces []piece, of func(*lowest, float64) (usd, rate float64)) (at, best float64) {
	value := func(lambda float64) (usd, slope float64) {
		usd, slope = lambda*need, need
		for i := range pieces {
			q := &pieces[i]
			a, rate := of(q.lowest, lambda-q.from)
			b, other := of(q.lowest, lambda-q.to)
			usd += q.seconds * (a + b) / 2
			slope -= q.seconds * (rate + other) / 2
		}
		return usd, slope
	}
	best, _ = value(0)
	for low, k := 0.0, 0; k < halvingsOfPrice; k++ {
		lambda := (low + high) / 2
		usd, slope := value(lambda)
		if usd > best {
			at, best = lambda, usd
		}
		if slope > 0 {
			low = lambda
		} else {
			high = lambda
		}
	}
	return at, best
}

// The least value of a state is worked out up to reach times the price of the last progress on the fastest clusters, and the price of the
// whole work to a part of that, in a number of rounds.
const (
	reach           = 2
	halvingsOfPrice = 40
	refined         = 8
)

// maxRegimes is the largest number of regimes.
const maxRegimes = 8

// newRegimes sorts the states of a course by what their capacity gains, and makes regimes of those that are alike. All is worked out at the prices
// of the beginning.
func newRegimes(p *problem, x Course) (regimes []Regime, of func(capacity []int) int) {
	gain := p.gains(x)
	quality := func(capacity []int) (sum float64) {
		for i, n := range capacity {
			sum += gain[i] * float64(min(n, p.c.Market.Pool(i).Quota))
		}
		return sum
	}
	all := make([]float64, x.Len())
	for i := range all {
		_, capacity := x.State(i)
		all[i] = quality(capacity)
	}
	cuts := evenCuts(all)
	of = func(capacity []int) int {
		i, found := slices.BinarySearch(cuts, quality(capacity))
		if found {
			i++
		}
		return i
	}
	members := make([][]int, len(cuts)+1)
	for i := range all {
		_, capacity := x.State(i)
		members[of(capacity)] = append(members[of(capacity)], i)
	}
	for _, m := range members {
		regimes = append(regimes, p.regime(x, m, of, len(regimes), len(members)))
	}
	return regimes, of
}

// regime is the r-th of n: its typical state is the middle one of its members, its rates are the mean of some.
func (p *problem) regime(x Course, members []int, of func([]int) int, r, n int) Regime {
	_, typical := x.State(members[len(members)/2])
	out, rates := Regime{Next: make([]float64, n)}, make([]float64, n)
	for _, c := range p.clusters(typical) {
		out.Clusters, out.workers = append(out.Clusters, [2]float64{c.rate, c.cost}), append(out.workers, c.workers)
	}
	if !slices.ContainsFunc(members, func(i int) bool {
		_, capacity := x.State(i)
		return !slices.Equal(capacity, typical)
	}) {
		out.capacity = typical
	}
	step := (len(members) + maxSampled - 1) / maxSampled
	taken := float64((len(members) + step - 1) / step)
	for k := 0; k < len(members); k += step {
		x.Rates(members[k], of, rates)
		for to, rate := range rates {
			if to != r {
				out.Next[to] += rate / taken
			}
		}
	}
	return out
}

// evenCuts cuts the range of numbers evenly, and leaves out what has none. A cut is just below the least number above it.
func evenCuts(x []float64) (cuts []float64) {
	low, high := slices.Min(x), slices.Max(x)
	if high == low {
		return nil
	}
	var lows [maxRegimes]float64
	for k := range lows {
		lows[k] = math.Inf(1)
	}
	for _, v := range x {
		k := min(int((v-low)/(high-low)*maxRegimes), maxRegimes-1)
		lows[k] = min(lows[k], v)
	}
	for _, v := range lows[1:] {
		if !math.IsInf(v, 1) {
			cuts = append(cuts, v*(1-1e-9))
		}
	}
	return cuts
}

// maxSampled is how many states of a regime its rates are the mean of.
const maxSampled = 25

// gains is what an instance of each pool gains, USD a second, in the mean of some states: with the pool at its quota, compared with the pool without capacity.
// Progress is worth what the last of it costs at a steady pace, halfway between all capacity and on demand alone.
func (p *problem) gains(x Course) []float64 {
	m := p.c.Market
	gain, full, sure := make([]float64, m.Pools()), make([]int, m.Pools()), make([]int, m.Pools())
	for i := range full {
		if full[i] = m.Pool(i).Quota; m.Pool(i).OnDemand {
			sure[i] = full[i]
		}
	}
	price := p.steady(full)
	if on := p.steady(sure); on > price {
		price = (price + on) / 2
	}
	cheapest := func(capacity []int) float64 {
		c, _ := p.solver.min(p.holding(capacity), price, corner{})
		return c.value(price)
	}
	for k := range gainStates {
		_, capacity := x.State((2*k + 1) * x.Len() / (2 * gainStates))
		for i := range gain {
			if sure[i] == 0 && full[i] > 0 {
				now := capacity[i]
				capacity[i] = 0
				without := cheapest(capacity)
				capacity[i] = full[i]
				gain[i] += max(without-cheapest(capacity), 0) / float64(gainStates*full[i])
				capacity[i] = now
			}
		}
	}
	return gain
}

// gainStates is the number of states that gains are the mean of.
const gainStates = 12

// steady is what the last unit of progress costs on a capacity, where the work is done at a steady pace.
func (p *problem) steady(capacity []int) float64 {
	pace, last, price := (p.goal-p.solver.begins()[0].progress)/p.c.Pace()/p.last.Sub(p.first).Seconds(), corner{}, 0.0
	for _, c := range p.clusters(capacity) {
		if price, last = slope(last, c), c; c.rate > pace {
			break
		}
	}
	return price
}

// clusters returns the hull of what can be held at the prices of the beginning, without boots.
func (p *problem) clusters(capacity []int) []corner {
	s := p.holding(capacity)
	hull(p.solver, s, 0.01)
	return s.known
}

// holding is the state of so much capacity at the prices of the beginning.
func (p *problem) holding(capacity []int) *state {
	s := &state{levels: make([][]level, len(capacity))}
	for i, n := range capacity {
		if n = min(n, p.c.Market.Pool(i).Quota); n > 0 {
			s.levels[i] = []level{{n, p.segments[0].usd[i]}}
		}
	}
	return s
}
