package sim

import (
	"sort"
)

// record is one change in the merged histories. Those at one instant are
// ordered by kind, then by pool.
type record struct {
	at    Time
	value float64 // capacity, node (both whole numbers) or price
	pool  int32
	kind  recordKind
	still bool // affects no instance: the quota is the tighter bound before and after
	rise  bool // of capacity
}

type recordKind uint8

// In the order in which they take effect at one instant: new machines first, then
// removals and their notices, prices last.
const (
	recordNodeUp recordKind = iota
	recordCapacity
	recordNodeDown
	recordWarning     // capacity falls to value one notice later
	recordNodeWarning // node value goes one notice later
	recordPrice
	recordLifeGranted // of the pool's lives the next is granted
	recordLifeNoticed // life value comes under notice
	recordLifeGone    // life value goes, without a notice
)

// series holds one pool's columns.
type series struct {
	entity uint64 // of the pool's name, in draws

	priceAt []Time
	usd     []float64 // per hour
	cum     []float64 // USD that one instance held since priceAt[0] has cost at priceAt[i]
	known   int       // prices before it are no records: the past of an imagined future
	bucket  []int32   // index of the price that holds at the start of each stretch of width
	width   Time
	lows    []float64 // of each levelBlock of prices
	highs   []float64

	capAt []Time
	cap   []int32

	nodes [][]span // by node, in order: when it was up
	lives []Life   // by grant; not nil: they are all that is granted (Market.Granting)

	commitments []Commitment
	coverAt     []Time
	covers      []int32 // instances that are committed from coverAt on
}

// covered returns the part of n instances' time in [from, to) that commitments cover.
func (s *series) covered(n int32, from, to Time) (held MachineTime) {
	for i, at := range s.coverAt {
		until := to
		if i+1 < len(s.coverAt) {
			until = min(to, s.coverAt[i+1])
		}
		if span := until - max(at, from); span > 0 {
			held += machineTime(min(n, s.covers[i]), span)
		}
	}
	return held
}

type span struct{ up, down Time }

const microsecondsPerHour = 3600e6

// indexPrices cuts the time of the prices into as many stretches as there are
// prices, so that a look-up begins near its end.
func (s *series) indexPrices() {
	n := len(s.priceAt)
	s.width = s.priceAt[n-1]/Time(n) + 1
	s.bucket = resize(s.bucket, n)
	for b := range s.bucket {
		hint := 0
		if b > 0 {
			hint = int(s.bucket[b-1])
		}
		s.bucket[b] = int32(s.priceIndex(Time(b)*s.width, hint))
	}
	s.indexLevels()
}

// find returns the index of the price that holds at t.
func (s *series) find(t Time) int {
	b := min(max(t, 0)/s.width, Time(len(s.bucket)-1))
	return s.priceIndex(t, int(s.bucket[b]))
}

// priceIndex returns the index of the price that holds at t, at or after hint:
// doubling strides, then halving, whose comparisons compile to moves and not to
// branches.
func (s *series) priceIndex(t Time, hint int) int {
	at := s.priceAt[hint:]
	n := 1
	for n < len(at) && at[n] <= t {
		n *= 2
	}
	n = min(n, len(at))
	i := 0
	for n > 1 {
		half := n / 2
		next := i + half
		if at[next] > t {
			next = i
		}
		i = next
		n -= half
	}
	return hint + i
}

// costUntil returns the prefix integral of price at t, whose price is the i-th.
func (s *series) costUntil(t Time, i int) float64 {
	return s.cum[i] + s.usd[i]*float64(t-s.priceAt[i])/microsecondsPerHour
}

// after returns the index of the first capacity record after t.
func (s *series) after(t Time) int {
	return sort.Search(len(s.capAt), func(i int) bool { return s.capAt[i] > t })
}

func (s *series) capacity(t Time) int32 { return s.capacityOf(s.after(t) - 1) }

// capacityOf returns the i-th capacity; there is none before the first.
func (s *series) capacityOf(i int) int32 {
	if i < 0 {
		return 0
	}
	return s.cap[i]
}

func (s *series) nodeUp(node int, t Time) bool { return s.nodeDown(node, t) != 0 }

// nodeDown returns the instant at which a node that is up at t goes; 0 if it is
// not up.
func (s *series) nodeDown(node int, t Time) Time {
	spans := s.nodes[node]
	i := sort.Search(len(spans), func(i int) bool { return spans[i].up > t })
	if i == 0 || spans[i-1].down <= t {
		return 0
	}
	return spans[i-1].down
}

// columns is memory for a series that is imagined again and again.
type columns struct {
	priceAt  []Time
	usd, cum []float64
	bucket   []int32
	lows     []float64
	highs    []float64
	capAt    []Time
	cap      []int32
}

// until returns the series without what comes after now. Where more prices are to come,
// they are copied into mem; else the past is shared.
func (s *series) until(now Time, mem *columns, more bool) series {
	n := s.find(now) + 1
	past := series{entity: s.entity, width: s.width, capAt: mem.capAt[:0], cap: mem.cap[:0],
		commitments: s.commitments, coverAt: s.coverAt, covers: s.covers}
	if !more {
		past.priceAt, past.usd, past.cum = s.priceAt[:n:n], s.usd[:n:n], s.cum[:n:n]
		stretches := min(int(max(now, 0)/s.width)+1, len(s.bucket))
		past.bucket, past.lows, past.highs = s.bucket[:stretches:stretches], s.lows, s.highs
		return past
	}
	past.priceAt = append(mem.priceAt[:0], s.priceAt[:n]...)
	past.usd, past.cum = append(mem.usd[:0], s.usd[:n]...), append(mem.cum[:0], s.cum[:n]...)
	past.bucket, past.lows, past.highs = mem.bucket, mem.lows, mem.highs
	return past
}

// keep remembers the memory of a series that was made from it.
func (c *columns) keep(s *series, prices bool) {
	c.capAt, c.cap = s.capAt, s.cap
	if prices {
		c.priceAt, c.usd, c.cum, c.bucket, c.lows, c.highs = s.priceAt, s.usd, s.cum, s.bucket, s.lows, s.highs
	}
}
