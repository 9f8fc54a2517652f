package spotdnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Window is spotDNN's search for the cheapest cluster that meets an objective
// (Algorithm 1 of the paper): between a lower and an upper bound on the number
// of workers, a window slides over the instances that the quotas allow, sorted
// by the time of an iteration, slowest first (of equal ones, as in several
// zones, the cheapest first). Its fields are scratch memory;
// the zero value is ready, and a warm search allocates nothing.
type Window struct {
	order   []int        // pools that may grow, slowest first
	ends    []int        // by position in order: instances listed until there
	list    []int        // by listed instance: its position in order
	workers []sim.Worker // by pool, as one of n
	counts  []int        // the choice
	tally   sim.Tally    // of the window
	quick   SecondsModel // nil: the model has no shorter way to the seconds
	slowest bool         // the model is a policyutil.SlowestModel
	sets    sets
	mixed   sim.Estimate // of the window, where workers do not add up
}

// windowSearch is what Window.Search keeps track of.
type windowSearch struct {
	task            *Task
	have            int // instances that run
	fewest, most    int // workers
	best, fastest   candidate
	shown           candidate // for an explanation: the best of as many workers
	windows, passed int       // looked at, and left out after the last one
}

// Search returns the cheapest candidate that meets the objective; if there is none, the fastest, not feasible, with the
// reason. At equal costs the first stays: fewer workers, then slower ones.
func (w *Window) Search(t *Task) Choice {
	s := windowSearch{task: t, have: w.prepare(t)}
	fewest, most := t.Model.WorkerBounds(t.From, t.To, t.Seconds)
	if t.Exactly > 0 {
		fewest = t.Exactly
		most = t.Exactly
	}
	s.fewest = max(fewest, s.have, 1)
	s.most = max(min(most, s.have+len(w.list)), s.have)
	s.best.USD = math.Inf(1)
	s.fastest.Seconds = math.Inf(1)
	for n := min(s.fewest, s.most); n <= s.most; n++ {
		w.searchNumber(&s, n)
	}
	best := s.best
	if !best.Feasible {
		best = s.fastest
		best.Reason = "no window of workers between the bounds meets the deadline"
		if s.fewest > s.most {
			best.Reason = "the lower bound on the number of workers is above the upper bound"
		}
	}
	best.Evaluated = s.windows
	w.count(t, &best)
	return best.Choice
}

// searchNumber slides the window of n workers.
func (w *Window) searchNumber(s *windowSearch, n int) {
	t := s.task
	t.Model.Workers(n, t.Margin, w.workers)
	running, usdPerH := t.addUp(t.Have, w.workers)
	size := n - s.have
	s.shown = candidate{}
	s.shown.USD = math.Inf(1)
	s.shown.Seconds = math.Inf(1)
	for first := 0; first+size <= len(w.list) && (size > 0 || first == 0); first += 1 + s.passed {
		w.try(s, &running, usdPerH, first, size)
	}
	if t.Consider != nil && s.shown.Workers > 0 {
		w.count(t, &s.shown)
		t.Consider(s.shown.Choice)
	}
}

// try looks at the window of size instances from the first on, and at how many after it are no better.
func (w *Window) try(s *windowSearch, running *sim.Tally, usdPerH float64, first, size int) {
	t := s.task
	seconds, usdPerH := w.seconds(t, running, usdPerH, first, size)
	usd := usdPerH * seconds / 3600
	feasible := seconds <= t.Seconds
	expensive := usd*(1-policyutil.Rounding) > s.best.USD && t.Consider == nil
	s.passed = w.countNoBetter(t, first, size, usdPerH, feasible, expensive)
	s.windows += 1 + s.passed
	cheapest := feasible && usd < s.best.USD*(1-tie) && s.fewest <= s.most
	sooner := seconds < s.fastest.Seconds && !s.best.Feasible // it is asked for only where nothing is feasible
	if !cheapest && !sooner && t.Consider == nil {
		return
	}
	found := candidate{first: first, size: size}
	found.Estimate = t.Model.Estimate(w.tally, t.From, t.To)
	found.Workers = w.tally.N
	found.Speed = w.tally.Speed
	found.USD = usd
	if w.sets.model != nil {
		found.Seconds = seconds
	}
	if cheapest {
		s.best = found
		s.best.Feasible = true
	}
	if sooner {
		s.fastest = found
	}
	found.Feasible = feasible
	if t.Consider != nil && Better(&found.Choice, &s.shown.Choice) {
		s.shown = found
	}
}

