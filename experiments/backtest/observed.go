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

// newReplay prepares the replay of a run. What was given back when the last step was done, or within a minute before,
// was held until the job ended.
func newReplay(o *Observed, idle []string) *replay {
	from, to := o.Steps()
	r := &replay{
		steps: to - from,
		end:   sim.Time(0).Add(spanOf(20*o.End) + time.Hour),
	}
	var holdings []policies.Holding
	for i := range o.Instances {
		instance := &o.Instances[i]
		holding := policies.Holding{
			Pool:  r.addPool(o, instance),
			From:  spanOf(max(instance.Launched, 0)).Round(grain),
			To:    o.heldUntil(instance),
			Taken: instance.Taken && !math.IsInf(instance.Gone, 1),
		}
		if holding.To <= holding.From {
			continue
		}
		holdings = append(holdings, holding)
		if slices.Contains(idle, instance.Type) {
			continue
		}
		if instance.Taken && instance.Gone < o.End {
			r.losses++
		} else if instance.Launched > 0 {
			r.joins++
		}
	}
	saves, every := saveTimes(o.Saves, spanOf(o.End))
	r.saves = len(saves)
	r.policy = policies.NewRecorded(holdings, saves, every)
	return r
}

// heldUntil returns until when the replay holds an instance.
func (o *Observed) heldUntil(instance *fromruns.Instance) time.Duration {
	if math.IsInf(instance.Gone, 1) {
		return policies.HeldToEnd
	}
	if instance.Taken || instance.Gone < min(o.lastGain(), o.End)-clocks {
		return spanOf(instance.Gone).Round(grain)
	}
	return policies.HeldToEnd
}

// addPool adds the pool of an instance where it is not there yet, and returns its name. Instances that were ready when
// the run began have one of their own, in which nothing boots.
func (r *replay) addPool(o *Observed, x *fromruns.Instance) string {
	name := PoolName(x)
	booted := x.Ready <= 0
	if booted {
		name += ", there from the beginning"
	}
	if slices.ContainsFunc(r.pools, func(p sim.Pool) bool { return p.Name == name }) {
		return name
	}
	r.pools = append(r.pools, sim.Pool{Name: name, Zone: x.Zone, InstanceType: x.Type})
	r.types = append(r.types, x.Type)
	r.booted = append(r.booted, booted)
	price := o.Prices[PoolName(x)]
	if len(price) == 0 {
		price = []sim.Price{{}}
		r.unpriced = append(r.unpriced, PoolName(x))
	}
	r.prices = append(r.prices, price)
	return name
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

// saveTimes returns when saves began, one a second at most, and the usual time between them, 0 if there was one at
// most; it is at least a thousandth of the run.
func saveTimes(saves []fromruns.Save, end time.Duration) (at []time.Duration, every time.Duration) {
	var gaps []time.Duration
	for _, save := range saves {
		begun := save.At
		if !math.IsNaN(save.Took) {
			begun -= save.Took
		}
		next := spanOf(max(begun, 0))
		if len(at) > 0 {
			gap := next - at[len(at)-1]
			if gap < time.Second {
				continue
			}
			gaps = append(gaps, gap)
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

// From makes an Observed of a run in the neutral form. What it paid is what was charged, or else what its machines cost
// at the recorded prices, if these are known for all of their hours.
func From(r *ownruns.Run) Observed {
	finish, done := r.Finish()
	observed := Observed{
		Run:    fromruns.Run{Name: r.Name, End: r.Since(finish), Finished: done},
		USD:    math.NaN(),
		Hours:  r.Timeline().Hours(),
		Prices: prices(r),
	}
	if !r.Relative {
		observed.Start = time.UnixMicro(r.Zero).UTC()
	}
	for _, holding := range r.Holdings() {
		observed.Instances = append(observed.Instances, instance(r, &holding))
	}
	progress := r.Progress()
	observed.Redone = progress.Redone
	for _, point := range progress.Points {
		observed.Progress = append(observed.Progress, fromruns.Point{At: r.Since(point.T), Steps: point.Steps})
	}
	for i := range r.Events {
		event := &r.Events[i]
		switch event.Kind {
		case ownruns.Save:
			observed.Saves = append(observed.Saves, fromruns.Save{At: r.Since(event.T), Took: event.Value})
		case ownruns.Restored:
			observed.Resumed = append(observed.Resumed, r.Since(event.T))
		}
	}
	dollars := r.Dollars()
	if dollars.Charges > 0 {
		observed.USD = dollars.BilledUSD
	} else if dollars.PricedH > 0 && dollars.UnpricedH <= 1e-9*dollars.PricedH {
		observed.USD = dollars.PricedUSD
	}
	return observed
}

// instance is a machine that a run held.
func instance(r *ownruns.Run, h *ownruns.Holding) fromruns.Instance {
	since := func(at int64) float64 {
		if at == ownruns.Missing {
			return math.NaN()
		}
		return r.Since(at)
	}
	machine := fromruns.Instance{
		Type:     h.Type,
		Zone:     h.Zone,
		OnDemand: h.OnDemand,
		Launched: since(h.Seen),
		Ready:    since(h.Ready),
		Noticed:  since(h.Noticed),
		Gone:     since(h.Gone),
		Taken:    h.Lost(),
	}
	if h.End == ownruns.None {
		machine.Gone = math.Inf(1)
	}
	return machine
}

// prices returns the recorded prices by pool, from the run's beginning. One without a zone is that of all pools of its
// type that have none of their own.
func prices(r *ownruns.Run) map[string][]sim.Price {
	type pool struct {
		kind, zone string
		onDemand   bool
	}
	book := map[pool][]sim.Price{}
	for i := range r.Events {
		event := &r.Events[i]
		if event.Kind != ownruns.Price {
			continue
		}
		of := pool{event.Type, event.Zone, event.OnDemand}
		at := sim.Time(0).Add(spanOf(max(r.Since(event.T), 0)))
		book[of] = append(book[of], sim.Price{At: at, USD: event.Value})
	}
	byName := map[string][]sim.Price{}
	for _, holding := range r.Holdings() {
		list := book[pool{holding.Type, holding.Zone, holding.OnDemand}]
		if list == nil {
			list = book[pool{holding.Type, "", holding.OnDemand}]
		}
		if list != nil {
			machine := instance(r, &holding)
			byName[PoolName(&machine)] = keepLast(list)
		}
	}
	return byName
}

// keepLast keeps the last of several prices of one instant: of those before the run began, the one that held then.
func keepLast(list []sim.Price) (kept []sim.Price) {
	for _, price := range list {
		last := len(kept) - 1
		if last >= 0 && kept[last].At == price.At {
			kept[last] = price
			continue
		}
		kept = append(kept, price)
	}
	return kept
}
