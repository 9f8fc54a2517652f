package mdp

import (
	"math"
	"slices"
)

// process is a Markov decision process on a grid of time and of work that is left. Its state is a step, a regime of the
// market, what is held, and the work. In each step the job goes over to one of the regime's clusters (change) and
// trains on it; then the regime may be another one, and not all of the cluster may be left (lead).
//
// With W(c, x) the least cost of a step that is spent on cluster c with x left, and of all after it, the value of
// holding h is the least over c of change(h, c) + W(c, x + what the change takes): Bellman's equation, backward in
// time.
//
// Where what is held is forgotten, there is one thing to hold in each regime, from which all clusters may be had.
type process struct {
	dt, dw    float64 // seconds of a step, work between two points
	steps     int
	points    int
	regimes   []options
	latePrice float64 // USD for a unit of progress that is late
	fastest   float64 // rate of the fastest cluster; 0: all work may be left at every step
	rescue    rescue
	span      float64 // seconds until the deadline, less a reserve
	offset    float64 // seconds from the first step to the submission
	phases    int     // of a unit that is paid at once; 1 where billing is finer
	forgets   bool    // what is held is forgotten

	held      int       // of all regimes
	firstStep int       // that is worked out
	next      []float64 // by step, cluster and point: what is expected at that step where the one before was spent on it
	values    []float64 // by what is held, and point: of the step that is worked out
	costs     []float64 // by cluster of a regime and point: W
}

// options are what may be held in a regime.
type options struct {
	clusters []corner
	first    int       // of what may be held, among that of all regimes
	held     int       // how much may be: the clusters themselves, or one thing
	changes  []change  // by what is held, and way: cluster, or class
	targets  []int     // in the same order, where units are paid: the cluster; else that is the way
	leads    [][]lead  // by cluster
	sure     []float64 // by cluster: rate of its part on demand
	rows     []int     // by cluster, where what is held is forgotten: the row that it leads to
	worth    [][]int   // by what is held: clusters that are worth going over to
}

// ways returns how many changes there are from each that is held.
func (o *options) ways() int { return len(o.changes) / o.held }

// target returns the cluster that a way leads to from what is held.
func (o *options) target(held, way int) int {
	if len(o.targets) == 0 {
		return way
	}
	return o.targets[held*o.ways()+way]
}

// reset empties the lists of clusters, with room for so many: later ones of no more need no memory.
func (o *options) reset(room int) {
	o.clusters = slices.Grow(o.clusters[:0], room)
	o.sure = slices.Grow(o.sure[:0], room)
	o.rows = slices.Grow(o.rows[:0], room)
	o.changes = slices.Grow(o.changes[:0], room)
}

// corner is a cluster: progress and USD a second, as long as it is held.
type corner struct{ rate, usd float64 }

// change is what it takes to go over to another cluster: USD, and points of work.
type change struct{ usd, points float64 }

// lead is what may come after a step.
type lead struct {
	change
	probability float64
	held        int // among what may be held in all regimes
}

// numberHeld numbers what may be held in all regimes.
func (x *process) numberHeld() {
	x.held = 0
	for r := range x.regimes {
		of := &x.regimes[r]
		of.first = x.held
		x.held += of.held
	}
}

// begin allocates the values, and fills in those after the last step.
func (x *process) begin(memory *tables) {
	most := 0
	for r := range x.regimes {
		of := &x.regimes[r]
		most = max(most, len(of.clusters))
		of.worth = slices.Grow(of.worth[:0], of.held)[:of.held]
	}
	x.firstStep = x.steps
	size := (x.steps + 2) * x.held * (x.points + 1)
	memory.maxSize = max(memory.maxSize, size)
	x.next = slices.Grow(x.next[:0], memory.maxSize)[:size]
	for step := x.steps; step < x.steps+2; step++ {
		for c := range x.held {
			row := x.row(step, c)
			for i := range row {
				row[i] = x.latePrice * x.dw * float64(i)
			}
		}
	}
	memory.maxHeld = max(memory.maxHeld, x.held*(x.points+1))
	memory.maxCosts = max(memory.maxCosts, most*(x.points+1))
}

