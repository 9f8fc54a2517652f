package reference

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/policies/skynomad"
)

// Options are SkyNomad's, as its public code has them.
type Options struct {
	MaxAttempts int     // failed launches in a tick; 0: any number
	FreeMoves   bool    // moves are taken to cost nothing
	NoGate      bool    // moves need no least gain
	Revalidate  bool    // probes zones again that a probe found up
	Virtual     bool    // a zone counts as up from a success to a failure
	ProbeTicks  int     // between probes of a zone; 0: 6
	CapH        float64 // most hours that an instance is expected to live; 0: 2; +Inf: no cap
	WindowH     float64 // hours over which the pace is taken; 0: 10
}

// nomad is SkyNomad.
type nomad struct {
	Options
	knows bool // lifetimes, as an oracle: SkyNomad(o)
	value func(n *nomad, w *world) float64

	zones  []place
	pace   *skynomad.Pace
	runsIn int  // zone whose spot run is tracked; -1: none
	ours   bool // we ended that run
	last   int  // zone of the last choice; -1: none
}

// place is what SkyNomad knows of a zone.
type place struct {
	lifetimes skynomad.Lifetimes
	skynomad.Offer
	believed bool // up, as a probe found
	refused  bool // in this tick
	nextTick int  // from which it may be probed again
	virtual  virtual
}

// virtual is whether a zone counts as up.
type virtual int8

const (
	unknown virtual = iota
	up
	down
)

func newNomad(w *world, o Options) *nomad {
	o.ProbeTicks = cmp.Or(o.ProbeTicks, 6)
	o.CapH = cmp.Or(o.CapH, 2)
	n := &nomad{Options: o, value: planned, zones: make([]place, len(w.zones)), pace: skynomad.NewPace(cmp.Or(o.WindowH, 10)), runsIn: -1, last: -1}
	for v := range n.zones {
		n.zones[v].lifetimes.Virtual = o.Virtual
		n.zones[v].SpotUSD = w.spotUSD(v, 0)
	}
	return n
}

func (n *nomad) decide(w *world) {
	n.pace.Add(w.did)
	n.learn(w)
	value := n.value(n, w)
	if w.watch != nil {
		w.now.Plan = n.say(value)
	}
	primary := n.choose(w, value)
	if !n.knows {
		n.probe(w, primary)
	}
	for v := range n.zones {
		n.zones[v].refused = false
	}
}

// learn brings what is known of the zones up to now.
func (n *nomad) learn(w *world) {
	if v := n.runsIn; v >= 0 && (w.kind != spot || w.zone != v) {
		n.zones[v].lifetimes.End(w.state.Now, !n.ours)
		n.runsIn = -1
	}
	toDeadline := (w.DeadlineS - w.state.Now) / 3600
	for v := range n.zones {
		z := &n.zones[v]
		if w.probesUSD[v] > 0 {
			z.lifetimes.Probed(w.probesUSD[v] / w.spotUSD(v, w.tick-1))
		}
		z.lifetimes.Update(w.state.Now, w.TickS/3600)
		z.Availability = z.lifetimes.Availability(w.state.Now, 12)
		if n.knows {
			z.SpotUSD, z.ExpectedH = w.spotUSD(v, w.tick), w.lifetimesH(v)
		} else {
			z.ExpectedH = z.lifetimes.ExpectedH(w.TickS/3600, min(n.CapH, toDeadline))
		}
	}
}

// lifetimesH is for how many hours a zone has spot from now on.
func (w *world) lifetimesH(zone int) float64 {
	n := 0
	for i := w.Start + w.tick; i < len(w.zones[zone].Available) && w.zones[zone].Available[i]; i++ {
		n++
	}
	return float64(n) * w.TickS / 3600
}

// probe asks the zones that are due whether they have spot.
func (n *nomad) probe(w *world, primary int) {
	for v := range n.zones {
		z := &n.zones[v]
		if v == primary || z.believed && !n.Revalidate || z.refused || w.tick < z.nextTick {
			continue
		}
		z.nextTick = w.tick + n.ProbeTicks
		z.SpotUSD = w.spotUSD(v, w.tick)
		found := w.probe(v)
		n.probed(w, v, found)
		n.see(w, v, found)
	}
}

