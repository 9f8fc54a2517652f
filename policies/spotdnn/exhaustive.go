package spotdnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

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

	window  Window
	model   BoundedModel // nil: the model has no bound
	sets    sets
	task    *Task
	order   []int        // pools that may grow, by speed, then price
	free    []int        // by position in order: instances from there on
	workers []sim.Worker // by pool, as one of n
	counts  []int        // of the branch
	taken   []int        // of the best
	best    Choice
	value   float64 // of the best: USD, or seconds if none meets the objective
	late    bool    // none meets the objective: the search is for the fastest
	n       int
	seen    int
}

// Search implements Strategy. As in Window.Search, if no cluster meets the
// objective the fastest is returned, not feasible.
func (e *Exhaustive) Search(t *Task) Choice {
	consider := t.Consider
	t.Consider = nil // this search reports its own
	first := e.window.Search(t)
	t.Consider = consider
	e.prepare(t)
	e.late, e.seen = false, 0
	e.begin(&first)
	if !e.run() {
		e.late = true
		e.begin(&first)
		e.run()
		e.best.Reason = "no cluster within the quotas meets the deadline"
	}
	e.best.Feasible = !e.late
	e.best.Counts, e.best.Evaluated = e.taken, e.seen
	e.task, e.model = nil, nil
	return e.best
}

func (e *Exhaustive) prepare(t *Task) {
	pools := len(t.Free)
	e.task = t
	e.model, _ = t.Model.(BoundedModel)
	e.sets.of(t)
	e.workers = slices.Grow(e.workers[:0], pools)[:pools]
	e.counts = slices.Grow(e.counts[:0], pools)[:pools]
	e.taken = slices.Grow(e.taken[:0], pools)[:pools]
	t.first(e.workers)
	e.order = e.order[:0]
	for p := range pools {
		if t.Free[p] > 0 && e.workers[p].Rate > 0 {
			e.order = append(e.order, p)
		}
	}
	slices.SortStableFunc(e.order, func(a, b int) int {
		x, y := e.workers[a], e.workers[b]
		return cmp.Or(cmp.Compare(y.Speed/y.Rate, x.Speed/x.Rate), cmp.Compare(x.Rate, y.Rate),
			cmp.Compare(t.USD[a], t.USD[b]))
	})
	e.free = slices.Grow(e.free[:0], len(e.order)+1)[:len(e.order)+1]
	e.free[len(e.order)] = 0
	for k := len(e.order) - 1; k >= 0; k-- {
		e.free[k] = e.free[k+1] + t.Free[e.order[k]]
	}
}

// begin takes the cluster that Window found as the first to beat: the better the
// first, the more branches end early.
func (e *Exhaustive) begin(first *Choice) {
	e.best, e.value = Choice{}, math.Inf(1)
	copy(e.taken, e.task.Have) // the answer where no cluster ever reaches the loss
	if e.Every || first.Workers == 0 {
		return
	}
	e.n = first.Workers
	e.task.Model.Workers(e.n, e.task.Margin, e.workers)
	copy(e.counts, first.Counts)
	var tally sim.Tally
	usd := 0.0
	for p, k := range e.counts {
		if k > 0 {
			tally.Add(k, e.workers[p])
			usd += float64(float64(k) * e.task.USD[p])
		}
	}
	e.evaluate(tally, usd)
}

// run searches all numbers of workers and reports whether it found a cluster.
func (e *Exhaustive) run() bool {
	t := e.task
	have := 0
	for _, k := range t.Have {
		have += k
	}
	lo, hi := max(have, 1), have+e.free[0]
	if t.Exactly > 0 {
		lo, hi = max(lo, t.Exactly), min(hi, t.Exactly)
	}
	for e.n = lo; e.n <= hi; e.n++ {
		t.Model.Workers(e.n, t.Margin, e.workers)
		copy(e.counts, t.Have)
		var base sim.Tally
		usd := 0.0
		for p, k := range t.Have {
			if k > 0 {
				base.Add(k, e.workers[p])
				usd += float64(float64(k) * t.USD[p])
			}
		}
		e.branch(0, base, usd, e.n-have)
	}
	return !math.IsInf(e.value, 1)
}

// branch tries all counts of the pools from position k on, left instances in all.
func (e *Exhaustive) branch(k int, tally sim.Tally, usdPerH float64, left int) {
	if left == 0 {
		e.evaluate(tally, usdPerH)
		return
	}
	if left > e.free[k] || !e.Every && e.hopeless(k, tally, usdPerH, left) {
		return
	}
	p := e.order[k]
	for c := min(e.task.Free[p], left); c >= 0; c-- {
		next := k + 1
		if c < e.task.Free[p] && !e.Every && e.sets.model == nil {
			for next < len(e.order) && e.workers[e.order[next]] == e.workers[p] {
				next++ // pools of the same speed at a higher price, while this one has room
			}
		}
		t := tally
		if c > 0 {
			t.Add(c, e.workers[p])
		}
		e.counts[p] = e.task.Have[p] + c
		e.branch(next, t, usdPerH+float64(float64(c)*e.task.USD[p]), left-c)
	}
	e.counts[p] = e.task.Have[p]
}

// tie is the relative difference of costs below which the first cluster stays, so that rounding does not decide.
const tie = 1e-9

