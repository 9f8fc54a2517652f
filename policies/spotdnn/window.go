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

// Search returns the cheapest candidate that meets the objective; if there is none,
// the fastest, not feasible, with the reason. At equal costs the first stays: fewer
// workers, then slower ones.
func (w *Window) Search(t *Task) Choice {
	have := w.prepare(t)
	w.quick, _ = t.Model.(SecondsModel)
	w.slowest = policyutil.WaitsForSlowest(t.Model)
	w.sets.of(t)
	lo, hi := t.Model.WorkerBounds(t.From, t.To, t.Seconds)
	if t.Exactly > 0 {
		lo, hi = t.Exactly, t.Exactly
	}
	lo, hi = max(lo, have, 1), max(min(hi, have+len(w.list)), have)
	best := candidate{Choice: Choice{USD: math.Inf(1)}}
	fastest := candidate{Choice: Choice{Estimate: sim.Estimate{Seconds: math.Inf(1)}}}
	windows := 0
	for n, pass := min(lo, hi), 0; n <= hi; n++ {
		t.Model.Workers(n, t.Margin, w.workers)
		base, price := w.running(t)
		size := n - have
		shown := candidate{Choice: Choice{USD: math.Inf(1), Estimate: sim.Estimate{Seconds: math.Inf(1)}}}
		for i := 0; i+size <= len(w.list) && (size > 0 || i == 0); i += 1 + pass {
			seconds, usdPerH := w.seconds(t, &base, price, i, size)
			usd := usdPerH * seconds / 3600
			feasible := seconds <= t.Seconds
			pass = w.noBetter(t, i, size, usdPerH, feasible, usd*(1-policyutil.Rounding) > best.USD && t.Consider == nil)
			windows += 1 + pass
			cheapest := feasible && usd < best.USD*(1-tie) && lo <= hi
			sooner := seconds < fastest.Seconds && !best.Feasible // it is asked for only where nothing is feasible
			if !cheapest && !sooner && t.Consider == nil {
				continue
			}
			tally := &w.tally
			c := candidate{Choice{Estimate: t.Model.Estimate(*tally, t.From, t.To), Workers: tally.N, Speed: tally.Speed, USD: usd}, i, size}
			if w.sets.model != nil {
				c.Estimate.Seconds = seconds
			}
			if cheapest {
				best = c
				best.Feasible = true
			}
			if sooner {
				fastest = c
			}
			if c.Feasible = feasible; t.Consider != nil && Better(&c.Choice, &shown.Choice) {
				shown = c
			}
		}
		if t.Consider != nil && shown.Workers > 0 {
			w.take(t, &shown)
			t.Consider(shown.Choice)
		}
	}
	if !best.Feasible {
		best = fastest
		best.Reason = "no window of workers between the bounds meets the deadline"
		if lo > hi {
			best.Reason = "the lower bound on the number of workers is above the upper bound"
		}
	}
	best.Evaluated = windows
	w.take(t, &best)
	return best.Choice
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
	w.workers = slices.Grow(w.workers[:0], pools)[:pools]
	w.counts = slices.Grow(w.counts[:0], pools)[:pools]
	t.first(w.workers)
	w.order, w.ends, w.list = w.order[:0], w.ends[:0], w.list[:0]
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

// running adds up what already runs.
func (w *Window) running(t *Task) (base sim.Tally, usdPerH float64) {
	for p, k := range t.Have {
		if k > 0 {
			base.Add(k, w.workers[p])
			usdPerH += float64(float64(k) * t.USD[p])
		}
	}
	return base, usdPerH
}

// seconds returns the time that what runs and size more instances take, from the first on, and their price. Most windows are
// no better than one before, so that no more is asked of the model. Their sums are in w.tally: a Tally that is returned is
// copied twice.
func (w *Window) seconds(t *Task, base *sim.Tally, price float64, first, size int) (seconds, usdPerH float64) {
	w.tally = *base
	usdPerH = w.add(t, &w.tally, price, first, size)
	if w.sets.model != nil {
		w.take(t, &candidate{first: first, size: size})
		usdPerH += w.sets.exact(t, w.counts, &w.mixed)
		return w.mixed.Seconds, usdPerH
	}
	if w.quick != nil {
		if seconds, known := w.quick.SecondsOf(t.Model, &w.tally, t.From, t.To); known {
			return seconds, usdPerH
		}
		w.quick = nil
	}
	return t.Model.Estimate(w.tally, t.From, t.To).Seconds, usdPerH
}

// noBetter returns how many windows after the i-th are no better than it or than the one behind them: those of the same
// instances and, of a policyutil.SlowestModel, those that only have more of the pool in which the window ends and fewer of that in which it
// begins. They take as long, and each costs as much more or less than the one before. With expensive the i-th costs more than the
// best so far.
func (w *Window) noBetter(t *Task, i, size int, usdPerH float64, feasible, expensive bool) int {
	if size == 0 {
		return 0
	}
	first, last := w.list[i], w.list[i+size-1]
	rest := min(w.ends[first]-1, w.ends[last]-size) - i
	if first == last {
		return rest
	}
	if !w.slowest || rest == 0 {
		return 0
	}
	switch step := t.USD[w.order[last]] - t.USD[w.order[first]]; {
	case !feasible, step == 0 && expensive:
		return rest
	default:
		return policyutil.NotCheapest(rest, step, usdPerH)
	}
}

// add adds size instances from the first on to what runs, and returns what all cost.
func (w *Window) add(t *Task, tally *sim.Tally, usdPerH float64, first, size int) float64 {
	for i, end := first, first+size; i < end; {
		k := w.list[i]
		n := min(w.ends[k], end) - i
		p := w.order[k]
		tally.Add(n, w.workers[p])
		usdPerH += float64(float64(n) * t.USD[p])
		i += n
	}
	return usdPerH
}

// take counts the instances of a choice by pool.
func (w *Window) take(t *Task, c *candidate) {
	copy(w.counts, t.Have)
	for i, end := c.first, c.first+c.size; i < end; {
		k := w.list[i]
		n := min(w.ends[k], end) - i
		w.counts[w.order[k]] += n
		i += n
	}
	c.Counts = w.counts
}
