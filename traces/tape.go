package traces

import (
	"cmp"
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// Tape is a set laid out for replay: by pool, changes only. It never changes
// after NewTape, so that any number of goroutines may replay it.
type Tape struct {
	pools      []Pool
	start, end int64
	tracks     []track
}

// track is one pool's columns.
type track struct {
	prices []step
	counts []step
	events []InstanceEventRow
	gaps   []GapRow
	end    int64 // until when the pool was observed
	cap    int   // machines asked for; of events the most there were
}

// NewTape lays out a set. Of a pool with machines but no counts, the counts are
// the machines there; of one with launch probes only, what could be launched.
func NewTape(s *Set) *Tape {
	n := len(s.Pools)
	t := &Tape{pools: s.Pools, start: s.Manifest.TStartUs, end: s.Manifest.TEndUs, tracks: make([]track, n)}
	prices := changesByPool(s.Prices, n, func(r *PriceRow) float64 { return USD(r.PriceNanoUSD) })
	counts := changesByPool(s.Capacity, n, func(r *CapacityRow) float64 { return float64(r.Available) })
	events, probes := byPool(s.InstanceEvents, n), byPool(s.Probes, n)
	until, gaps := ends(s), gapsByPool(s.Gaps, n)
	for i := range t.tracks {
		tr := &t.tracks[i]
		tr.end = until[i]
		tr.prices, tr.counts, tr.events, tr.gaps = prices[i], counts[i], events[i], gaps[i]
		if len(tr.counts) == 0 {
			machines, _ := countSteps(nil, events[i], probes[i])
			tr.counts = changes(machines)
			for _, s := range tr.counts {
				tr.cap = max(tr.cap, int(s.v))
			}
		}
	}
	for i := range s.Capacity {
		tr := &t.tracks[s.Capacity[i].PoolID]
		tr.cap = max(tr.cap, int(s.Capacity[i].Cap))
	}
	return t
}

// Pools returns the pools; the number of a pool is its index. The caller does
// not change them.
func (t *Tape) Pools() []Pool { return t.pools }

// Span returns the beginning and the end of the observation, us UTC.
func (t *Tape) Span() (start, end int64) { return t.start, t.end }

// Made is what a generator made of one pool: prices (USD per hour) and counts, which
// change at each step, and the most machines.
type Made struct {
	Prices, Counts []step
	Cap            int
}

// FromMade is the tape of a made market that lasts from 0 to end, us.
func FromMade(pools []Pool, end int64, made []Made) *Tape {
	t := &Tape{end: end, pools: pools, tracks: make([]track, len(pools))}
	for i, m := range made {
		t.tracks[i] = track{prices: m.Prices, counts: m.Counts, end: end, cap: m.Cap}
	}
	return t
}

// Cap returns how many machines of a pool were asked for; of machines and probes
// the most that there were.
func (t *Tape) Cap(pool int) int { return t.tracks[pool].cap }

// PoolEnd returns until when a pool was observed, us UTC.
func (t *Tape) PoolEnd(pool int) int64 { return t.tracks[pool].end }

// Window is a part of a tape, us UTC: From becomes sim time 0, and Until is where it
// ends. The zero window is the whole observation: From 0 is its start, Until 0 its
// end. The last record before From holds at From. A gap does not interrupt a window:
// what was known last holds through it.
type Window struct{ From, Until int64 }

// begun returns a window that says when it begins.
func (t *Tape) begun(w Window) Window {
	w.From = cmp.Or(w.From, t.start)
	return w
}

// within returns the steps from the one that holds at w.From that begin before
// cutoff.
func (w Window) within(steps []step, cutoff int64) []step {
	first := max(0, at(steps, w.From))
	return steps[first:max(first, at(steps, cutoff-1)+1)]
}

// steps yields those steps at instants of the simulation.
func (w Window) steps(steps []step, cutoff int64, yield func(at sim.Time, v float64)) {
	for _, s := range w.within(steps, cutoff) {
		yield(sim.Time(max(0, s.t-w.From)), s.v)
	}
}

// cutoff returns the instant before which records matter to the window: its
// end, and later by the notice, since what falls then is announced before.
func (w Window) cutoff(notice int64) int64 {
	if w.Until == 0 || w.Until > math.MaxInt64-notice {
		return math.MaxInt64
	}
	return w.Until + notice
}

// check returns what is wrong with a window on a pool.
func (t *Tape) check(w Window, pool int) error {
	end := t.tracks[pool].end
	if w.From < t.start || w.From >= end {
		return fmt.Errorf("pool %s: start %s, expected one within the observation, %s to %s", t.pools[pool].Name, Stamp(w.From), Stamp(t.start), Stamp(end))
	}
	if w.Until != 0 && (w.Until <= w.From || w.Until > end) {
		return fmt.Errorf("pool %s: end %s, expected one after %s and not after the end of the observation, %s", t.pools[pool].Name, Stamp(w.Until), Stamp(w.From), Stamp(end))
	}
	return nil
}

// PriceHistory returns the prices of a pool as recorded, in USD per hour. Where
// none is known at the start, the first one known holds from there: that is an
// assumption. Empty where the set has none.
func (t *Tape) PriceHistory(pool int, w Window) []sim.Price {
	w = t.begun(w)
	prices, cutoff := t.tracks[pool].prices, w.cutoff(0)
	out := make([]sim.Price, 0, len(w.within(prices, cutoff)))
	w.steps(prices, cutoff, func(at sim.Time, v float64) {
		out = append(out, sim.Price{At: at, USD: v})
	})
	if len(out) == 0 && len(prices) > 0 { // they begin after the window
		out = append(out, sim.Price{USD: prices[0].v})
	}
	return out
}
