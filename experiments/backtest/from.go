package backtest

import (
	"math"
	"time"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/ownruns"
)

// From makes an Observed of a run in the neutral form. What it paid is what was charged, or else what its machines cost at the
// recorded prices, if these are known for all of their hours.
func From(r *ownruns.Run) Observed {
	finish, done := r.Finish()
	o := Observed{Run: fromruns.Run{Name: r.Name, End: r.Since(finish), Finished: done}, USD: math.NaN(), Prices: prices(r)}
	if !r.Relative {
		o.Start = time.UnixMicro(r.Zero).UTC()
	}
	for _, h := range r.Holdings() {
		o.Instances = append(o.Instances, instance(r, &h))
	}
	p := r.Progress()
	for _, x := range p.Points {
		o.Progress = append(o.Progress, fromruns.Point{At: r.Since(x.T), Steps: x.Steps})
	}
	o.Redone, o.Hours = p.Redone, r.Timeline().Hours()
	for i := range r.Events {
		switch e := &r.Events[i]; e.Kind {
		case ownruns.Save:
			o.Saves = append(o.Saves, fromruns.Save{At: r.Since(e.T), Took: e.Value})
		case ownruns.Restored:
			o.Resumed = append(o.Resumed, r.Since(e.T))
		}
	}
	if d := r.Dollars(); d.Charges > 0 {
		o.USD = d.BilledUSD
	} else if d.PricedH > 0 && d.UnpricedH <= 1e-9*d.PricedH {
		o.USD = d.PricedUSD
	}
	return o
}

// instance is a machine that a run held.
func instance(r *ownruns.Run, h *ownruns.Holding) fromruns.Instance {
	since := func(at int64) float64 {
		if at == ownruns.Missing {
			return math.NaN()
		}
		return r.Since(at)
	}
	x := fromruns.Instance{Type: h.Type, Zone: h.Zone, OnDemand: h.OnDemand, Launched: since(h.From()), Ready: since(h.Ready),
		Noticed: since(h.Noticed), Gone: since(h.Gone), Taken: h.Lost()}
	if h.End == ownruns.None {
		x.Gone = math.Inf(1)
	}
	return x
}

// prices returns the recorded prices by pool, from the run's beginning. One without a zone is that of all pools of its type
// that have none of their own.
func prices(r *ownruns.Run) map[string][]sim.Price {
	type pool struct {
		kind, zone string
		onDemand   bool
	}
	book := map[pool][]sim.Price{}
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind == ownruns.Price {
			k := pool{e.Type, e.Zone, e.OnDemand}
			book[k] = append(book[k], sim.Price{At: sim.Time(0).Add(spanOf(max(r.Since(e.T), 0))), USD: e.Value})
		}
	}
	out := map[string][]sim.Price{}
	for _, h := range r.Holdings() {
		list := book[pool{h.Type, h.Zone, h.OnDemand}]
		if list == nil {
			list = book[pool{h.Type, "", h.OnDemand}]
		}
		if list != nil {
			x := instance(r, &h)
			out[PoolName(&x)] = last(list)
		}
	}
	return out
}

// last keeps the last of several prices of one instant: of those before the run began, the one that held then.
func last(list []sim.Price) (out []sim.Price) {
	for _, p := range list {
		if n := len(out); n > 0 && out[n-1].At == p.At {
			out[n-1] = p
			continue
		}
		out = append(out, p)
	}
	return out
}
