package nodes

// Event is an entry of a published simulator's queue, ordered by time, then by
// kind.
type Event struct {
	At      int64
	Kind    Kind
	Node    int32
	Version int // of the layout in which a step was begun
}

// Kind is what happens.
type Kind uint8

// The kinds, in the order in which they happen at one instant.
const (
	Add Kind = iota
	Remove
	Ready
	Timeout
	LocalTimeout
	Step
	Saved
)

func (e *Event) before(o *Event) bool { return e.At < o.At || e.At == o.At && e.Kind < o.Kind }

// Queue is a binary heap that keeps equal events in the order of Python's heapq:
// on taking one out, the last entry first sinks to a leaf, then rises. The
// published simulators leave ties to it, and one looks into it as if it were
// sorted.
type Queue []Event

// Push puts an event in.
func (q *Queue) Push(e Event) {
	*q = append(*q, e)
	q.rise(len(*q) - 1)
}

// Pop takes the first event out.
func (q *Queue) Pop() Event {
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

func (q *Queue) rise(i int) {
	h := *q
	e := h[i]
	for i > 0 && e.before(&h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = e
}
