package reference

import (
	"github.com/marigram/marigram/papers/internal/nodes"
)

import "slices"

// Model is one network in the simulator that Oobleck's artifact has of
// Varuna (SymbioticLab/Oobleck, branch sosp23-artifact, tools/simulator), which
// replays throughput that was measured at each number of nodes.
type Model struct {
	MinNodes       int       // of the tables
	StepMs         []int64   // ms of a step on MinNodes nodes and more; outside, the nearest number there is
	RestartMs      []int64   // to restart and load, by the number of nodes before; the time of a save is taken off
	Idle           []float64 // nodes without work
	FirstRestartMs int64     // before anything runs
	Samples        float64   // samples of a step
	SaveMs         int64     // a save
	SaveSteps      int       // steps between saves
	FreeSaves      bool      // saves cost nothing (Table 4 of the paper)
	KeepsAll       bool      // losses throw nothing away, as the artifact has it for the small networks on recorded traces
}

// varunaMin is the least number of nodes that the simulator trains on.
const varunaMin = 12

// Result is what the simulator prints of a run. The shares are of their
// sum, as there: steps that a loss cut off are effective, too, and what a loss
// throws away is counted twice.
type Result struct {
	Steps                                      int     // counted, those thrown away at a loss included
	Throughput                                 float64 // samples/s of what was not thrown away, from the first start to the last step
	Effective, Saving, Restart, Fallback, Idle float64
}

// Simulator is the simulator; the zero value is ready.
type Simulator struct {
	model   *Model
	events  nodes.Queue
	nodes   []varunaNode // in the order in which they came
	workers []int32      // the nodes in the rendezvous under way

	status            nodes.Status
	version, steps    int
	stepMs, restartMs int64
	idle              float64
	started           bool
	startAt, previous int64 // of the first start, of the end of the last step or save
	savedAt           int64 // end of the last save; -1: none
	saveSoon          bool  // after the next step

	at    []int64   // begin and end of each step
	speed []float64 // in it, samples/ms; 0 when thrown away

	effectiveMs, savingMs, lostMs, restartSumMs int64
	idleMs                                      float64
}

type varunaNode struct {
	node  int32
	ready bool
}

// Replay runs a model through events, at least one, the last of which ends the
// run.
func (v *Simulator) Replay(m *Model, events []nodes.Change) Result {
	*v = Simulator{model: m, restartMs: m.FirstRestartMs, savedAt: -1, events: v.events[:0], nodes: v.nodes[:0],
		workers: v.workers[:0], at: v.at[:0], speed: v.speed[:0]}
	for _, e := range events {
		kind := nodes.Remove
		if e.Add {
			kind = nodes.Add
		}
		v.events.Push(nodes.Event{At: e.At, Kind: kind, Node: e.Node})
	}
	end := v.events[len(v.events)-1].At // as there: the last entry of the heap
	for len(v.events) > 0 {
		e := v.events.Pop()
		if e.At >= end {
			break
		}
		switch e.Kind {
		case nodes.Add:
			v.nodes = append(v.nodes, varunaNode{node: e.Node})
			v.events.Push(nodes.Event{At: e.At + nodes.CreateMs, Kind: nodes.Ready, Node: e.Node})
		case nodes.Remove:
			v.remove(&e)
		case nodes.Ready:
			v.nodeReady(&e)
		case nodes.Timeout:
			v.timedOut(e.At)
		case nodes.Step:
			if e.Version == v.version {
				v.step(e.At)
			}
		}
	}
	return v.finish()
}

func (v *Simulator) find(node int32) int {
	return slices.IndexFunc(v.nodes, func(n varunaNode) bool { return n.node == node })
}

func (v *Simulator) remove(e *nodes.Event) {
	i := v.find(e.Node)
	v.nodes = slices.Delete(v.nodes, i, i+1)
	v.saveSoon = true
	v.fallBack(e.At)
	v.rendezvous(e.At)
}

// fallBack throws away the steps since the last save.
func (v *Simulator) fallBack(now int64) {
	switch {
	case v.model.KeepsAll:
	case v.savedAt < 0:
		clear(v.speed)
		v.lostMs += now
	default:
		from := min(len(v.at), len(v.speed))
		if k := slices.Index(v.at[:from], v.savedAt); k >= 0 {
			from = k + 1
		}
		clear(v.speed[from:])
		v.lostMs += v.stepMs * int64(len(v.speed)-from)
	}
}

