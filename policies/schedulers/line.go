package schedulers

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// line is jobs that wait, in an order, by the size of their gangs: the first that is no larger
// than what is free is found without a loop over those before it.
type line struct {
	kinds []kind // of jobs, by their gangs, ascending
	lists []ring
	last  int64   // number of the last place that was given at the end
	front int64   // of the last at the front
	in    []int64 // by job: the number of its place, 0 if it does not wait
	n     int     // jobs that wait
	spare []ring  // memory of an earlier run
}

// kind is what counts of a job in a queue.
type kind struct {
	gang  int
	part  int  // of the cluster, on which it runs
	never bool // no place is large enough for it, even if nothing else ran
}

func (k *kind) before(x *kind) bool { return k.gang < x.gang || k.gang == x.gang && k.part < x.part }

// place returns where a kind is or belongs in kinds. By hand: a search that calls back takes three times as long.
func (l *line) place(of *kind) int {
	k, end := 0, len(l.kinds)
	for k < end {
		if m := (k + end) / 2; l.kinds[m].before(of) {
			k = m + 1
		} else {
			end = m
		}
	}
	return k
}

// spot is a place in the line. It is void once the job is not in it any more.
type spot struct {
	number int64
	job    int
}

// push puts a job at the end, or at the front: before those that are there.
func (l *line) push(j int, of kind, front bool) {
	k := l.place(&of)
	if k == len(l.kinds) || of.before(&l.kinds[k]) {
		l.kinds, l.lists = slices.Insert(l.kinds, k, of), slices.Insert(l.lists, k, l.ring())
	}
	for len(l.in) <= j {
		l.in = append(l.in, 0)
	}
	l.n++
	if front {
		l.front--
		l.in[j] = l.front
		l.lists[k].pushFront(spot{l.front, j})
		return
	}
	l.last++
	l.in[j] = l.last
	l.lists[k].pushBack(spot{l.last, j})
}

// remove takes a job out.
func (l *line) remove(j int) {
	l.in[j] = 0
	l.n--
}

// waits reports whether a job is in the line.
func (l *line) waits(j int) bool { return j < len(l.in) && l.in[j] != 0 }

// first returns the place in kinds of the first job with a gang of at most what is free of its part of the cluster (the first is all of it); none if
// there is none. The kinds that skip names, by place, are passed over.
func (l *line) first(free []int, skip []bool) int {
	best, at := int64(0), none
	for k, of := range l.kinds {
		if of.gang > free[0] {
			break
		}
		if of.gang > free[of.part] || of.never || len(skip) > 0 && skip[k] {
			continue
		}
		if s, any := l.head(k); any && (at == none || s.number < best) {
			best, at = s.number, k
		}
	}
	return at
}

// head returns the first place of the jobs of a kind.
func (l *line) head(k int) (spot, bool) {
	for r := &l.lists[k]; r.n > 0; r.popFront() {
		if s := r.at(0); l.in[s.job] == s.number {
			return s, true
		}
	}
	return spot{}, false
}

// ring is an empty list, in the memory of an earlier run if there is any.
func (l *line) ring() (r ring) {
	if n := len(l.spare); n > 0 {
		r.spots, l.spare = l.spare[n-1].spots, l.spare[:n-1]
	}
	return r
}

// empty is a line without jobs in the memory of this one.
func (l *line) empty() line {
	return line{kinds: l.kinds[:0], lists: l.lists[:0], in: l.in[:0], spare: append(l.spare, l.lists...)}
}

func (l *line) clone() line {
	c := *l
	c.spare = nil
	c.kinds, c.lists, c.in = slices.Clone(l.kinds), slices.Clone(l.lists), slices.Clone(l.in)
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

func (r *ring) grow() {
	if r.n < len(r.spots) {
		return
	}
	more := make([]spot, max(2*len(r.spots), 8))
	for i := range r.n {
		more[i] = r.at(i)
	}
	r.spots, r.from = more, 0
}

func (r *ring) pushBack(s spot) {
	r.grow()
	r.spots[(r.from+r.n)&(len(r.spots)-1)] = s
	r.n++
}

func (r *ring) pushFront(s spot) {
	r.grow()
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
	top, x := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	if len(list) == 0 {
		return top
	}
	k := 0
	for {
		c := 2*k + 1
		if c >= len(list) {
			break
		}
		if c+1 < len(list) && list[c+1].at < list[c].at {
			c++
		}
		if list[c].at >= x.at {
			break
		}
		list[k] = list[c]
		k = c
	}
	list[k] = x
	return top
}
