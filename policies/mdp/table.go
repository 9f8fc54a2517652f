package mdp

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
)

// table is the value of states: what is still to be paid, in expectation, USD. A state is a place of the job's state
// and a regime; its values are by step and point, steps of dt seconds and points of dw of work.
type table struct {
	key
	dt, dw  float64
	steps   int
	points  int
	regimes int
	quality []float64 // by place and regime, ascending within a place
	order   []int     // in the same order: the state, a place and a regime
	next    []float64 // by step, state and point: the value at that step where the state was that at the step before
	rates   []float64 // in the same order: the rate of the best cluster in that state at that step
	corners [][]corner

	firstStep     int     // that is worked out
	boot          float64 // seconds until what is asked for trains
	latePrice     float64 // USD for a unit of progress that is late
	price         float64 // of a unit of progress, by which regimes are told apart
	rescue        rescue
	stays         float64   // probability that a regime stays for a step
	regimeSeconds float64   // for which it does in the mean
	becomes       []float64 // by two regimes: probability that the first is drawn anew and becomes the second
	changeWork    []float64 // by two regimes: work, in points, that the change from one to the other costs
	changeUSD     []float64
	values        []float64 // by state and point: of the step that is worked out
}

// row returns the part of next or rates that is of a step and a state.
func (t *table) row(of []float64, step, state int) []float64 {
	from := (step*len(t.quality) + state) * (t.points + 1)
	return of[from : from+t.points+1]
}

// valuesOf returns the values of a state at the step that is worked out.
func (t *table) valuesOf(state int) []float64 {
	return t.values[state*(t.points+1):][:t.points+1]
}

// workOfJob returns the work of the whole job; 1 where training would begin at the goal.
func (p *planner) workOfJob(prices []float64) float64 {
	first := math.Inf(1)
	clusters, _ := p.frontier.Clusters(p.view, p.full, prices)
	for i := range clusters {
		first = min(first, clusters[i].Begin())
	}
	if !(first < p.goal) {
		return 1
	}
	return p.goal - first
}

// sortStates orders the regimes by what their best clusters gain from each place.
func (t *table) sortStates(p *planner) {
	list := p.regimes.list
	places := len(p.moves.places)
	t.regimes = len(list)
	n := len(list) * places
	t.quality = slices.Grow(t.quality[:0], drawn*places)[:n]
	t.order = slices.Grow(t.order[:0], drawn*places)[:n]
	for state := range n {
		place := state / len(list)
		regime := state % len(list)
		quality := 0.0
		for _, c := range list[regime].from[place] {
			quality = max(quality, t.price*c.rate-c.usd-(c.paid+c.stopped*t.price*c.rate)/t.regimeSeconds)
		}
		at := state
		for at%len(list) > 0 && t.quality[at-1] > quality {
			t.quality[at] = t.quality[at-1]
			t.order[at] = t.order[at-1]
			at--
		}
		t.quality[at] = quality
		t.order[at] = state
	}
}

// fill works out what the table has of its regimes, and the values after the last step.
func (t *table) fill(p *planner) {
	list := p.regimes.list
	t.price = p.regimes.prior
	t.rescue = p.regimes.rescue
	t.steps = p.set.Grid
	if len(list) > 1<<maxListed-1 {
		t.steps = (t.steps + 1) / 2
	}
	t.points = 2 * t.steps
	t.dt = max(t.span, 1) / float64(t.steps)
	t.dw = p.workOfJob(t.prices) / float64(t.points)
	changes := p.regimes.meanChanges(t.beliefs) * t.dt / 3600
	t.stays = math.Exp(-changes)
	t.regimeSeconds = t.dt / changes
	t.sortStates(p)
	t.becomes = slices.Grow(t.becomes[:0], drawn*drawn)
	for range list {
		for i := range list {
			t.becomes = append(t.becomes, (1-t.stays)*list[i].weight)
		}
	}
	t.priceChanges(p, 1/meanPresence(changes))
	t.begin(list, &p.tables)
}

// begin allocates the values, and works those out of after the last step.
func (t *table) begin(list []regime, memory *tables) {
	n := len(t.quality)
	t.firstStep = t.steps
	t.corners = slices.Grow(t.corners[:0], n)[:n]
	for state := range n {
		from := list[state%len(list)].from[state/len(list)]
		t.corners[state] = append(slices.Grow(t.corners[state][:0], cap(from)), from...)
	}
	fastest := t.priceLateWork(list)
	size := (t.steps + 2) * n * (t.points + 1)
	memory.maxSize = max(memory.maxSize, size)
	t.next = slices.Grow(t.next[:0], memory.maxSize)[:size]
	t.rates = slices.Grow(t.rates[:0], memory.maxSize)[:size]
	t.borrowValues(memory)
	for state := range n {
		values := t.valuesOf(state)
		for i := range values {
			values[i] = t.latePrice * t.dw * float64(i)
		}
		for step := t.steps; step < t.steps+2; step++ {
			rates := t.row(t.rates, step, state)
			for i := range rates {
				rates[i] = fastest.rate
			}
		}
	}
	t.expect(t.steps + 1)
	t.expect(t.steps)
}