func (v *Simulator) nodeReady(e *nodes.Event) {
	i := v.find(e.Node)
	if i < 0 {
		return
	}
	v.nodes[i].ready = true
	switch v.status {
	case nodes.Stopped:
		v.rendezvous(e.At)
	case nodes.Joining:
		v.workers = append(v.workers, e.Node)
	}
}

// rendezvous begins a restart. The step under way goes on.
func (v *Simulator) rendezvous(now int64) {
	v.status = nodes.Joining
	v.workers = v.workers[:0]
	for _, n := range v.nodes {
		if n.ready {
			v.workers = append(v.workers, n.node)
		}
	}
	span := v.restartMs - v.model.SaveMs
	v.restartSumMs += span
	v.events.Push(nodes.Event{At: now + span, Kind: nodes.Timeout})
}

func (v *Simulator) timedOut(now int64) {
	for _, node := range v.workers {
		if v.find(node) < 0 {
			v.rendezvous(now)
			return
		}
	}
	n := len(v.workers)
	v.version++
	v.workers = v.workers[:0]
	if n < varunaMin {
		v.status = nodes.Stopped
		return
	}
	v.status = nodes.Running
	m := v.model
	at := v.alive() - m.MinNodes
	nearest := min(max(at, 0), len(m.StepMs)-1)
	v.stepMs, v.restartMs, v.idle = m.StepMs[nearest], m.RestartMs[nearest], 0
	if at == nearest {
		v.idle = m.Idle[at]
	}
	v.next(now)
	if !v.started {
		v.started, v.startAt, v.previous = true, now, now
	}
}

func (v *Simulator) alive() int {
	n := 0
	for _, x := range v.nodes {
		if x.ready {
			n++
		}
	}
	return n
}

func (v *Simulator) next(now int64) {
	v.effectiveMs += v.stepMs
	v.events.Push(nodes.Event{At: now + v.stepMs, Kind: nodes.Step, Version: v.version})
}

// step completes a step.
func (v *Simulator) step(now int64) {
	m := v.model
	v.steps++
	span := now - v.previous
	v.at = append(v.at, v.previous, now)
	v.speed = append(v.speed, m.Samples/float64(span), m.Samples/float64(span))
	v.idleMs += float64(span) * v.idle / float64(v.alive())
	if v.steps%m.SaveSteps == 0 || v.saveSoon {
		v.saveSoon = false
		now = v.save(now)
	}
	v.previous = now
	v.next(now)
}

// save saves from now on and returns when that ends.
func (v *Simulator) save(now int64) int64 {
	m := v.model
	if !m.FreeSaves {
		now += m.SaveMs
		v.savingMs += m.SaveMs
		v.events.Push(nodes.Event{At: now + m.SaveMs, Kind: nodes.Saved})
	}
	if m.KeepsAll || !v.saveFails() {
		v.savedAt = now
		return now
	}
	v.lostMs += int64(m.SaveSteps) * v.stepMs
	v.steps = max(v.steps-m.SaveSteps, 0)
	from := max(len(v.speed)-2*m.SaveSteps, 0)
	v.speed = append(v.speed[:from], make([]float64, 2*m.SaveSteps)...)
	return now
}

// saveFails reports whether the queue's array has a loss before the end of a
// save.
func (v *Simulator) saveFails() bool {
	loss := false
	for _, e := range v.events {
		switch e.Kind {
		case nodes.Remove:
			loss = true
		case nodes.Saved:
			return loss
		}
	}
	return false
}

func (v *Simulator) finish() Result {
	r := Result{Steps: v.steps}
	sum := float64(v.effectiveMs+v.savingMs+v.restartSumMs+v.lostMs) + v.idleMs
	r.Effective, r.Saving, r.Restart = float64(v.effectiveMs)/sum, float64(v.savingMs)/sum, float64(v.restartSumMs)/sum
	r.Fallback, r.Idle = float64(v.lostMs)/sum, v.idleMs/sum
	if len(v.at) == 0 {
		return r
	}
	samples := 0.0
	for i := 1; i < min(len(v.at), len(v.speed)); i += 2 {
		samples += float64(v.at[i]-v.at[i-1]) * v.speed[i]
	}
	r.Throughput = 1000 * samples / float64(v.at[len(v.at)-1]-v.startAt)
	return r
}
