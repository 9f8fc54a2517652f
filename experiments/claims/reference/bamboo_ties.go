package reference

// ReplayTies is Replay for events of which several happen at one instant, in the
// order of their file. Of those of one kind the public simulator takes first what
// its heap happens to have on top, which every other entry moves; the order in
// which nodes join decides where they train. So this goes event by event, on the
// same heap.
func (b *Bamboo) ReplayTies(m *BambooModel, events []NodeEvent, endMs int64) BambooResult {
	*b = Bamboo{model: m, nodes: b.nodes[:0], ready: b.ready[:0], timeouts: b.timeouts[:0], stepAt: never}
	var q queue
	for _, e := range events {
		kind := eventRemove
		if e.Add {
			kind = eventAdd
		}
		q.push(event{at: e.At, kind: kind, node: e.Node})
	}
	came := map[int32]int32{} // by node of the file: which one it is in the order of coming
	for len(q) > 0 && q[0].at < endMs && (m.Steps == 0 || b.result.Steps < m.Steps) {
		e := q.pop()
		switch e.kind {
		case eventAdd:
			came[e.node] = int32(len(came))
			e.node = came[e.node]
		case eventRemove:
			e.node = came[e.node]
		}
		step := b.stepAt
		b.handle(&e)
		b.enqueue(&q, step)
	}
	return b.finish()
}

func (b *Bamboo) handle(e *event) {
	switch e.kind {
	case eventAdd, eventRemove:
		b.apply(NodeEvent{At: e.at, Node: e.node, Add: e.kind == eventAdd})
	case eventReady:
		b.nodeReady(timed{at: e.at, node: e.node})
	case eventTimeout, eventLocalTimeout:
		b.timeouts = append(b.timeouts, timed{at: e.at, local: e.kind == eventLocalTimeout})
		b.timedOut()
	case eventStep:
		if e.at == b.stepAt { // else it belongs to a layout that is gone
			b.steps(e.at + 1)
		}
	}
}

// enqueue moves what the last event brought about to the heap: a node that will
// be ready, a timeout, or a step, which is new unless it ends as before.
func (b *Bamboo) enqueue(q *queue, step int64) {
	for _, t := range b.ready {
		q.push(event{at: t.at, kind: eventReady, node: t.node})
	}
	for _, t := range b.timeouts {
		kind := eventTimeout
		if t.local {
			kind = eventLocalTimeout
		}
		q.push(event{at: t.at, kind: kind})
	}
	b.ready, b.timeouts = b.ready[:0], b.timeouts[:0]
	if b.stepAt != never && b.stepAt != step {
		q.push(event{at: b.stepAt, kind: eventStep})
	}
}
