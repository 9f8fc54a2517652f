package spotdnn

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Exhaustive is the search for the cheapest of all clusters that the quotas
// allow: branch and bound over the counts by pool, for each number of workers,
// of which nothing is left out that could be cheaper by more than one part in
// 1e9. A branch ends where
//
//   - a pool of the same speed and a lower price still has room;
//   - the fastest that can still be added leaves it late; or
//   - no completion is cheaper than the best so far. A cluster of price p USD/h
//     and rate r costs at least p (J/r - s) / 3600, J and s as in
//     BoundedModel; that this is less than C is linear in what is added,
//     so the best completion is the sum of the smallest terms.
//
// Its fields are scratch memory; the zero value is ready, and a warm search
// allocates nothing.
type Exhaustive struct {
	// Every evaluates every cluster and cuts no branch: for tests.
	Every bool

	window    Window
	model     BoundedModel // nil: the model has no bound
	sets      sets
	task      *Task
	order     []int        // pools that may grow, by speed, then price
	free      []int        // by position in order: instances from there on
	workers   []sim.Worker // by pool, as one of n
	counts    []int        // of the branch
	taken     []int        // of the best
	best      Choice
	value     float64 // of the best: USD, or seconds if none meets the objective
	late      bool    // none meets the objective: the search is for the fastest
	n         int     // workers
	evaluated int
}

// Search implements Strategy. As in Window.Search, if no cluster meets the objective the fastest is returned, not
// feasible.
func (e *Exhaustive) Search(t *Task) Choice {
	consider := t.Consider
	t.Consider = nil // this search reports its own
	first := e.window.Search(t)
	t.Consider = consider
	e.prepare(t)
	e.late = false
	e.evaluated = 0
	e.begin(&first)
	if !e.searchAll() {
		e.late = true
		e.begin(&first)
		e.searchAll()
		e.best.Reason = "no cluster within the quotas meets the deadline"
	}
	e.best.Feasible = !e.late
	e.best.Counts = e.taken
	e.best.Evaluated = e.evaluated
	e.task = nil
	e.model = nil
	return e.best
}

// prepare sorts the pools that may grow.
func (e *Exhaustive) prepare(t *Task) {
	pools := len(t.Free)
	e.task = t
	e.model, _ = t.Model.(BoundedModel)
	e.sets.setModel(t)
	e.workers = policyutil.Resize(e.workers, pools)
	e.counts = policyutil.Resize(e.counts, pools)
	e.taken = policyutil.Resize(e.taken, pools)
	t.measureWorkers(e.workers)
	e.order = e.order[:0]
	for p := range pools {
		if t.Free[p] > 0 && e.workers[p].Rate > 0 {
			e.order = append(e.order, p)
		}
	}
	slices.SortStableFunc(e.order, func(a, b int) int {
		x := e.workers[a]
		y := e.workers[b]
		return cmp.Or(cmp.Compare(y.Speed/y.Rate, x.Speed/x.Rate), cmp.Compare(x.Rate, y.Rate),
			cmp.Compare(t.USD[a], t.USD[b]))
	})
	e.free = policyutil.Resize(e.free, len(e.order)+1)
	e.free[len(e.order)] = 0
	for k := len(e.order) - 1; k >= 0; k-- {
		e.free[k] = e.free[k+1] + t.Free[e.order[k]]
	}
}

// begin takes the cluster that Window found as the first to beat: the better the first, the more branches end early.
func (e *Exhaustive) begin(first *Choice) {
	e.best = Choice{}
	e.value = math.Inf(1)
	copy(e.taken, e.task.Have) // the answer where no cluster ever reaches the loss
	if e.Every || first.Workers == 0 {
		return
	}
	e.n = first.Workers
	e.task.Model.Workers(e.n, e.task.Margin, e.workers)
	copy(e.counts, first.Counts)
	tally, usdPerH := e.task.addUp(e.counts, e.workers)
	e.evaluate(tally, usdPerH)
}

// searchAll searches all numbers of workers and reports whether it found a cluster.
func (e *Exhaustive) searchAll() bool {
	t := e.task
	have := 0
	for _, n := range t.Have {
		have += n
	}
	fewest := max(have, 1)
	most := have + e.free[0]
	if t.Exactly > 0 {
		fewest = max(fewest, t.Exactly)
		most = min(most, t.Exactly)
	}
	for e.n = fewest; e.n <= most; e.n++ {
		t.Model.Workers(e.n, t.Margin, e.workers)
		copy(e.counts, t.Have)
		tally, usdPerH := t.addUp(t.Have, e.workers)
		e.branch(0, tally, usdPerH, e.n-have)
	}
	return !math.IsInf(e.value, 1)
}

