package replay

import (
	"cmp"
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// Trace is a set laid out for replay: by pool, changes only. It never changes
// after New, so that any number of goroutines may replay it.
type Trace struct {
	pools      []traces.Pool
	start, end int64
	series     []poolSeries
}

// poolSeries is one pool's columns.
type poolSeries struct {
	prices []series.Step
	counts []series.Step
	events []traces.InstanceEventRow
	gaps   []traces.GapRow
	end    int64 // until when the pool was observed
	cap    int   // machines asked for; of events the most there were
	asked  int   // machines that a count is of, at most; 0: not known
}

// New lays out a set. Of a pool with machines but no counts, the counts are
// the machines there; of one with launch probes only, what could be launched.
func New(s *traces.Set) *Trace {
	usd := func(r *traces.PriceRow) float64 { return traces.USD(r.PriceNanoUSD) }
	prices := series.ChangesByPool(s.Prices, len(s.Pools), usd)
	return layOut(s, prices)
}

// Read lays out the trace of a folder in the neutral form as New does, and returns it with
// the set, which has all but the prices: they are never in memory together.
func Read(dir string) (*Trace, *traces.Set, error) {
	var prices series.PoolChanges
	s, err := traces.ReadApart(dir, func(rows []traces.PriceAt) {
		for i := range rows {
			r := &rows[i]
			prices.Add(r.PoolID, r.T, traces.USD(r.PriceNanoUSD))
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return layOut(s, prices.Fitted(len(s.Pools))), s, nil
}

// layOut lays out a set with the prices of each pool.
func layOut(s *traces.Set, prices [][]series.Step) *Trace {
	n := len(s.Pools)
	t := &Trace{pools: s.Pools, start: s.Manifest.TStartUs, end: s.Manifest.TEndUs, series: make([]poolSeries, n)}
	counts := series.ChangesByPool(s.Capacity, n, func(r *traces.CapacityRow) float64 { return float64(r.Available) })
	events := series.ByPool(s.InstanceEvents, n)
	probes := series.ByPool(s.Probes, n)
	until := series.Ends(s)
	gaps := series.GapsByPool(s.Gaps, n)
	for i := range t.series {
		p := &t.series[i]
		p.end = until[i]
		p.prices = prices[i]
		p.counts = counts[i]
		p.events = events[i]
		p.gaps = gaps[i]
		if len(p.counts) == 0 {
			machines, asked := series.CountSteps(nil, events[i], probes[i])
			p.counts = series.Changes(machines)
			p.asked = asked
			for _, s := range p.counts {
				p.cap = max(p.cap, int(s.V))
			}
		}
	}
	for i := range s.Capacity {
		p := &t.series[s.Capacity[i].PoolID]
		p.cap = max(p.cap, int(s.Capacity[i].Cap))
		p.asked = p.cap
	}
	return t
}

// Pools returns the pools; the number of a pool is its index. The caller does
// not change them.
func (t *Trace) Pools() []traces.Pool { return t.pools }

// Span returns the beginning and the end of the observation, us UTC.
func (t *Trace) Span() (start, end int64) { return t.start, t.end }

// Series is what a generator made of one pool: prices (USD per hour) and counts, which
// change at each step, and the most machines.
type Series struct {
	Prices, Counts []series.Step
	Cap            int
}

// OfSynthetic is the trace of a made market that lasts from 0 to end, us.
func OfSynthetic(pools []traces.Pool, end int64, series []Series) *Trace {
	t := &Trace{end: end, pools: pools, series: make([]poolSeries, len(pools))}
	for i, m := range series {
		t.series[i] = poolSeries{prices: m.Prices, counts: m.Counts, end: end, cap: m.Cap}
	}
	return t
}

// Cap returns how many machines of a pool were asked for; of machines and probes
// the most that there were.
func (t *Trace) Cap(pool int) int { return t.series[pool].cap }

// Binary reports whether a pool's trace only says whether one machine could be had:
// availability of 0 or 1, or launches of one machine. Recorded machines are a count,
// even of one.
func (t *Trace) Binary(pool int) bool {
	p := &t.series[pool]
	return len(p.events) == 0 && len(p.counts) > 0 && p.asked == 1
}

// PoolEnd returns until when a pool was observed, us UTC.
func (t *Trace) PoolEnd(pool int) int64 { return t.series[pool].end }

// Window is a part of a trace, us UTC: From becomes sim time 0, and Until is where it
// ends. The zero window is the whole observation: From 0 is its start, Until 0 its
// end. The last record before From holds at From. A gap does not interrupt a window:
// what was known last holds through it.
type Window struct{ From, Until int64 }

// begun returns a window that says when it begins.
func (t *Trace) begun(w Window) Window {
	w.From = cmp.Or(w.From, t.start)
	return w
}

// within returns the steps from the one that holds at w.From that begin before
// cutoff.
func (w Window) within(steps []series.Step, cutoff int64) []series.Step {
	first := max(0, series.At(steps, w.From))
	return steps[first:max(first, series.At(steps, cutoff-1)+1)]
}

// steps yields those steps at instants of the simulation.
func (w Window) steps(steps []series.Step, cutoff int64, yield func(at sim.Time, v float64)) {
	for _, s := range w.within(steps, cutoff) {
		yield(sim.Time(max(0, s.T-w.From)), s.V)
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
func (t *Trace) check(w Window, pool int) error {
	end := t.series[pool].end
	if w.From < t.start || w.From >= end {
		return fmt.Errorf("pool %s: start %s, expected one within the observation, %s to %s", t.pools[pool].Name,
			traces.Stamp(w.From), traces.Stamp(t.start), traces.Stamp(end))
	}
	if w.Until != 0 && (w.Until <= w.From || w.Until > end) {
		return fmt.Errorf("pool %s: end %s, expected one after %s and not after the end of the observation, %s",
			t.pools[pool].Name, traces.Stamp(w.Until), traces.Stamp(w.From), traces.Stamp(end))
	}
	return nil
}

// PriceHistory returns the prices of a pool as recorded, in USD per hour. Where
// none is known at the start, the first one known holds from there: that is an
// assumption. Empty where the set has none.
func (t *Trace) PriceHistory(pool int, w Window) []sim.Price {
	w = t.begun(w)
	prices := t.series[pool].prices
	cutoff := w.cutoff(0)
	out := make([]sim.Price, 0, len(w.within(prices, cutoff)))
	w.steps(prices, cutoff, func(at sim.Time, v float64) {
		out = append(out, sim.Price{At: at, USD: v})
	})
	if len(out) == 0 && len(prices) > 0 { // they begin after the window
		out = append(out, sim.Price{USD: prices[0].V})
	}
	return out
}