// evaluate takes a cluster if it is the best so far.
func (e *Exhaustive) evaluate(tally sim.Tally, usdPerH float64) {
	e.seen++
	c := Choice{Estimate: e.task.Model.Estimate(tally, e.task.From, e.task.To)}
	if e.sets.model != nil {
		usdPerH += e.sets.exact(e.task, e.counts, &c.Estimate)
	}
	c.USD = usdPerH * c.Seconds / 3600
	value := c.USD
	switch {
	case e.late:
		value = c.Seconds
	case !(c.Seconds <= e.task.Seconds):
		return
	}
	if value < e.value*(1-tie) {
		c.Workers, c.Speed = tally.N, tally.Speed
		e.best, e.value = c, value
		copy(e.taken, e.counts)
		if e.task.Consider != nil {
			c.Counts = e.taken
			e.task.Consider(c)
		}
	}
}

// hopeless reports whether no completion of a branch beats the best so far.
func (e *Exhaustive) hopeless(k int, tally sim.Tally, usdPerH float64, left int) bool {
	if e.model == nil {
		return false
	}
	lo, hi, top := math.Inf(1), 0.0, tally.Top
	for _, p := range e.order[k:] {
		b := e.workers[p].Speed / e.workers[p].Rate
		lo, hi, top = min(lo, b), max(hi, b), max(top, e.workers[p].Speed)
	}
	top /= tally.Speed + e.min(k, left, func(p int) float64 { return e.workers[p].Speed })
	more := e.min(k, left, func(p int) float64 { return -e.workers[p].Rate })
	rate := tally.Rate - more
	if tally.N > 0 { // the mean batch is between that of the branch and what the most of the rest makes of it
		b := tally.Speed / tally.Rate
		lo, hi = min(b, (tally.Speed-lo*more)/rate), max(b, (tally.Speed-hi*more)/rate)
	}
	const ulps = 1e-12 // of rounding in these sums
	iterations, slack := e.model.MinIterations(e.n, lo*(1-ulps), hi*(1+ulps), top*(1+ulps), e.task.From, e.task.To)
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
	mostExpensive := usdPerH - e.min(k, left, func(p int) float64 { return -e.task.USD[p] })
	cost := 3600*e.value*(1-tie) + mostExpensive*slack
	over := iterations*usdPerH - cost*tally.Rate +
		e.min(k, left, func(p int) float64 { return iterations*e.task.USD[p] - cost*e.workers[p].Rate })
	return over >= ulps*cost*rate
}

// least returns the smallest sum that left instances of the pools from position
// k on can have.
func (e *Exhaustive) min(k, left int, of func(p int) float64) float64 {
	sum, last, lastAt := 0.0, math.Inf(-1), -1
	for left > 0 {
		next, at := math.Inf(1), -1
		for i := k; i < len(e.order); i++ {
			if x := of(e.order[i]); (x > last || x == last && i > lastAt) && x < next {
				next, at = x, i
			}
		}
		n := min(left, e.task.Free[e.order[at]])
		sum += float64(n) * next
		left -= n
		last, lastAt = next, at
	}
	return sum
}

// ClusterSearch searches for a cluster for a job, from what a policy sees of it.
type ClusterSearch struct {
	Window     Window
	task       Task
	free, have []int
	usd        []float64
}

// Reset returns the task for job j, with nothing free and nothing held: the caller
// fills these in. Margin is the over-prediction of contention.
func (s *ClusterSearch) Reset(v sim.View, j int, margin float64) *Task {
	pools := v.Pools()
	s.free = slices.Grow(s.free[:0], pools)[:pools]
	s.have = slices.Grow(s.have[:0], pools)[:pools]
	s.usd = slices.Grow(s.usd[:0], pools)[:pools]
	clear(s.free)
	clear(s.have)
	for p := range pools {
		s.usd[p] = v.Price(p)
	}
	job := v.Job(j)
	model, ok := job.Model().(sim.WorkerModel)
	if !ok {
		panic("spotdnn: the job's model is no sim.WorkerModel: workers cannot be planned one by one")
	}
	s.task = Task{Model: model, From: job.Loss(), To: job.Objective().Loss, Margin: margin,
		Seconds: job.Deadline().Sub(v.Now()).Seconds(), Free: s.free, Have: s.have, USD: s.usd}
	return &s.task
}

// ExpectedBoot returns the longest mean boot time of the pools with free instances.
func (s *ClusterSearch) ExpectedBoot(v sim.View) time.Duration {
	longest := time.Duration(0)
	for p, free := range s.free {
		if free > 0 {
			longest = max(longest, v.Pool(p).Boot.Mean())
		}
	}
	return longest
}

// ExplainSearch has the search report its candidates, if a recorder listens.
func ExplainSearch(v sim.View, task *Task, plan *sim.Plan) {
	plan.AddInput("time for training", task.Seconds, "s")
	if !plan.Recorded() {
		return
	}
	task.Consider = func(c Choice) {
		note := fmt.Sprintf("%d workers, ends after %.0f s", c.Workers, c.Seconds)
		if c.Seconds > task.Seconds {
			note += fmt.Sprintf(", %.0f s late", c.Seconds-task.Seconds)
		}
		plan.AddCandidate(sim.Candidate{Name: policyutil.ClusterName(v, c.Counts), Score: c.USD, Unit: "USD", Note: note})
	}
}
