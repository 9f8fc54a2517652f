package replay

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// Traces returns the traces of pools of a trace over a window, and the
// end of the window as an instant of the simulation: what sim.NewMarket takes.
// No pools means all, and no window the whole observation. Where pools ended at different times, a window without
// an end lasts until the first of them does.
func (r Replay) Traces(t *Trace, w Window, pools ...int) ([]sim.Trace, sim.Time, error) {
	if err := r.check(); err != nil {
		return nil, 0, err
	}
	if len(pools) == 0 {
		for p := range t.pools {
			pools = append(pools, p)
		}
	}
	w = t.begun(w)
	end := t.end
	for _, p := range pools {
		if err := t.check(w, p); err != nil {
			return nil, 0, err
		}
		end = min(end, t.series[p].end)
	}
	w.Until = cmp.Or(w.Until, end)
	traces := make([]sim.Trace, 0, len(pools))
	for _, p := range pools {
		h, err := r.trace(t, w, p)
		if err != nil {
			return nil, 0, fmt.Errorf("pool %s: %w", t.pools[p].Name, err)
		}
		traces = append(traces, h)
	}
	return traces, sim.Time(w.Until - w.From), nil
}

// Market returns the market of pools of a trace over a window.
func (r Replay) Market(t *Trace, w Window, pools ...int) (*sim.Market, error) {
	traces, end, err := r.Traces(t, w, pools...)
	if err != nil {
		return nil, err
	}
	return sim.NewMarket(end, traces)
}

func (r Replay) trace(t *Trace, w Window, pool int) (sim.Trace, error) {
	h := sim.Trace{Pool: r.pool(&t.pools[pool]), Prices: t.PriceHistory(pool, w)}
	if len(h.Prices) == 0 {
		flat := cmp.Or(r.FlatPrice, h.OnDemandPrice)
		if flat == 0 {
			return h, fmt.Errorf("no price was recorded, expected FlatPrice or an on-demand price")
		}
		h.Prices = []sim.Price{{USD: flat}}
	}
	tr := &t.series[pool]
	switch {
	case r.Adapter == Unlimited:
		h.Quota = r.N
		h.Capacity = []sim.Capacity{{N: r.N}}
	case r.Adapter == PerEvent && len(tr.events) == 0:
		return h, fmt.Errorf("no machines were recorded, expected another adapter than %s", r.Adapter)
	case r.Adapter == Bid:
		if len(tr.prices) == 0 {
			return h, fmt.Errorf("no price was recorded, expected prices to compare the bid with")
		}
		h.Capacity, h.Quota = t.underBid(pool, w, r.Notice, r.Bid, r.N), r.N
	case len(tr.counts) == 0 && (r.Adapter != LifetimeResample || r.Lifetime == nil):
		return h, fmt.Errorf("only prices were recorded, expected the adapter %s", Unlimited)
	case r.Adapter == PerEvent:
		h.Nodes, h.Quota = t.perEvent(pool, w, r.Notice)
		h.Nodes, h.Quota = repeated(h.Nodes, r.copies()), h.Quota*r.copies()
	case r.DrawsLifetimes():
		var err error
		h.Nodes, err = r.drawn(t, w, pool)
		h.Quota = r.N
		if len(h.Nodes) == 0 {
			h.Capacity = []sim.Capacity{{}} // nothing could be launched; empty would mean no limit
		}
		return h, err
	case r.Adapter == BinaryAll:
		h.Capacity, h.Quota = t.binaryAll(pool, w, r.Notice, r.N), r.N
	default:
		scale := r.scale() * float64(r.copies())
		h.Capacity, h.Quota = t.countCap(pool, w, r.Notice, scale), scaled(float64(tr.cap), scale)
	}
	if r.Adapter != PerEvent && len(h.Capacity) == 0 {
		h.Capacity = []sim.Capacity{{}} // the counts begin after the window; empty would mean no limit
	}
	return h, nil
}

// pool describes a pool to sim, with the replay's assumptions.
func (r Replay) pool(p *traces.Pool) sim.Pool {
	out := sim.Pool{
		Name: p.Name, Cloud: p.Cloud, Region: p.Region, Zone: p.Zone,
		InstanceType: p.InstanceType, GPU: p.GPUType, GPUs: int(p.GPUCount),
		Notice: r.Notice, NoticeMissing: r.NoticeMissing, Victim: r.Victim, Boot: sim.DefaultBoot(),
	}
	if p.OnDemandNano != nil {
		out.OnDemandPrice = traces.USD(*p.OnDemandNano)
	}
	return out
}

func scaled(n, scale float64) int { return int(math.Min(math.Round(n*scale), math.MaxInt32)) }

// countCap returns the counts of a pool times scale, rounded to the nearest;
// the falls of one notice after the window are there, for they are announced
// within it.
func (t *Trace) countCap(pool int, w Window, notice time.Duration, scale float64) []sim.Capacity {
	return t.capacity(pool, w, notice, func(n float64) int { return scaled(n, scale) })
}

// binaryAll returns room for n machines where the count is at least one.
func (t *Trace) binaryAll(pool int, w Window, notice time.Duration, n int) []sim.Capacity {
	return t.capacity(pool, w, notice, func(count float64) int {
		if count >= 1 {
			return n
		}
		return 0
	})
}

func (t *Trace) capacity(pool int, w Window, notice time.Duration, capacityOf func(float64) int) []sim.Capacity {
	var out []sim.Capacity
	w.steps(t.series[pool].counts, w.cutoff(notice.Microseconds()), func(at sim.Time, v float64) {
		if n := capacityOf(v); len(out) == 0 || out[len(out)-1].N != n {
			out = append(out, sim.Capacity{At: at, N: n})
		}
	})
	return out
}