// probed notes what a probe found.
func (n *nomad) probed(w *world, v int, found bool) {
	z := &n.zones[v]
	switch {
	case !found:
		z.lifetimes.Refused()
		if z.believed {
			z.lifetimes.End(w.state.Now, true)
			z.believed = false
		}
		z.lifetimes.Seen(false)
	case !z.believed:
		z.lifetimes.Start(w.state.Now, true)
		z.believed = true
		z.lifetimes.Seen(true)
	}
}

// see follows whether a zone counts as up.
func (n *nomad) see(w *world, v int, found bool) {
	if !n.Virtual || n.runsIn == v {
		return
	}
	z, is := &n.zones[v], down
	if found {
		is = up
	}
	switch {
	case z.virtual == up && is == down:
		z.lifetimes.End(w.state.Now, true)
	case z.virtual != up && is == up:
		z.lifetimes.Start(w.state.Now, true)
	}
	z.virtual = is
}

// say puts the plan of a tick into numbers.
func (n *nomad) say(value float64) *Plan {
	p := &Plan{Value: value}
	for v := range n.zones {
		z := &n.zones[v]
		p.LifeH = append(p.LifeH, z.ExpectedH)
		p.Availability = append(p.Availability, z.Availability)
		p.Burst = append(p.Burst, z.lifetimes.Burst())
	}
	return p
}

// option is one thing to do.
type option struct {
	kind  skynomad.Kind
	zone  int
	value float64 // USD per hour
}

// choose does what is worth most and can be done, and returns the zone that is then held
// in the eyes of the policy; -1: none.
func (n *nomad) choose(w *world, value float64) int {
	origin := n.last
	if w.zone >= 0 {
		origin, n.last = w.zone, w.zone
	}
	current := n.current(w, value)
	list := n.options(w, value, current, origin)
	slices.SortStableFunc(list, func(a, b option) int { return cmp.Compare(b.value, a.value) })
	attempts := 0
	for _, o := range list {
		if o.value <= current {
			break
		}
		if n.do(w, o) {
			return n.last
		}
		if attempts++; attempts == n.MaxAttempts {
			break
		}
	}
	return w.zone
}

// current is the worth of what is held, USD per hour.
func (n *nomad) current(w *world, value float64) float64 {
	switch w.kind {
	case onDemand:
		return value - w.zones[w.zone].OnDemandUSD
	case spot:
		z := &n.zones[w.zone]
		if z.ExpectedH == 0 {
			return math.Inf(-1)
		}
		return (value*z.ExpectedH - z.SpotUSD*z.ExpectedH) / z.ExpectedH
	}
	return 0
}

// options lists what is worth doing: nothing, spot and on-demand by zone.
func (n *nomad) options(w *world, value, current float64, origin int) []option {
	list := []option{{kind: none, zone: -1}}
	smallest := math.Inf(-1)
	if !n.NoGate {
		smallest = current + 0.5 + 0.0002*w.CheckpointGB + 0.05*value
	}
	for v := range w.zones {
		o, ok := n.onSpot(w, v, value, origin)
		if ok && (w.zone < 0 || w.zone == v || o.value > smallest) {
			list = append(list, o)
		}
	}
	for v, z := range w.zones {
		o := option{onDemand, v, value - z.OnDemandUSD}
		if origin >= 0 && origin != v && !n.FreeMoves {
			o.value -= w.RestartS/3600*value + egressUSD(w.zones[origin], z, w.CheckpointGB)
		}
		held := w.kind == onDemand && w.zone == v
		if o.value >= 0 && !held && (w.zone < 0 || o.value > smallest) {
			list = append(list, o)
		}
	}
	return list
}

