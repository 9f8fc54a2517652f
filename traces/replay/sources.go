package replay

import (
	"cmp"
	"fmt"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// Traces returns the traces of pools of a trace over a window, and the end of the window as an instant of the
// simulation: what sim.NewMarket takes. No pools means all, and no window the whole observation. Where pools ended at
// different times, a window without an end lasts until the first of them does.
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
		replayed, err := r.trace(t, w, p)
		if err != nil {
			return nil, 0, fmt.Errorf("pool %s: %w", t.pools[p].Name, err)
		}
		traces = append(traces, replayed)
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

// trace returns the trace of one pool: its prices, and its machines or room for them as the adapter says.
func (r Replay) trace(t *Trace, w Window, pool int) (sim.Trace, error) {
	replayed := sim.Trace{Pool: r.pool(&t.pools[pool]), Prices: t.PriceHistory(pool, w)}
	if len(replayed.Prices) == 0 {
		flat := cmp.Or(r.FlatPrice, replayed.OnDemandPrice)
		if flat == 0 {
			return replayed, fmt.Errorf("no price was recorded, expected FlatPrice or an on-demand price")
		}
		replayed.Prices = []sim.Price{{USD: flat}}
	}
	recorded := &t.series[pool]
	switch {
	case r.Adapter == Unlimited:
		replayed.Quota = r.N
		replayed.Capacity = []sim.Capacity{{N: r.N}}
	case r.Adapter == PerEvent && len(recorded.events) == 0:
		return replayed, fmt.Errorf("no machines were recorded, expected another adapter than %s", r.Adapter)
	case r.Adapter == Bid:
		if len(recorded.prices) == 0 {
			return replayed, fmt.Errorf("no price was recorded, expected prices to compare the bid with")
		}
		replayed.Capacity = t.underBid(pool, w, r.Notice, r.Bid, r.N)
		replayed.Quota = r.N
	case len(recorded.counts) == 0 && (r.Adapter != LifetimeResample || r.Lifetime == nil):
		return replayed, fmt.Errorf("only prices were recorded, expected the adapter %s", Unlimited)
	case r.Adapter == PerEvent:
		replayed.Nodes, replayed.Quota = t.perEvent(pool, w, r.Notice)
		replayed.Nodes = repeated(replayed.Nodes, r.copies())
		replayed.Quota *= r.copies()
	case r.DrawsLifetimes():
		var err error
		replayed.Nodes, err = r.drawn(t, w, pool)
		replayed.Quota = r.N
		if len(replayed.Nodes) == 0 {
			replayed.Capacity = []sim.Capacity{{}} // nothing could be launched; empty would mean no limit
		}
		return replayed, err
	case r.Adapter == BinaryAll:
		replayed.Capacity = t.binaryAll(pool, w, r.Notice, r.N)
		replayed.Quota = r.N
	default:
		scale := r.scale() * float64(r.copies())
		replayed.Capacity = t.countCap(pool, w, r.Notice, scale)
		replayed.Quota = scaled(float64(recorded.cap), scale)
	}
	if r.Adapter != PerEvent && len(replayed.Capacity) == 0 {
		replayed.Capacity = []sim.Capacity{{}} // the counts begin after the window; empty would mean no limit
	}
	return replayed, nil
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
