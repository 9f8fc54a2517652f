package reference

import (
	"cmp"

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