// priceLateWork sets the price of late work: more than any cluster takes. It returns the fastest cluster.
func (t *table) priceLateWork(list []regime) corner {
	t.latePrice = 0
	fastest := corner{}
	for i := range list {
		corners := list[i].corners
		for k := 1; k < len(corners); k++ {
			last := corners[k-1]
			now := corners[k]
			if now.rate > last.rate {
				t.latePrice = max(t.latePrice, 2*(now.usd-last.usd)/(now.rate-last.rate))
			}
			if now.rate > fastest.rate {
				fastest = now
			}
		}
	}
	t.latePrice = max(t.latePrice, 10*fastest.usd/max(fastest.rate, math.SmallestNonzeroFloat64))
	if t.latePrice == 0 { // all is free: being late costs something still
		t.latePrice = 1
	}
	return fastest
}

// borrowValues lends the table memory for the values of a step.
func (t *table) borrowValues(memory *tables) {
	memory.values = policyutil.Resize(memory.values, len(t.quality)*(t.points+1))
	t.values = memory.values
}

// workOutBackTo works the values out back to a step, the last one first; the steps before are left until they are asked
// for.
func (t *table) workOutBackTo(step int, memory *tables) {
	if t.firstStep <= step {
		return
	}
	t.borrowValues(memory)
	for t.firstStep > max(step, 0) {
		t.firstStep--
		for state := range t.corners {
			t.chooseClusters(t.firstStep, state)
			t.limitByRescue(t.firstStep, state)
		}
		t.expect(t.firstStep)
	}
}

// meanPresence is the mean part of a step for which what is there at its beginning stays, where it ends so many times a
// step.
func meanPresence(ends float64) float64 {
	if ends < 1e-9 {
		return 1
	}
	return -math.Expm1(-ends) / ends
}

// priceChanges works out what changes from one regime to another cost, where there are times as many in a step as are
// seen at its end.
func (t *table) priceChanges(p *planner, times float64) {
	list := p.regimes.list
	n := len(list)
	t.changeWork = slices.Grow(t.changeWork[:0], drawn*drawn)[:n*n]
	t.changeUSD = slices.Grow(t.changeUSD[:0], drawn*drawn)[:n*n]
	t.boot = 0
	for k := range p.pools {
		if p.full[k] > 0 {
			t.boot = max(t.boot, p.pools[k].boot)
		}
	}
	notice := math.Inf(1)
	for _, k := range p.regimes.spot {
		notice = min(notice, p.view.Pool(k).Notice.Seconds())
	}
	stall := 0.0
	if !p.frontier.Elastic() {
		stall = p.loss.Stall.Seconds()
	}
	for a := range n {
		for b := range n {
			from := list[a].best
			to := list[b].best
			work := 0.0
			usd := 0.0
			if to.rate > from.rate && a != b {
				work = (to.rate-from.rate)*t.boot + to.rate*stall
			} else if a != b {
				work = to.rate * (stall + max(t.boot-notice, 0))
				usd = to.onDemand * min(t.boot, notice)
			}
			t.changeWork[a*n+b] = times * work / t.dw
			t.changeUSD[a*n+b] = times * usd
		}
	}
}

// expect works out what the values of a step are expected to be, by the state at the step before.
func (t *table) expect(step int) {
	n := t.regimes
	for state := range t.quality {
		regime := state % n
		expected := t.row(t.next, step, state)
		for i, usd := range t.valuesOf(state) {
			expected[i] = t.stays * usd
		}
		for to := range n {
			change := regime*n + to
			if t.becomes[change] != 0 {
				t.addChange(expected, t.valuesOf(state-regime+to), change)
			}
		}
		expected[0] = 0
	}
}

// addChange adds to what is expected the values of the regime that the change is to, times its probability.
func (t *table) addChange(expected, values []float64, change int) {
	weight := t.becomes[change]
	usd := t.changeUSD[change]
	points, part := math.Modf(t.changeWork[change])
	shift := int(points)
	last := len(values) - 2
	i := 1
	if within := min(last-shift, len(expected)-1); within > 0 {
		from := values[1+shift:]
		to := expected[1 : within+1]
		for k := range to {
			to[k] += weight * (from[k] + part*(from[k+1]-from[k]) + usd)
		}
		i += within
	}
	for ; i < len(expected); i++ { // beyond the last point
		beyond := part + float64(i+shift-last)
		expected[i] += weight * (values[last] + beyond*(values[last+1]-values[last]) + usd)
	}
}

