package backtest

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
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