// candidate is a choice and its window: size instances from the first on.
type candidate struct {
	Choice
	first, size int
}

// prepare lists the instances that may be added and counts those that run.
func (w *Window) prepare(t *Task) (have int) {
	pools := len(t.Free)
	if len(t.Have) != pools || len(t.USD) != pools {
		panic(fmt.Sprintf("spotdnn: Task with %d, %d and %d pools", pools, len(t.Have), len(t.USD)))
	}
	w.quick, _ = t.Model.(SecondsModel)
	w.slowest = policyutil.WaitsForSlowest(t.Model)
	w.sets.setModel(t)
	w.workers = policyutil.Resize(w.workers, pools)
	w.counts = policyutil.Resize(w.counts, pools)
	t.measureWorkers(w.workers)
	w.order = w.order[:0]
	w.ends = w.ends[:0]
	w.list = w.list[:0]
	for p := range pools {
		have += t.Have[p]
		if t.Free[p] > 0 && w.workers[p].Rate > 0 {
			w.order = append(w.order, p)
		}
	}
	slices.SortStableFunc(w.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(w.workers[a].Rate, w.workers[b].Rate), cmp.Compare(t.USD[a], t.USD[b]))
	})
	for k, p := range w.order {
		for range t.Free[p] {
			w.list = append(w.list, k)
		}
		w.ends = append(w.ends, len(w.list))
	}
	return have
}

// seconds returns the time that what runs and size more instances take, from the first on, and their price. Most
// windows are no better than one before, so that no more is asked of the model. Their sums are in w.tally: a Tally
// that is returned is copied twice.
func (w *Window) seconds(t *Task, running *sim.Tally, usdPerH float64, first, size int) (seconds, usd float64) {
	w.tally = *running
	usdPerH = w.add(t, &w.tally, usdPerH, first, size)
	if w.sets.model != nil {
		w.count(t, &candidate{first: first, size: size})
		usdPerH += w.sets.measure(t, w.counts, &w.mixed)
		return w.mixed.Seconds, usdPerH
	}
	if w.quick != nil {
		seconds, known := w.quick.SecondsOf(t.Model, &w.tally, t.From, t.To)
		if known {
			return seconds, usdPerH
		}
		w.quick = nil
	}
	return t.Model.Estimate(w.tally, t.From, t.To).Seconds, usdPerH
}

// countNoBetter returns how many windows after the i-th are no better than it or than the one behind them: those of
// the same instances and, of a policyutil.SlowestModel, those that only have more of the pool in which the window
// ends and fewer of that in which it begins. They take as long, and each costs as much more or less than the one
// before. With expensive the i-th costs more than the best so far.
func (w *Window) countNoBetter(t *Task, i, size int, usdPerH float64, feasible, expensive bool) int {
	if size == 0 {
		return 0
	}
	first := w.list[i]
	last := w.list[i+size-1]
	rest := min(w.ends[first]-1, w.ends[last]-size) - i
	if first == last {
		return rest
	}
	if !w.slowest || rest == 0 {
		return 0
	}
	step := t.USD[w.order[last]] - t.USD[w.order[first]]
	if !feasible || step == 0 && expensive {
		return rest
	}
	return policyutil.NotCheapest(rest, step, usdPerH)
}

// add adds size instances from the first on to what runs, and returns what all cost.
func (w *Window) add(t *Task, tally *sim.Tally, usdPerH float64, first, size int) float64 {
	end := first + size
	for first < end {
		k := w.list[first]
		n := min(w.ends[k], end) - first
		p := w.order[k]
		tally.Add(n, w.workers[p])
		usdPerH += float64(float64(n) * t.USD[p])
		first += n
	}
	return usdPerH
}

// count counts the instances of a choice by pool.
func (w *Window) count(t *Task, c *candidate) {
	copy(w.counts, t.Have)
	end := c.first + c.size
	for i := c.first; i < end; {
		k := w.list[i]
		n := min(w.ends[k], end) - i
		w.counts[w.order[k]] += n
		i += n
	}
	c.Counts = w.counts
}