// valueAt returns a value at a number of points, linear between them and beyond.
func valueAt(values []float64, points float64) float64 {
	if points <= 0 {
		return 0
	}
	i := min(int(points), len(values)-2)
	part := points - float64(i)
	return values[i] + part*(values[i+1]-values[i])
}

// chooseClusters works out the values of a step in a state: the cheapest of its clusters.
func (t *table) chooseClusters(step, state int) {
	values := t.valuesOf(state)
	rates := t.row(t.rates, step, state)
	values[0] = 0
	rates[0] = 0
	for i := 1; i <= t.points; i++ {
		values[i] = math.Inf(1)
	}
	for _, c := range t.corners[state] {
		next := t.row(t.next, step+1, c.to*t.regimes+state%t.regimes)
		done := c.rate * max(t.dt-c.stopped, 0) / t.dw // points
		usd := c.usd * t.dt
		whole := int(math.Ceil(done))
		for i := 1; i < min(whole, t.points+1); i++ { // the work is done within the step
			if cost := usd*float64(i)/done + c.paid; cost < values[i] {
				values[i] = cost
				rates[i] = c.rate
			}
		}
		if whole > t.points {
			continue
		}
		if whole == 0 { // nothing is done
			for i := 1; i <= t.points; i++ {
				if cost := usd + next[i] + c.paid; cost < values[i] {
					values[i] = cost
					rates[i] = c.rate
				}
			}
			continue
		}
		part := float64(whole) - done // of the next point
		to := values[whole:]
		toRates := rates[whole:]
		from := next[:len(values)-whole+1]
		for k := range to {
			if cost := usd + from[k] + part*(from[k+1]-from[k]) + c.paid; cost < to[k] {
				to[k] = cost
				toRates[k] = c.rate
			}
		}
	}
}

// limitByRescue takes in that the safe form waits no longer than until its cluster is sure to be in time, unless a
// cluster is held whose part on demand is.
func (t *table) limitByRescue(step, state int) {
	if t.rescue.rate == 0 {
		return
	}
	values := t.valuesOf(state)
	rates := t.row(t.rates, step, state)
	left := t.span - t.dt*float64(step) - t.reserve - t.rescue.maxBoot
	from := max(int(math.Ceil(left*t.rescue.rate/t.dw)), 1)
	for i := from; i <= t.points; i++ {
		work := t.dw * float64(i)
		usd := t.rescue.usd * (t.rescue.meanBoot + work/t.rescue.rate)
		late := max(work-(left+t.rescue.maxBoot-t.rescue.meanBoot)*t.rescue.rate, 0)
		values[i] = max(values[i], usd+t.latePrice*late)
	}
	for _, c := range t.corners[state] {
		sure := min(int(c.sure*(left+t.rescue.maxBoot)/t.dw), t.points)
		for i := 1; i <= sure; i++ {
			if usd := t.dw*float64(i)/c.rate*c.usd + c.paid; usd < values[i] {
				values[i] = usd
				rates[i] = c.rate
			}
		}
	}
}

// value returns what is expected to be paid from a step after now on, USD, given the work left, the seconds of the
// job's time and the place of its state then; quality is what the best cluster there is now gains from there,
// heldRate the rate of what is held.
func (t *table) value(work, seconds, quality, heldRate float64, place int) float64 {
	if work <= 0 {
		return 0
	}
	rank, part := t.findRegime(quality, place)
	step := min(max(seconds/t.dt, 0), float64(t.steps))
	missing := t.interpolate(t.rates, step, work/t.dw, rank, part) - heldRate
	if missing > 0 { // it boots then
		work += missing * t.boot
	}
	return t.interpolate(t.next, step, work/t.dw, rank, part)
}

// findRegime returns the rank, in order, of the regime of a place that is as good as or just worse than a quality, and
// the part of the way to the next one.
func (t *table) findRegime(quality float64, place int) (rank int, part float64) {
	first := place * t.regimes
	known := t.quality[first:][:t.regimes]
	for i := 1; i < len(known); i++ {
		if quality < known[i] {
			better := quality - known[i-1]
			if better > 0 {
				part = better / (known[i] - known[i-1])
			}
			return first + i - 1, part
		}
	}
	return first + len(known) - 1, 0
}

// interpolate returns what lies between two steps, points and regimes, part of the way from one in order to the next.
func (t *table) interpolate(of []float64, step, points float64, rank int, part float64) float64 {
	low := t.betweenSteps(of, step, points, t.order[rank])
	if part == 0 {
		return low
	}
	return low + part*(t.betweenSteps(of, step, points, t.order[rank+1])-low)
}

func (t *table) betweenSteps(of []float64, step, points float64, state int) float64 {
	whole := int(step)
	low := valueAt(t.row(of, whole, state), points)
	return low + (step-float64(whole))*(valueAt(t.row(of, whole+1, state), points)-low)
}
