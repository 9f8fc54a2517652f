package reference

import (
	"github.com/marigram/marigram/papers/internal/nodes"
)

// Model is one network in the simulator of Oobleck's artifact
// (SymbioticLab/Oobleck, branch sosp23-artifact at 7966556, tools/simulator),
// which replays throughput that was measured at each number of nodes.
type Model struct {
	MinNodes int     // of the table
	StepMs   []int64 // ms of a step on MinNodes nodes and more; outside, the nearest number there is
	Samples  int     // samples of a step
	PauseMs  int64   // to re-instantiate after a loss
	// Clean leaves out what our own semantics do not have: steps that end within
	// a pause count, and nodes that go together stop the job until another comes.
	Clean bool
}

// Result is what became of a run. The shares are of their sum and as the
// artifact counts them: steps that a loss cut off are effective, too, and for
// each loss a whole step counts as lost.
type Result struct {
	Steps                       int
	FirstStartMs, LastStepEndMs int64
	Throughput                  float64 // samples/s from the first start to the end of the last step

	Effective, Rebalance, Fallback float64
}

// Simulator is the simulator; the zero value is ready.
type Simulator struct {
	model           *Model
	nodes           []oobleckNode
	members         int
	broken          bool
	ready, timeouts []nodes.Timed
	status          nodes.Status
	stepAt, stepMs  int64
	started         bool
	result          Result

	effectiveMs, pausedMs, lostMs int64
}

type oobleckNode struct {
	node          int32
	ready, member bool
}

// Replay runs a model through events, which are in order of time with additions
// first at one instant and at least one. The last of them ends it.
func (o *Simulator) Replay(m *Model, events []nodes.Change) Result {
	*o = Simulator{model: m, nodes: o.nodes[:0], ready: o.ready[:0], timeouts: o.timeouts[:0], stepAt: nodes.Never}
	end := events[len(events)-1].At
	for {
		event, ready, timeout := events[0].At, int64(nodes.Never), int64(nodes.Never)
		if len(o.ready) > 0 {
			ready = o.ready[0].At
		}
		if len(o.timeouts) > 0 {
			timeout = o.timeouts[0].At
		}
		next := min(event, ready, timeout)
		switch {
		case o.stepAt < next:
			o.steps(next)
		case next >= end:
			return o.finish()
		case event == next:
			o.apply(events[0])
			events = events[1:]
		case ready == next:
			o.nodeReady(o.ready[0])
			o.ready = o.ready[1:]
		default:
			t := o.timeouts[0].At
			o.timeouts = o.timeouts[1:]
			o.timedOut(t)
		}
	}
}

func (o *Simulator) apply(e nodes.Change) {
	if e.Add {
		o.nodes = append(o.nodes, oobleckNode{node: e.Node})
		o.ready = append(o.ready, nodes.Timed{At: e.At + nodes.CreateMs, Node: e.Node})
		return
	}
	for i := range o.nodes {
		if o.nodes[i].node == e.Node {
			o.lostMs += o.stepMs
			o.broken = o.broken || o.nodes[i].member
			o.nodes = append(o.nodes[:i], o.nodes[i+1:]...)
			o.rendezvous(e.At)
			return
		}
	}
}

func (o *Simulator) nodeReady(t nodes.Timed) {
	for i := range o.nodes {
		n := &o.nodes[i]
		if n.node != t.Node {
			continue
		}
		n.ready = true
		switch o.status {
		case nodes.Stopped:
			o.rendezvous(t.At)
		case nodes.Joining:
			n.member = true
			o.members++
		}
	}
}

// rendezvous pauses the job. In the artifact's way of counting the step under
// way goes on, and so do pauses that were begun before.
func (o *Simulator) rendezvous(now int64) {
	if o.model.Clean {
		o.stepAt, o.timeouts = nodes.Never, o.timeouts[:0]
	}
	o.status, o.members, o.broken = nodes.Joining, 0, false
	for i := range o.nodes {
		n := &o.nodes[i]
		if n.member = n.ready; n.member {
			o.members++
		}
	}
	o.pausedMs += o.model.PauseMs
	o.timeouts = append(o.timeouts, nodes.Timed{At: now + o.model.PauseMs})
}

func (o *Simulator) timedOut(now int64) {
	if o.broken {
		o.rendezvous(now)
		return
	}
	n := o.members
	for i := range o.nodes {
		o.nodes[i].member = false
	}
	o.members = 0
	if n == 0 {
		o.status, o.stepAt = nodes.Stopped, nodes.Never
		return
	}
	o.status = nodes.Running
	o.stepMs = o.model.StepMs[min(max(n-o.model.MinNodes, 0), len(o.model.StepMs)-1)]
	o.stepAt = now + o.stepMs
	o.effectiveMs += o.stepMs
	if !o.started {
		o.started, o.result.FirstStartMs = true, now
	}
}

// steps completes the steps that end before end.
func (o *Simulator) steps(end int64) {
	k := 1 + (end-1-o.stepAt)/o.stepMs
	o.result.Steps += int(k)
	o.result.LastStepEndMs = o.stepAt + (k-1)*o.stepMs
	o.effectiveMs += k * o.stepMs
	o.stepAt += k * o.stepMs
}

func (o *Simulator) finish() Result {
	r := &o.result
	sum := float64(o.effectiveMs + o.pausedMs + o.lostMs)
	r.Effective, r.Rebalance, r.Fallback = float64(o.effectiveMs)/sum, float64(o.pausedMs)/sum, float64(o.lostMs)/sum
	if r.Steps > 0 {
		r.Throughput = float64(r.Steps*o.model.Samples) / (float64(r.LastStepEndMs-r.FirstStartMs) / 1000)
	}
	return *r
}
