package reference

import (
	"github.com/marigram/marigram/papers/internal/nodes"
	"slices"
)

// Model is one network in Bamboo's simulator (uclasystem/bamboo at
// 8080929, project_pactum/simulation/simulator.py).
type Model struct {
	Stages   int     // pipeline depth P
	StepMs   []int64 // ms of a step on 1, 2, ... pipelines
	Samples  int     // samples of a step
	Steps    int     // after which the run ends; 0: when the events end
	LocalMs  int64   // a rendezvous without a fatal failure
	Capacity int     // nodes asked for
}

const (
	bambooGlobalMs = 30_000 // a rendezvous after a fatal failure
	bambooSlowdown = 1.5    // of a step, once a node does the work of two
	bambooPostpone = 0.5    // of the time since the loss, added to the step that it hit
	bambooRisk     = 0.05   // reconfigure when a larger share of the nodes is in danger
	bambooUSDPerH  = 0.91   // one node

	msPerHour = 3_600_000
)

// Result is what the simulator prints of a run.
type Result struct {
	Steps, Preemptions, Fatal, Rendezvous int

	FirstStartMs, LastStepEndMs int64

	Instances   float64 // mean number of nodes, creating ones included
	Performance float64 // samples/s from the first start to the last step
	CostUSDPerH float64 // mean
	Value       float64 // samples/s for a USD/h of the nodes there at the end of each step
}

// Simulator is the simulator; the zero value is ready. A run goes step by step only
// where something happens: between events, whole steps are one multiplication.
type Simulator struct {
	model *Model
	nodes []bambooNode // in the order in which they came

	members  int           // nodes in the rendezvous under way
	broken   bool          // one of them is gone
	ready    []nodes.Timed // nodes being created, in order
	timeouts []nodes.Timed // of rendezvous

	status            nodes.Status
	pipelines, stages int
	waiting           int
	overloaded        int
	stepAt, stepMs    int64 // end of the step under way, or never; length of the next
	slow, postponed   bool
	slowSteps         int // steps done when the slow-down began
	slowAt            int64
	started           bool
	nodeMs, lastMs    int64 // integral of the number of nodes, and until when
	stepNodeMs        int64 // the integral when the step under way began
	value             float64
	result            Result
}

type bambooNode struct {
	node    int32
	ready   bool // or running
	running bool
	member  bool // of the rendezvous under way; members are in the order of the nodes
	held    int8 // coordinates held, 0 to 2
	at      [2]coordinate
}

type coordinate struct{ pipeline, stage int16 }

// Replay runs a model through events, which are in order of time with additions
// first at one instant, until its steps are done or no event before endMs is
// left.
func (b *Simulator) Replay(m *Model, events []nodes.Change, endMs int64) Result {
	*b = Simulator{model: m, nodes: b.nodes[:0], ready: b.ready[:0], timeouts: b.timeouts[:0], stepAt: nodes.Never}
	for m.Steps == 0 || b.result.Steps < m.Steps {
		event, ready, timeout := int64(nodes.Never), int64(nodes.Never), b.timeout()
		if len(events) > 0 {
			event = events[0].At
		}
		if len(b.ready) > 0 {
			ready = b.ready[0].At
		}
		next := min(event, ready, timeout)
		switch {
		case min(next, b.stepAt) >= endMs:
			return b.finish()
		case b.stepAt < next:
			b.steps(min(next, endMs))
		case event == next:
			b.apply(events[0])
			events = events[1:]
		case ready == next:
			b.nodeReady(b.ready[0])
			b.ready = slices.Delete(b.ready, 0, 1)
		default:
			b.timedOut()
		}
	}
	return b.finish()
}

// timeout returns when the next rendezvous times out, and puts that first: a
// global one before a local one.
func (b *Simulator) timeout() int64 {
	first := -1
	for i, t := range b.timeouts {
		if first < 0 || t.At < b.timeouts[first].At || t.At == b.timeouts[first].At && b.timeouts[first].Local && !t.Local {
			first = i
		}
	}
	if first < 0 {
		return nodes.Never
	}
	b.timeouts[0], b.timeouts[first] = b.timeouts[first], b.timeouts[0]
	return b.timeouts[0].At
}

// pay counts the nodes until now.
func (b *Simulator) pay(now int64) {
	b.nodeMs += int64(len(b.nodes)) * (now - b.lastMs)
	b.lastMs = now
}

func (b *Simulator) apply(e nodes.Change) {
	b.pay(e.At)
	if e.Add {
		b.nodes = append(b.nodes, bambooNode{node: e.Node})
		b.ready = append(b.ready, nodes.Timed{At: e.At + nodes.CreateMs, Node: e.Node})
		return
	}
	i := b.find(e.Node)
	if i < 0 {
		return
	}
	b.result.Preemptions++
	gone := b.nodes[i]
	b.broken = b.broken || gone.member
	b.nodes = slices.Delete(b.nodes, i, i+1)
	if gone.held == 2 {
		b.overloaded--
	}
	if gone.running && b.fatal(&gone) {
		b.result.Fatal++
		b.result.Rendezvous++
		b.rendezvous(e.At, false)
		return
	}
	if b.status == nodes.Running && !b.slow {
		b.slow, b.postponed, b.slowSteps, b.slowAt = true, false, b.result.Steps, e.At
		b.stepMs = int64(float64(b.stepMs) * bambooSlowdown)
	}
}

