package reference

import (
	"strconv"

	"github.com/marigram/marigram/policies/skynomad"
)

// Tick is what happened at the start of a tick, for comparisons.
type Tick struct {
	Tick         int
	Before, Kept string   // held before and after evictions: s1, d0, or - for nothing
	Actions      []string // L and l: launch and failed try, with s or d; T: end; P and p: probe that succeeded or failed
	Holds        string   // at the end
	DoneS        float64
	OverheadS    float64
	BilledUSD    float64 // and egress
	Latched      bool    // by the safety net
	Plan         *Plan   // of SkyNomad; nil: none
}

// Plan is what SkyNomad reckoned with at a tick.
type Plan struct {
	Value        float64   // of an hour of work, USD
	LifeH        []float64 // by zone
	Availability []float64
	Burst        []float64
}

// try launches a spot instance in a zone and reports whether there was one.
func (w *world) try(zone int) bool {
	if !w.available(zone, w.tick) {
		w.log("ls", zone)
		return false
	}
	w.log("Ls", zone)
	w.launched(zone, spot)
	return true
}

// onDemand launches an instance on demand in a zone.
func (w *world) onDemand(zone int) {
	w.log("Ld", zone)
	w.launched(zone, onDemand)
}

func (w *world) launched(zone int, kind skynomad.Kind) {
	w.zone, w.kind, w.launch = zone, kind, launch{true, w.leader}
	w.result.Launches++
}

// end gives back what is held.
func (w *world) end() {
	w.log("T", w.zone)
	w.zone, w.kind = -1, none
}

// probe asks whether a zone has spot.
func (w *world) probe(zone int) bool {
	up := w.available(zone, w.tick)
	w.result.Probes++
	if w.probed[zone] = up; up {
		w.log("P", zone)
	} else {
		w.log("p", zone)
	}
	return up
}

// log notes an action for a watcher.
func (w *world) log(what string, zone int) {
	if w.watch != nil {
		w.now.Actions = append(w.now.Actions, what+strconv.Itoa(zone))
	}
}

// note takes down how the tick begins, after evictions.
func (w *world) note() {
	w.now.Kept, w.now.DoneS, w.now.OverheadS, w.now.BilledUSD = w.held(), w.state.Done, w.state.OverheadS, w.result.FullUSD
}

// tell gives the tick to a watcher.
func (w *world) tell() {
	if w.watch != nil {
		w.now.Holds, w.now.Latched = w.held(), w.latched
		w.watch(&w.now)
	}
}

// held is what is held, as in Tick.
func (w *world) held() string {
	if w.watch == nil || w.zone < 0 {
		return "-"
	}
	return "?sd"[w.kind:w.kind+1] + strconv.Itoa(w.zone)
}
