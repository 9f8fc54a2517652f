package backtest

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/ownruns"
)

// Observed is a run as it was.
type Observed struct {
	fromruns.Run
	Start  time.Time // of the run's clock; zero if it is not that of the world
	USD    float64   // paid; NaN: not recorded
	Redone float64   // steps done again
	Hours  [sim.Activities]float64
	// Prices are by pool (PoolName), from the run's beginning; a pool without one is not billed.
	Prices map[string][]sim.Price
}

// PoolName names the pool of an instance: its zone and type, and its market if it is on demand.
func PoolName(x *fromruns.Instance) string {
	name := x.Zone + "/" + x.Type
	if x.OnDemand {
		name += ":on-demand"
	}
	return name
}

// replay is a recorded run as the simulator needs it.
type replay struct {
	policy               *policies.Recorded
	pools                []sim.Pool
	prices               [][]sim.Price
	types                []string
	booted               []bool // by pool
	losses, joins, saves int    // of instances that train
	steps                float64
	unpriced             []string
	end                  sim.Time
}

// clocks is how much the clocks of two records of one run may differ, in seconds.
const clocks = 60

// grain is the grid of grants and losses: a world refuses a policy that is asked every few microseconds without an end.
const grain = 10 * time.Millisecond

// newReplay prepares the replay of a run. What was given back when the last step was done, or within a minute before, was held until the job ended.
func newReplay(o *Observed, idle []string) *replay {
	from, to := o.Steps()
	r := &replay{steps: to - from, end: sim.Time(0).Add(spanOf(20*o.End) + time.Hour)}
	last := o.lastGain()
	var holdings []policies.Holding
	for i := range o.Instances {
		x := &o.Instances[i]
		name := PoolName(x)
		booted := x.Ready <= 0
		if booted {
			name += ", there from the beginning"
		}
		if r.index(name) < 0 {
			r.add(o, x, name, booted)
		}
		h := policies.Holding{Pool: name, From: spanOf(max(x.Launched, 0)).Round(grain), To: policies.HeldToEnd, Taken: x.Taken}
		if x.Taken || x.Gone < min(last, o.End)-clocks {
			h.To = spanOf(x.Gone).Round(grain)
		}
		if math.IsInf(x.Gone, 1) {
			h.To, h.Taken = policies.HeldToEnd, false
		}
		if h.To <= h.From {
			continue
		}
		holdings = append(holdings, h)
		if works := !slices.Contains(idle, x.Type); works && x.Taken && x.Gone < o.End {
			r.losses++
		} else if works && x.Launched > 0 {
			r.joins++
		}
	}
	saves, every := saveTimes(o.Saves, spanOf(o.End))
	r.saves = len(saves)
	r.policy = policies.NewRecorded(holdings, saves, every)
	return r
}

func (r *replay) index(name string) int {
	return slices.IndexFunc(r.pools, func(p sim.Pool) bool { return p.Name == name })
}

// add adds the pool of an instance. Instances that were ready when the run began have one of their own, in which nothing boots.
func (r *replay) add(o *Observed, x *fromruns.Instance, name string, booted bool) {
	r.pools = append(r.pools, sim.Pool{Name: name, Zone: x.Zone, InstanceType: x.Type})
	r.types, r.booted = append(r.types, x.Type), append(r.booted, booted)
	price := o.Prices[PoolName(x)]
	if len(price) == 0 {
		price = []sim.Price{{}}
		r.unpriced = append(r.unpriced, PoolName(x))
	}
	r.prices = append(r.prices, price)
}

// lastGain returns when the last step was done.
func (o *Observed) lastGain() float64 {
	_, to := o.Steps()
	for _, p := range o.Progress {
		if p.Steps >= to {
			return p.At
		}
	}
	return o.End
}

// saveTimes returns when saves began, one a second at most, and the usual time between them, 0 if there was one at most; it is at least
// a thousandth of the run.
func saveTimes(saves []fromruns.Save, end time.Duration) (at []time.Duration, every time.Duration) {
	var gaps []time.Duration
	for _, s := range saves {
		begun := s.At
		if !math.IsNaN(s.Took) {
			begun -= s.Took
		}
		next := spanOf(max(begun, 0))
		if n := len(at); n > 0 {
			if next-at[n-1] < time.Second {
				continue
			}
			gaps = append(gaps, next-at[n-1])
		}
		at = append(at, next)
	}
	if len(gaps) > 0 {
		slices.Sort(gaps)
		every = max(gaps[len(gaps)/2], end/1000)
	}
	return at, every
}

func spanOf(s float64) time.Duration {
	return time.Duration(math.Min(s, 9e9) * 1e9).Round(time.Microsecond)
}

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
	x := fromruns.Instance{Type: h.Type, Zone: h.Zone, OnDemand: h.OnDemand, Launched: since(h.Seen), Ready: since(h.Ready),
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
