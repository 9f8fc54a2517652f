package reference

import (
	"github.com/marigram/marigram/papers/internal/nodes"
)

// ReplayTies is Replay for events of which several happen at one instant, in the
// order of their file. Of those of one kind the public simulator takes first what
// its heap happens to have on top, which every other entry moves; the order in
// which nodes join decides where they train. So this goes event by event, on the
// same heap.
func (b *Simulator) ReplayTies(m *Model, events []nodes.Change, endMs int64) Result {
	*b = Simulator{model: m, nodes: b.nodes[:0], ready: b.ready[:0], timeouts: b.timeouts[:0], stepAt: nodes.Never}
	var q nodes.Queue
	for _, e := range events {
		kind := nodes.Remove
		if e.Add {
			kind = nodes.Add
		}
		q.Push(nodes.Event{At: e.At, Kind: kind, Node: e.Node})
	}
	came := map[int32]int32{} // by node of the file: which one it is in the order of coming
	for len(q) > 0 && q[0].At < endMs && (m.Steps == 0 || b.result.Steps < m.Steps) {
		e := q.Pop()
		switch e.Kind {
		case nodes.Add:
			came[e.Node] = int32(len(came))
			e.Node = came[e.Node]
		case nodes.Remove:
			e.Node = came[e.Node]
		}
		step := b.stepAt
		b.handle(&e)
		b.enqueue(&q, step)
	}
	return b.finish()
}

func (b *Simulator) handle(e *nodes.Event) {
	switch e.Kind {
	case nodes.Add, nodes.Remove:
		b.apply(nodes.Change{At: e.At, Node: e.Node, Add: e.Kind == nodes.Add})
	case nodes.Ready:
		b.nodeReady(nodes.Timed{At: e.At, Node: e.Node})
	case nodes.Timeout, nodes.LocalTimeout:
		b.timeouts = append(b.timeouts, nodes.Timed{At: e.At, Local: e.Kind == nodes.LocalTimeout})
		b.timedOut()
	case nodes.Step:
		if e.At == b.stepAt { // else it belongs to a layout that is gone
			b.steps(e.At + 1)
		}
	}
}

// enqueue moves what the last event brought about to the heap: a node that will
// be ready, a timeout, or a step, which is new unless it ends as before.
func (b *Simulator) enqueue(q *nodes.Queue, step int64) {
	for _, t := range b.ready {
		q.Push(nodes.Event{At: t.At, Kind: nodes.Ready, Node: t.Node})
	}
	for _, t := range b.timeouts {
		kind := nodes.Timeout
		if t.Local {
			kind = nodes.LocalTimeout
		}
		q.Push(nodes.Event{At: t.At, Kind: kind})
	}
	b.ready, b.timeouts = b.ready[:0], b.timeouts[:0]
	if b.stepAt != nodes.Never && b.stepAt != step {
		q.Push(nodes.Event{At: b.stepAt, Kind: nodes.Step})
	}
}
