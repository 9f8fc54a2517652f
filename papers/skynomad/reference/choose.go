package reference

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/policies/skynomad"
)

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
