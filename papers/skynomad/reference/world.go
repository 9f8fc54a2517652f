package reference

import (
	"fmt"
	"math"
	"strconv"

	"github.com/marigram/marigram/policies/skynomad"
)

// The kinds of what is held.
const (
	none     = skynomad.None
	spot     = skynomad.Spot
	onDemand = skynomad.OnDemand
)

// Job is a job and where it starts in the traces.
type Job struct {
	skynomad.Job
	Start int // tick
}

// Result is what became of a job.
type Result struct {
	RecordedUSD float64 // as the public code records it: without the tick that completes the job
	FullUSD     float64
	FinishS     float64
	Moves       int // launches in another zone than the last that ran
	EgressUSD   float64
	ProbeUSD    float64
	Probes      int
	Launches    int
	SpotS       float64 // held
	OnDemandS   float64
	SafetyNet   int // tick from which the job ran on demand to be in time; -1: none
}

// policy decides at the start of each tick.
type policy interface{ decide(w *world) }

// world is a run of a job while it goes on.
type world struct {
	Job
	zones  []*Zone
	policy policy
	unsafe bool // without the safety net
	watch  func(*Tick)

	tick    int
	state   skynomad.State
	kind    skynomad.Kind // held
	zone    int           // where; -1: nothing is held
	leader  int           // zone that last ran a tick; -1: none
	launch  launch
	probed  []bool // with success, in this tick
	latched bool   // by the safety net

	did       float64   // s of work in the tick before
	probesUSD []float64 // what probes of the tick before were billed, by zone
	now       Tick
	result    Result
}

// launch is the last one of a tick.
type launch struct {
	any    bool
	source int // the leader then; -1: none
}

// newWorld returns a world at its start.
func newWorld(job Job, zones []*Zone, p policy, watch func(*Tick)) *world {
	return &world{Job: job, zones: zones, policy: p, watch: watch, zone: -1, leader: -1, probed: make([]bool, len(zones)),
		probesUSD: make([]float64, len(zones)), result: Result{SafetyNet: -1}}
}

// available reports whether a zone has spot at a tick of the run.
func (w *world) available(zone, tick int) bool {
	return tick < int(math.Ceil(w.DeadlineS/w.TickS)) && w.zones[zone].Available[w.Start+tick]
}

// spotUSD is the price in a zone at a tick of the run, USD per hour.
func (w *world) spotUSD(zone, tick int) float64 { return w.zones[zone].SpotUSD[w.Start+tick] }

// minOnDemand is the least price on demand, USD per hour.
func (w *world) minOnDemand() float64 {
	smallest := math.Inf(1)
	for _, z := range w.zones {
		smallest = min(smallest, z.OnDemandUSD)
	}
	return smallest
}

// finished is how much work may be left, s.
const finished = 1e-3

// run goes from tick to tick until the job is done.
func (w *world) run() (Result, error) {
	for ; ; w.tick++ {
		w.state.Now = float64(w.tick) * w.TickS
		w.now = Tick{Tick: w.tick, Before: w.held()}
		w.bill()
		w.progress()
		if w.kind == spot && !w.available(w.zone, w.tick) {
			w.zone, w.kind = -1, none
		}
		if w.Left(&w.state) <= finished {
			w.result.FinishS = w.state.Now
			return w.result, nil
		}
		if w.state.Now >= w.DeadlineS {
			return w.result, fmt.Errorf("%v s of work are left at the deadline", w.Left(&w.state))
		}
		w.result.RecordedUSD = w.result.FullUSD
		w.act()
	}
}

// act lets the safety net and the policy decide.
func (w *world) act() {
	w.note()
	if !w.unsafe && !w.latched {
		w.safetyNet()
	}
	if !w.latched {
		w.policy.decide(w)
	}
	w.tell()
}

// bill pays the tick before.
func (w *world) bill() {
	clear(w.probesUSD)
	if w.tick == 0 {
		return
	}
	hours := w.TickS / 3600
	for v, z := range w.zones {
		usd := 0.0
		switch held := v == w.zone; {
		case held && w.kind == onDemand:
			usd = hours * z.OnDemandUSD
		case w.probed[v]: // a minute; a slip of the public code: also where spot is held for the whole tick
			usd = w.spotUSD(v, w.tick-1) / 60
		case held:
			usd = hours * w.spotUSD(v, w.tick-1)
		}
		if w.probed[v] {
			w.result.ProbeUSD += usd
			w.probesUSD[v] = usd
		}
		w.result.FullUSD += usd
	}
	clear(w.probed)
	switch w.kind {
	case spot:
		w.result.SpotS += w.TickS
	case onDemand:
		w.result.OnDemandS += w.TickS
	}
}

// progress is that of the tick before.
func (w *world) progress() {
	w.did = 0
	if w.zone >= 0 {
		if w.launch.any {
			w.arrive()
		}
		w.did = min(max(w.TickS-w.state.OverheadS, 0), w.Left(&w.state))
		w.state.OverheadS = max(w.state.OverheadS-w.TickS, 0)
		w.leader = w.zone
	}
	w.launch = launch{}
	w.state.Done += w.did
}

// arrive restarts the job where it was launched, and pays for the move.
func (w *world) arrive() {
	w.state.OverheadS = w.RestartS
	if from := w.launch.source; from >= 0 && from != w.zone {
		usd := egressUSD(w.zones[from], w.zones[w.zone], w.CheckpointGB)
		w.result.Moves++
		w.result.EgressUSD += usd
		w.result.FullUSD += usd
	}
}

// safetyNet runs the job on demand when it would otherwise be late, even if it runs on
// spot now.
func (w *world) safetyNet() {
	if !w.MustRun(&w.state) {
		return
	}
	w.latched, w.result.SafetyNet = true, w.tick
	switch w.kind {
	case spot:
		zone := w.zone
		w.end()
		w.onDemand(zone)
	case none:
		w.onDemand(w.cheapestOnDemand())
	}
}

// cheapestOnDemand is the zone where the rest costs least on demand.
func (w *world) cheapestOnDemand() int {
	best, smallest := 0, math.Inf(1)
	for v, z := range w.zones {
		usd := z.OnDemandUSD * w.Left(&w.state) / 3600
		if w.leader >= 0 {
			usd += egressUSD(w.zones[w.leader], z, w.CheckpointGB)
		}
		if usd < smallest {
			best, smallest = v, usd
		}
	}
	return best
}

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