// rowOf returns the row of a regime's cluster. Where what is held is forgotten, it is that of the regime in the place
// where the state of the job is then.
func (x *process) rowOf(of *options, c int) int {
	if x.forgets {
		return of.rows[c]
	}
	return of.first + c
}

// row returns what is expected at a step where the one before was spent on a cluster.
func (x *process) row(step, cluster int) []float64 {
	from := (step*x.held + cluster) * (x.points + 1)
	return x.next[from : from+x.points+1]
}

func (x *process) valuesOf(held int) []float64 {
	return x.values[held*(x.points+1):][:x.points+1]
}

func (x *process) costsOf(cluster int) []float64 {
	return x.costs[cluster*(x.points+1):][:x.points+1]
}

// workOutBackTo works the values out back to a step, the last one first; the steps before are left until they are asked
// for.
func (x *process) workOutBackTo(step int, memory *tables) {
	if x.firstStep <= max(step, 0) {
		return
	}
	memory.values = slices.Grow(memory.values[:0], memory.maxHeld)[:x.held*(x.points+1)]
	memory.costs = slices.Grow(memory.costs[:0], memory.maxCosts)[:memory.maxCosts]
	x.values = memory.values
	x.costs = memory.costs
	for x.firstStep > max(step, 0) {
		x.firstStep--
		x.workOut(x.firstStep)
	}
}

// workOut works out the values of a step.
func (x *process) workOut(step int) {
	low, high := x.reach(step)
	for r := range x.regimes {
		of := &x.regimes[r]
		for c := range of.clusters {
			x.spend(of, step, c, low, high)
		}
		for h := range of.held {
			if (x.steps-1-step)%looksEvery == 0 {
				x.findWorth(of, h, low, high)
			}
			values := x.valuesOf(of.first + h)
			for i := low; i <= high; i++ {
				values[i] = math.Inf(1)
			}
			for _, way := range of.worth[h] {
				after := of.changes[h*of.ways()+way]
				lower(values, x.costsOf(of.target(h, way)), after.usd, after.points, low, high)
			}
			x.limitByRescue(of, h, values, step, low, high)
			x.extend(values, low, high)
		}
	}
	for r := range x.regimes {
		of := &x.regimes[r]
		for c := range of.held {
			x.expectAll(x.row(step, of.first+c), of.leads[c], low, high)
		}
	}
}

// reach returns the points of work that may be left at a step: no less than the fastest cluster leaves, and no more
// than it can do until the deadline. Beyond, values are on straight lines.
func (x *process) reach(step int) (low, high int) {
	low = 1
	high = x.points
	if x.fastest == 0 {
		return low, high
	}
	done := x.fastest * x.dt / x.dw
	low = max(1, x.points-int(done*float64(step))-2)
	high = min(x.points, int(done*float64(x.steps-step))+2)
	return min(low, high), high
}

// extend fills in the values of work that is not left at a step, or late on any cluster.
func (x *process) extend(values []float64, low, high int) {
	slope := values[low] / float64(low)
	for i := range low {
		values[i] = slope * float64(i)
	}
	x.extendUp(values, high)
}

// extendUp is extend above the points.
func (x *process) extendUp(values []float64, high int) {
	last := values[high]
	slope := x.latePrice * x.dw
	for i := range values[high+1:] {
		values[high+1+i] = last + slope*float64(i+1)
	}
}

// spend works out what is paid if a step is spent on a cluster.
func (x *process) spend(of *options, step, c, low, high int) {
	costs := x.costsOf(c)
	next := x.row(step+1, x.rowOf(of, c))
	corner := &of.clusters[c]
	done := corner.rate * x.dt / x.dw // points
	usd := corner.usd * x.dt
	whole := int(math.Ceil(done))
	costs[0] = 0
	i := low
	for ; i < min(whole, high+1); i++ { // the work is done within the step
		costs[i] = usd * float64(i) / done
	}
	if whole == 0 { // nothing is done
		for ; i <= high; i++ {
			costs[i] = usd + next[i]
		}
	} else {
		part := float64(whole) - done // of the next point
		for ; i <= high; i++ {
			from := next[i-whole]
			costs[i] = usd + from + part*(next[i-whole+1]-from)
		}
	}
	x.extendUp(costs, high) // changes go to more work, not to less
}