// onSpot is the worth of a spot instance in a zone, an hour of its life.
func (n *nomad) onSpot(w *world, v int, value float64, origin int) (o option, ok bool) {
	z := &n.zones[v]
	hours := z.ExpectedH
	if w.kind != spot || w.zone != v {
		hours -= w.RestartS / 3600
	}
	if hours <= 0 {
		return o, false
	}
	o = option{spot, v, (value*hours - z.SpotUSD*z.ExpectedH) / z.ExpectedH}
	if origin >= 0 && !n.FreeMoves {
		o.value -= egressUSD(w.zones[origin], w.zones[v], w.CheckpointGB) / max(z.ExpectedH, 1e-6)
	}
	return o, o.value >= 0
}

// do tries an option and reports whether it was done.
func (n *nomad) do(w *world, o option) bool {
	held := w.zone
	switch o.kind {
	case none:
		n.last = -1
		return true
	case spot:
		if !n.launch(w, o.zone) {
			return false
		}
	case onDemand:
		w.onDemand(o.zone)
	}
	n.last = o.zone
	if held >= 0 {
		w.log("T", held)
		n.ours = n.ours || n.runsIn == held
		n.see(w, held, false)
	}
	return true
}

// launch tries for a spot instance.
func (n *nomad) launch(w *world, v int) bool {
	z := &n.zones[v]
	if z.believed {
		z.lifetimes.End(w.state.Now, false)
		z.believed = false
	}
	z.SpotUSD = w.spotUSD(v, w.tick)
	if !w.try(v) {
		z.lifetimes.Refused()
		z.refused = true
		n.see(w, v, false)
		return false
	}
	z.lifetimes.Start(w.state.Now, false)
	n.runsIn, n.ours, z.refused = v, false, false
	z.lifetimes.Launched()
	return true
}

// planned is the worth of an hour of work by what the rest is expected to cost.
func planned(n *nomad, w *world) float64 {
	offers := make([]skynomad.Offer, len(n.zones))
	for v := range n.zones {
		offers[v] = n.zones[v].Offer
		offers[v].ExpectedH = min(offers[v].ExpectedH, (w.DeadlineS-w.state.Now)/3600)
	}
	return n.pace.Value(&w.Job.Job, &w.state, offers, w.minOnDemand())
}

// minSpot is the least price that is known, USD per hour.
func (n *nomad) minSpot() float64 {
	smallest := math.Inf(1)
	for v := range n.zones {
		smallest = min(smallest, n.zones[v].SpotUSD)
	}
	return smallest
}

// rateRatio is the worth by how much faster than so far the job has to go on.
func rateRatio(n *nomad, w *world) float64 {
	s := &w.state
	return max(w.minOnDemand()*w.Left(s)*w.DeadlineS/((w.DeadlineS-s.Now)*w.WorkS), n.minSpot())
}

// ablations are other worths of an hour of work: functions of the price on demand and the
// time, progress, work and deadline, and rate: how much faster than the line from start to
// deadline the job has to go on.
var ablations = map[string]func(usd, now, done, work, deadline, rate float64) float64{
	"alpha_0.5":   func(usd, _, _, _, _, rate float64) float64 { return usd * math.Sqrt(rate) },
	"exponential": func(usd, _, _, _, _, rate float64) float64 { return usd * math.Exp(min(max(rate-1, -20), 20)) },
	"quadratic": func(usd, now, done, work, deadline, _ float64) float64 {
		return usd * now / (deadline - now) * (work - done) / work
	},
	"time_only": func(usd, now, _, _, deadline, _ float64) float64 { return usd * now / (deadline - now) },
	"neely": func(usd, now, done, work, deadline, _ float64) float64 {
		return usd * (1 + max(0, work*now/deadline-done)/(work-done))
	},
}

// ablation returns one of the other worths, never below the least price of spot.
func ablation(f func(usd, now, done, work, deadline, rate float64) float64) func(*nomad, *world) float64 {
	return func(n *nomad, w *world) float64 {
		s := &w.state
		rate := w.DeadlineS * (w.WorkS - s.Done) / ((w.DeadlineS - s.Now) * w.WorkS)
		return max(f(w.minOnDemand(), s.Now, s.Done, w.WorkS, w.DeadlineS, rate), n.minSpot())
	}
}
