package reference

// event is an entry of a published simulator's queue, ordered by time, then by
// kind.
type event struct {
	at      int64
	kind    eventKind
	node    int32
	version int // of the layout in which a step was begun
}

type eventKind uint8

// In the order in which they happen at one instant.
const (
	eventAdd eventKind = iota
	eventRemove
	eventReady
	eventTimeout
	eventLocalTimeout
	eventStep
	eventSaved
)

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.kind < o.kind }

// queue is a binary heap that keeps equal events in the order of Python's heapq:
// on taking one out, the last entry first sinks to a leaf, then rises. The
// published simulators leave ties to it, and one looks into it as if it were
// sorted.
type queue []event

func (q *queue) push(e event) {
	*q = append(*q, e)
	q.rise(len(*q) - 1)
}

func (q *queue) pop() event {
	h := *q
	first, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return first
	}
	i := 0
	for 2*i+1 < len(h) {
		child := 2*i + 1
		if child+1 < len(h) && !h[child].before(&h[child+1]) {
			child++
		}
		h[i] = h[child]
		i = child
	}
	h[i] = last
	q.rise(i)
	return first
}

func (q *queue) rise(i int) {
	h := *q
	e := h[i]
	for i > 0 && e.before(&h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = e
}