// Which clusters are worth going over to is looked at in every so many steps, at so many amounts of work or more.
const (
	looksEvery = 4
	amounts    = 12
)

// findWorth finds the clusters that are the best to go over to from what is held, with some amount of work left.
func (x *process) findWorth(of *options, h, low, high int) {
	worth := slices.Grow(of.worth[h][:0], cap(of.clusters)/x.phases)
	if x.forgets {
		for c := range of.clusters {
			worth = append(worth, c)
		}
		of.worth[h] = worth
		return
	}
	changes := of.changes[h*of.ways():][:of.ways()]
	var points [amounts + 1]int
	var least [amounts + 1]float64
	var best [amounts + 1]int
	stays := h / x.phases
	after := &changes[stays]
	costs := x.costsOf(of.target(h, stays))
	for n := range points {
		points[n] = low + (high-low)*n/amounts
		least[n] = after.usd + valueAt(costs, float64(points[n])+after.points)
		best[n] = stays
	}
	worth = append(worth, stays)
	for way := range changes {
		after := &changes[way]
		costs := x.costsOf(of.target(h, way))
		shift := int(after.points)
		for n, i := range points {
			k := min(i+shift, len(costs)-2)
			cost := after.usd + costs[k]
			if cost >= least[n] { // with more work it costs no less
				continue
			}
			cost += (float64(i-k) + after.points) * (costs[k+1] - costs[k])
			if cost < least[n] {
				least[n] = cost
				best[n] = way
			}
		}
	}
	for _, way := range best {
		if !slices.Contains(worth, way) {
			worth = append(worth, way)
		}
	}
	of.worth[h] = worth
}

// lower lowers values to those of another list with some more work left, and USD.
func lower(values, others []float64, usd, points float64, low, high int) {
	whole := math.Floor(points)
	shift := int(whole)
	part := points - whole
	last := len(others) - 1
	i := low
	if n := min(high, last-shift-1) + 1; n > i {
		to := values[i:n]
		from := others[i+shift:][:len(to)+1]
		before := from[0]
		for k, after := range from[1:] {
			if cost := usd + before + part*(after-before); cost < to[k] {
				to[k] = cost
			}
			before = after
		}
		i = n
	}
	for ; i <= high; i++ {
		if cost := usd + valueAt(others, float64(i)+points); cost < values[i] {
			values[i] = cost
		}
	}
}

// expectAll works out what is expected where one of some leads comes. Far from the points that may be left at the step
// values are on straight lines, and so is what is expected.
func (x *process) expectAll(row []float64, leads []lead, low, high int) {
	usd := 0.0
	least := 0.0
	most := 0.0
	for k := range leads {
		to := &leads[k]
		usd += to.probability * to.usd
		least = min(least, to.points)
		most = max(most, to.points)
	}
	from := max(1, low-1-int(math.Ceil(most)))
	end := min(x.points, high+1-int(math.Floor(least)))
	for i := from; i <= end; i++ {
		row[i] = usd
	}
	for k := range leads {
		to := &leads[k]
		expect(row, x.valuesOf(to.held), to, from, end)
	}
	x.extend(row, from, end)
}