// branch tries all counts of the pools from position k on, left instances in all.
func (e *Exhaustive) branch(k int, tally sim.Tally, usdPerH float64, left int) {
	if left == 0 {
		e.evaluate(tally, usdPerH)
		return
	}
	if left > e.free[k] || !e.Every && e.isHopeless(k, tally, usdPerH, left) {
		return
	}
	p := e.order[k]
	for added := min(e.task.Free[p], left); added >= 0; added-- {
		next := k + 1
		if added < e.task.Free[p] && !e.Every && e.sets.model == nil {
			for next < len(e.order) && e.workers[e.order[next]] == e.workers[p] {
				next++ // pools of the same speed at a higher price, while this one has room
			}
		}
		grown := tally
		if added > 0 {
			grown.Add(added, e.workers[p])
		}
		e.counts[p] = e.task.Have[p] + added
		e.branch(next, grown, usdPerH+float64(float64(added)*e.task.USD[p]), left-added)
	}
	e.counts[p] = e.task.Have[p]
}

// tie is the relative difference of costs below which the first cluster stays, so that rounding does not decide.
const tie = 1e-9

// evaluate takes a cluster if it is the best so far.
func (e *Exhaustive) evaluate(tally sim.Tally, usdPerH float64) {
	e.evaluated++
	choice := Choice{Estimate: e.task.Model.Estimate(tally, e.task.From, e.task.To)}
	if e.sets.model != nil {
		usdPerH += e.sets.measure(e.task, e.counts, &choice.Estimate)
	}
	choice.USD = usdPerH * choice.Seconds / 3600
	value := choice.USD
	if e.late {
		value = choice.Seconds
	} else if !(choice.Seconds <= e.task.Seconds) {
		return
	}
	if !(value < e.value*(1-tie)) {
		return
	}
	choice.Workers = tally.N
	choice.Speed = tally.Speed
	e.best = choice
	e.value = value
	copy(e.taken, e.counts)
	if e.task.Consider != nil {
		choice.Counts = e.taken
		e.task.Consider(choice)
	}
}

// isHopeless reports whether no completion of a branch beats the best so far.
func (e *Exhaustive) isHopeless(k int, tally sim.Tally, usdPerH float64, left int) bool {
	if e.model == nil {
		return false
	}
	smallest := math.Inf(1) // batch
	largest := 0.0
	fastest := tally.Top
	for _, p := range e.order[k:] {
		batch := e.workers[p].Speed / e.workers[p].Rate
		smallest = min(smallest, batch)
		largest = max(largest, batch)
		fastest = max(fastest, e.workers[p].Speed)
	}
	top := fastest / (tally.Speed + e.leastSum(k, left, func(p int) float64 { return e.workers[p].Speed }))
	more := e.leastSum(k, left, func(p int) float64 { return -e.workers[p].Rate }) // minus the rate that can be added
	rate := tally.Rate - more
	if tally.N > 0 { // the mean batch is between that of the branch and what the most of the rest makes of it
		batch := tally.Speed / tally.Rate
		smallest = min(batch, (tally.Speed-smallest*more)/rate)
		largest = max(batch, (tally.Speed-largest*more)/rate)
	}
	const ulps = 1e-12 // of rounding in these sums
	smallest *= 1 - ulps
	largest *= 1 + ulps
	iterations, slack := e.model.MinIterations(e.n, smallest, largest, top*(1+ulps), e.task.From, e.task.To)
	seconds := iterations/rate*(1-ulps) - slack
	if e.late {
		return seconds >= e.value*(1-tie)
	}
	if seconds > e.task.Seconds {
		return true
	}
	if math.IsInf(e.value, 1) {
		return false
	}
	mostExpensive := usdPerH - e.leastSum(k, left, func(p int) float64 { return -e.task.USD[p] })
	cost := 3600*e.value*(1-tie) + mostExpensive*slack
	over := iterations*usdPerH - cost*tally.Rate +
		e.leastSum(k, left, func(p int) float64 { return iterations*e.task.USD[p] - cost*e.workers[p].Rate })
	return over >= ulps*cost*rate
}

// leastSum returns the smallest sum that left instances of the pools from position k on can have.
func (e *Exhaustive) leastSum(k, left int, of func(p int) float64) float64 {
	sum := 0.0
	last := math.Inf(-1)
	lastAt := -1
	for left > 0 {
		next := math.Inf(1)
		nextAt := -1
		for i := k; i < len(e.order); i++ {
			value := of(e.order[i])
			if (value > last || value == last && i > lastAt) && value < next {
				next = value
				nextAt = i
			}
		}
		taken := min(left, e.task.Free[e.order[nextAt]])
		sum += float64(taken) * next
		left -= taken
		last = next
		lastAt = nextAt
	}
	return sum
}
