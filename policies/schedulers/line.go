package schedulers

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// line is jobs that wait, in an order, by the size of their gangs: the first that is no larger
// than what is free is found without a loop over those before it.
type line struct {
	kinds   []kind // of jobs, by their gangs, ascending
	lists   []ring
	last    int64   // number of the last place that was given at the end
	front   int64   // of the last at the front
	numbers []int64 // by job: the number of its place, 0 if it does not wait
	waiting int     // jobs
	spare   []ring  // memory of an earlier run
}

// kind is what counts of a job in a queue.
type kind struct {
	gang  int
	part  int  // of the cluster, on which it runs
	never bool // no place is large enough for it, even if nothing else ran
}

func (k *kind) isBefore(other *kind) bool {
	return k.gang < other.gang || k.gang == other.gang && k.part < other.part
}

// find returns where a kind is or belongs in kinds. By hand: a search that calls back takes three times as long.
func (l *line) find(of *kind) int {
	first := 0
	end := len(l.kinds)
	for first < end {
		middle := (first + end) / 2
		if l.kinds[middle].isBefore(of) {
			first = middle + 1
		} else {
			end = middle
		}
	}
	return first
}

// spot is a place in the line. It is void once the job is not in it any more.
type spot struct {
	number int64
	job    int
}

// push puts a job at the end, or at the front: before those that are there.
func (l *line) push(j int, of kind, front bool) {
	k := l.find(&of)
	if k == len(l.kinds) || of.isBefore(&l.kinds[k]) {
		l.kinds = slices.Insert(l.kinds, k, of)
		l.lists = slices.Insert(l.lists, k, l.newRing())
	}
	for len(l.numbers) <= j {
		l.numbers = append(l.numbers, 0)
	}
	l.waiting++
	if front {
		l.front--
		l.numbers[j] = l.front
		l.lists[k].pushFront(spot{l.front, j})
		return
	}
	l.last++
	l.numbers[j] = l.last
	l.lists[k].pushBack(spot{l.last, j})
}

// remove takes a job out.
func (l *line) remove(j int) {
	l.numbers[j] = 0
	l.waiting--
}

// waits reports whether a job is in the line.
func (l *line) waits(j int) bool { return j < len(l.numbers) && l.numbers[j] != 0 }

// first returns the place in kinds of the first job with a gang of at most what is free of its part of the cluster
// (the first is all of it); none if there is none. The kinds that skip names, by place, are passed over.
func (l *line) first(free []int, skip []bool) int {
	first := int64(0)
	at := none
	for k, of := range l.kinds {
		if of.gang > free[0] {
			break
		}
		if of.gang > free[of.part] || of.never || len(skip) > 0 && skip[k] {
			continue
		}
		head, found := l.head(k)
		if found && (at == none || head.number < first) {
			first = head.number
			at = k
		}
	}
	return at
}

// head returns the first place of the jobs of a kind.
func (l *line) head(k int) (spot, bool) {
	for list := &l.lists[k]; list.n > 0; list.popFront() {
		head := list.at(0)
		if l.numbers[head.job] == head.number {
			return head, true
		}
	}
	return spot{}, false
}

// newRing returns an empty list, in the memory of an earlier run if there is any.
func (l *line) newRing() ring {
	last := len(l.spare) - 1
	if last < 0 {
		return ring{}
	}
	spots := l.spare[last].spots
	l.spare = l.spare[:last]
	return ring{spots: spots}
}

// empty is a line without jobs in the memory of this one.
func (l *line) empty() line {
	return line{
		kinds:   l.kinds[:0],
		lists:   l.lists[:0],
		numbers: l.numbers[:0],
		spare:   append(l.spare, l.lists...),
	}
}

func (l *line) clone() line {
	c := *l
	c.spare = nil
	c.kinds = slices.Clone(l.kinds)
	c.lists = slices.Clone(l.lists)
	c.numbers = slices.Clone(l.numbers)
	for k := range c.lists {
		c.lists[k].spots = slices.Clone(c.lists[k].spots)
	}
	return c
}

// ring is a list with two ends.
type ring struct {
	spots   []spot // their number is a power of two
	from, n int
}

func (r *ring) at(i int) spot { return r.spots[(r.from+i)&(len(r.spots)-1)] }

// makeRoom makes room for one more.
func (r *ring) makeRoom() {
	if r.n < len(r.spots) {
		return
	}
	more := make([]spot, max(2*len(r.spots), 8))
	for i := range r.n {
		more[i] = r.at(i)
	}
	r.spots = more
	r.from = 0
}

func (r *ring) pushBack(s spot) {
	r.makeRoom()
	r.spots[(r.from+r.n)&(len(r.spots)-1)] = s
	r.n++
}

func (r *ring) pushFront(s spot) {
	r.makeRoom()
	r.from = (r.from - 1) & (len(r.spots) - 1)
	r.spots[r.from] = s
	r.n++
}

func (r *ring) popFront() {
	r.from = (r.from + 1) & (len(r.spots) - 1)
	r.n--
}

// limit is an instant at which something is to be done about a job. It is void if the job's stamp
// is another by then.
type limit struct {
	at         sim.Time
	job, stamp int
}

// limitHeap is instants, the earliest first: each is before its children, at 2k+1 and 2k+2.
type limitHeap []limit

func (h *limitHeap) push(x limit) {
	*h = append(*h, x)
	list := *h
	k := len(list) - 1
	for k > 0 && list[(k-1)/2].at > x.at {
		list[k] = list[(k-1)/2]
		k = (k - 1) / 2
	}
	list[k] = x
}

// pop takes the earliest.
func (h *limitHeap) pop() limit {
	list := *h
	top := list[0]
	moved := list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	if len(list) == 0 {
		return top
	}
	k := 0
	for {
		child := 2*k + 1
		if child >= len(list) {
			break
		}
		if child+1 < len(list) && list[child+1].at < list[child].at {
			child++
		}
		if list[child].at >= moved.at {
			break
		}
		list[k] = list[child]
		k = child
	}
	list[k] = moved
	return top
}