// expect adds to what is expected the values that a lead has, times its probability, in a range of points.
func expect(row, values []float64, to *lead, from, end int) {
	whole := math.Floor(to.points)
	shift := int(whole)
	part := to.points - whole
	last := len(values) - 1
	i := from
	for ; i <= min(end, -shift-1); i++ {
		row[i] += to.probability * valueAt(values, float64(i)+to.points)
	}
	if n := min(last-shift, end+1); n > i { // a step of a short job may do more than all of its work
		into := row[i:n]
		others := values[i+shift:][:len(into)+1]
		if part == 0 {
			for k := range into {
				into[k] += to.probability * others[k]
			}
		} else {
			before := others[0]
			for k, after := range others[1:] {
				into[k] += to.probability * (before + part*(after-before))
				before = after
			}
		}
		i = n
	}
	for ; i <= end; i++ {
		row[i] += to.probability * valueAt(values, float64(i)+to.points)
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

// rescue is what the safe form requests where nothing else is sure to meet the deadline: the fastest cluster on demand.
type rescue struct {
	rate, usd float64 // progress and USD a second; 0: there is nothing on demand
	maxBoot   float64 // seconds until it is ready, at most
	meanBoot  float64 // and in the mean
}

// limitByRescue takes in that the safe form waits no longer than until its cluster is sure to be in time, what is held
// on demand training until then. Where what is held is forgotten, clusters whose part on demand is sure to be in time
// are held as if they had been before.
func (x *process) limitByRescue(of *options, h int, values []float64, step, low, high int) {
	if x.rescue.rate == 0 {
		return
	}
	left := x.span + x.offset - x.dt*float64(step)
	boot := min(x.rescue.maxBoot, max(left, 0))
	sure := 0.0
	if !x.forgets {
		sure = of.sure[h]
	}
	inTime := sure*boot + x.rescue.rate*max(left-boot, 0)
	from := max(int(math.Ceil(inTime/x.dw)), low)
	for i := from; i <= high; i++ {
		work := x.dw * float64(i)
		seconds := x.rescue.meanBoot + max(work-sure*x.rescue.meanBoot, 0)/x.rescue.rate
		late := max(seconds-left, 0) * x.rescue.rate
		values[i] = max(values[i], x.rescue.usd*seconds+x.latePrice*late)
	}
	if !x.forgets {
		return
	}
	for c := range of.clusters {
		cluster := &of.clusters[c]
		for i := low; i <= min(high, int(of.sure[c]*left/x.dw)); i++ {
			values[i] = min(values[i], x.dw*float64(i)/cluster.rate*cluster.usd)
		}
	}
}

// at returns what is expected some seconds after the submission, between steps, where the time until then was spent on
// a cluster and so many points of work are left.
func (x *process) at(cluster int, seconds, points float64) float64 {
	step := min(max((seconds+x.offset)/x.dt, 0), float64(x.steps))
	whole := int(step)
	low := valueAt(x.row(whole, cluster), points)
	if part := step - float64(whole); part > 0 {
		return low + part*(valueAt(x.row(whole+1, cluster), points)-low)
	}
	return low
}

// best returns what the cheapest cluster of a regime costs, with all after it, USD, and its rate, where so much work is
// left so many seconds after the submission.
func (x *process) best(regime int, seconds, work float64) (usd, rate float64) {
	of := &x.regimes[regime]
	usd = math.Inf(1)
	for c := range of.clusters {
		cluster := &of.clusters[c]
		after := of.changes[c]
		left := work + after.points*x.dw
		cost := cluster.usd * x.dt
		if done := cluster.rate * x.dt; done < left {
			cost += x.at(x.rowOf(of, c), seconds+x.dt, (left-done)/x.dw)
		} else {
			cost *= left / done
		}
		cost += after.usd
		if cost < usd {
			usd = cost
			rate = cluster.rate
		}
	}
	left := x.span - seconds
	if x.rescue.rate == 0 {
		return usd, rate
	}
	if work >= x.rescue.rate*(left-x.rescue.maxBoot) {
		usd = max(usd, x.rescue.usd*(x.rescue.meanBoot+work/x.rescue.rate))
	}
	for c, sure := range of.sure {
		cluster := &of.clusters[c]
		if cost := work / cluster.rate * cluster.usd; sure > 0 && work <= sure*left && cost < usd {
			usd = cost
			rate = cluster.rate
		}
	}
	return usd, rate
}