// fatal has the predecessor of a node that is gone take over its stage, and
// reports whether it cannot.
func (b *Simulator) fatal(gone *bambooNode) bool {
	if gone.held == 2 {
		return true
	}
	if gone.held == 0 {
		return false
	}
	before := gone.at[0]
	if before.stage--; before.stage < 0 {
		before.stage = int16(b.stages) - 1
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		for k := range n.held {
			if n.at[k] != before {
				continue
			}
			if n.held == 2 {
				return true
			}
			n.at[1], n.held = gone.at[0], 2
			b.overloaded++
			return false
		}
	}
	return false
}

func (b *Simulator) find(node int32) int {
	i, found := slices.BinarySearchFunc(b.nodes, node, func(n bambooNode, id int32) int { return int(n.node) - int(id) })
	if !found {
		return -1
	}
	return i
}

func (b *Simulator) nodeReady(t nodes.Timed) {
	i := b.find(t.Node)
	if i < 0 {
		return
	}
	b.nodes[i].ready = true
	switch b.status {
	case nodes.Stopped:
		b.result.Rendezvous++
		b.rendezvous(t.At, false)
	case nodes.Joining:
		b.nodes[i].member = true
		b.members++
	default:
		b.waiting++
	}
}

// rendezvous begins with every node that is ready or runs.
func (b *Simulator) rendezvous(now int64, local bool) {
	b.status = nodes.Joining
	b.members, b.broken = 0, false
	for i := range b.nodes {
		n := &b.nodes[i]
		if n.member = n.ready; n.member {
			b.members++
		}
	}
	t := nodes.Timed{At: now + bambooGlobalMs, Local: local}
	if local {
		t.At = now + b.model.LocalMs
	}
	b.timeouts = append(b.timeouts, t)
}

func (b *Simulator) timedOut() {
	t := b.timeouts[0]
	b.timeouts = slices.Delete(b.timeouts, 0, 1)
	if b.broken {
		b.rendezvous(t.At, t.Local)
		return
	}
	b.assign()
	b.slow, b.postponed = false, false
	if b.pipelines == 0 {
		b.status, b.stages, b.stepAt = nodes.Stopped, 0, nodes.Never
		return
	}
	b.status, b.stages = nodes.Running, b.model.Stages
	b.stepMs = b.model.StepMs[min(b.pipelines, len(b.model.StepMs))-1]
	b.stepAt = t.At + b.stepMs
	if !b.started {
		b.started, b.result.FirstStartMs = true, t.At
		b.pay(t.At)
		b.stepNodeMs = b.nodeMs
	}
}

// assign gives the members coordinates, pipeline by pipeline; those left over
// wait.
func (b *Simulator) assign() {
	p := b.model.Stages
	b.pipelines = b.members / p
	b.waiting = b.members - b.pipelines*p
	b.members, b.overloaded = 0, 0
	k := 0
	for i := range b.nodes {
		n := &b.nodes[i]
		if n.member {
			n.member, n.running, n.held = false, k < b.pipelines*p, 0
			if n.running {
				n.held, n.at[0] = 1, coordinate{int16(k / p), int16(k % p)}
			}
			k++
		}
		if n.held == 2 {
			b.overloaded++
		}
	}
}

// steps completes the step under way and those that follow before end.
func (b *Simulator) steps(end int64) {
	now := b.stepAt
	if b.slow && !b.postponed && b.slowSteps == b.result.Steps {
		b.postponed = true
		b.stepAt += int64(float64(now-b.slowAt) * bambooPostpone)
		return
	}
	b.endStep(now)
	if b.reconfigure() {
		b.stepAt = nodes.Never
		b.result.Rendezvous++
		b.rendezvous(now, true)
		return
	}
	more := (end - 1 - now) / b.stepMs // steps that end before end
	if left := int64(b.model.Steps - b.result.Steps); b.model.Steps > 0 {
		more = min(more, left)
	}
	if more > 0 {
		b.count(int(more), float64(len(b.nodes)))
	}
	now += more * b.stepMs
	b.pay(now)
	b.stepNodeMs, b.result.LastStepEndMs = b.nodeMs, now
	b.stepAt = now + b.stepMs
}

// endStep counts the step that ends now, which began when the last one ended, a
// rendezvous between them included.
func (b *Simulator) endStep(now int64) {
	b.pay(now)
	since := b.result.LastStepEndMs
	if b.result.Steps == 0 {
		since = b.result.FirstStartMs
	}
	b.count(1, float64(b.nodeMs-b.stepNodeMs)/float64(now-since))
	b.stepNodeMs, b.result.LastStepEndMs = b.nodeMs, now
}

// count counts steps during each of which there are n nodes on average.
func (b *Simulator) count(steps int, nodes float64) {
	b.result.Steps += steps
	b.value += float64(steps*b.model.Samples) / (nodes * bambooUSDPerH)
}

func (b *Simulator) reconfigure() bool {
	active := b.pipelines * b.model.Stages
	switch {
	case b.overloaded > 0 && b.waiting >= b.overloaded,
		b.overloaded > 0 && 2*float64(b.overloaded)/float64(active-b.overloaded) > bambooRisk:
		return true
	}
	return (active-b.overloaded+b.waiting)/b.model.Stages > b.pipelines
}

// finish counts nodes until the end of the last step. As in the public simulator
// the last span is negative where events came after it, with the nodes of the end.
func (b *Simulator) finish() Result {
	r := &b.result
	b.pay(r.LastStepEndMs)
	r.Instances = float64(b.nodeMs) / float64(r.LastStepEndMs)
	r.CostUSDPerH = r.Instances * bambooUSDPerH
	r.Performance = float64(r.Steps*b.model.Samples) / (float64(r.LastStepEndMs-r.FirstStartMs) / 1000)
	r.Value = b.value / (float64(r.LastStepEndMs-r.FirstStartMs) / 1000)
	return *r
}
