package sim

import (
	"sort"
	"sync"

	"github.com/marigram/marigram/sim/cursor"
)

// Price says what one instance of a pool costs from an instant on.
type Price struct {
	At  Time
	USD float64 // per instance-hour, at least 0
}

// Capacity says how many instances of a pool a job can hold from an instant on.
type Capacity struct {
	At Time
	N  int
}

// NodeEvent says that one machine of a recorded fleet was added or removed.
type NodeEvent struct {
	At   Time
	Node int // its slot, from 0, which may be used again after its machine is removed
	Up   bool
}

// Life is what became of one instance that was granted, in a past that is known
// (Market.Granting). Never is an instant that has not come, or that did not.
type Life struct {
	Granted Time
	Ready   Time // at or after Granted
	Noticed Time // Never: it went without a notice, or was not taken
	Gone    Time // when the cloud took it or, of one under notice, is to take it
}

// Trace is what happened to one pool.
type Trace struct {
	Pool
	// Prices are in ascending order of time; the first holds from the
	// beginning of the market, whatever its instant. There is at least one.
	Prices []Price
	// Capacity in ascending order of time; before the first record there is
	// none. If it and Nodes are empty, only the quota limits.
	Capacity []Capacity
	// Recorded says that Capacity was recorded, and not generated or assumed: what it was before a run began is known
	// to the run's policy (View.SeenBefore).
	Recorded bool
	// Nodes in ascending order of time; not together with Capacity.
	Nodes []NodeEvent
	// Commitments are the pool's instances that are paid whether they are used or not, in
	// any order. They cost nothing more where the pool is on demand; a capacity block is
	// a pool whose price is 0, with the capacity of its time.
	Commitments []Commitment
}

// Limit is a quota over several pools: no more instances of all of them may be held at one
// time, those under notice included. Requests beyond wait.
type Limit struct {
	Name      string // for people, such as "p3.2xlarge in us-east-1"
	Pools     []int
	Instances int
}

// Level says by what pools are grouped.
type Level uint8

// The levels, from the widest place to the narrowest, and the type.
const (
	ByCloud Level = iota
	ByRegion
	ByZone
	ByType
	levels
)

// Group is the pools of one cloud, region, zone or instance type.
type Group struct {
	Name  string // "aws", "aws/us-east-1", "aws/us-east-1/us-east-1a", "p3.2xlarge"; without what a pool does not say
	Pools []int
}

// group returns the groups of pools at a level, in the order of their first pools.
func group(pools []Pool, by Level) (all []Group) {
	at := map[string]int{}
	for p := range pools {
		pool := &pools[p]
		name := pool.Cloud
		switch by {
		case ByRegion:
			name += "/" + pool.Region
		case ByZone:
			name += "/" + pool.Region + "/" + pool.Zone
		case ByType:
			name = pool.InstanceType
		}
		i, seen := at[name]
		if !seen {
			i = len(all)
			at[name] = i
			all = append(all, Group{Name: name})
		}
		all[i].Pools = append(all[i].Pools, p)
	}
	return all
}

// Groups returns the pools by cloud, region, zone or instance type. It must not be changed.
func (m *Market) Groups(by Level) []Group { return m.groups[by] }

// Limits returns the quotas over several pools. It must not be changed.
func (m *Market) Limits() []Limit { return m.limits }

// Commitments returns what is paid of pool p whether it is used or not. It must not be changed.
func (m *Market) Commitments(p int) []Commitment { return m.series[p].commitments }

// Market is a set of traces, merged once into sorted columns that any number of
// runs share. After NewMarket it never changes, to those who use it.
type Market struct {
	pools  []Pool
	series []series
	end    Time

	groups    [levels][]Group
	limits    []Limit
	limitsOf  [][]int32 // by pool; nil without limits
	tiers     [][]int32 // Tiers
	committed bool      // some pool has commitments
	fails     bool      // machines of some pool fail by their law (Pool.Failures), unless it is known what was granted

	changes []record     // of capacity and nodes, and what became of instances (Granting)
	events  []record     // of these, what can affect an instance: not capacity above the quota
	ahead   cursor.Index // of events
	merged  *allRecords
	before  *before // what View.SeenBefore tells

	imagined []seriesMemory // by pool: memory of View.Future
	slows    bool           // machines of some pool become slow (Pool.Slow)
	granting bool           // it is known what was granted (Granting)

	microBatches int // Slow.MicroBatches of the pools whose machines become slow
}

// drawsFailures reports whether a run draws failures of machines: not where its past is known.
func (m *Market) drawsFailures() bool { return m.fails && !m.granting }

// Pools returns how many pools the market has.
func (m *Market) Pools() int { return len(m.pools) }

// Records returns how many records the traces have, prices included: a measure of the memory that the market takes.
func (m *Market) Records() int {
	n := len(m.changes)
	for p := range m.series {
		n += len(m.series[p].usd) - m.series[p].known
	}
	return n
}

// Pool returns pool p, in [0, Pools()).
func (m *Market) Pool(p int) *Pool { return &m.pools[p] }

// End returns the end of the observation; nothing is known after it.
func (m *Market) End() Time { return m.end }

// Price returns what an instance of pool p costs at t, USD per hour.
func (m *Market) Price(p int, at Time) float64 {
	series := &m.series[p]
	return series.usd[series.find(at)]
}

// Capacity returns how many instances of pool p can be held at t, and false if the
// traces do not limit it.
func (m *Market) Capacity(p int, at Time) (int, bool) {
	series := &m.series[p]
	switch {
	case len(series.nodes) > 0:
		n := 0
		for node := range series.nodes {
			if series.nodeUp(node, at) {
				n++
			}
		}
		return n, true
	case len(series.cap) > 0:
		return int(series.capacity(at)), true
	}
	return 0, false
}

// Changes returns the instants, unordered and with repetitions, at which the price or the
// capacity of pool p may change.
func (m *Market) Changes(p int) []Time {
	series := &m.series[p]
	at := append(append([]Time(nil), series.priceAt...), series.capAt...)
	for _, spans := range series.nodes {
		for _, span := range spans {
			at = append(at, span.up, span.down)
		}
	}
	return at
}

// Cost returns what one instance of pool p costs over [from, to), USD.
func (m *Market) Cost(p int, from, to Time) float64 {
	series := &m.series[p]
	return series.costUntil(to, series.find(to)) - series.costUntil(from, series.find(from))
}

// grantedBy returns how many of the series' lives were granted by an instant.
func (s *series) grantedBy(at Time) int32 {
	return int32(sort.Search(len(s.lifetimes), func(i int) bool { return s.lifetimes[i].Granted > at }))
}

// record is one change in the merged traces. Those at one instant are
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

	recorded bool // Trace.Recorded

	nodes     [][]span // by node, in order: when it was up
	lifetimes []Life   // by grant; not nil: they are all that is granted (Market.Granting)

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

// find returns the index of the price that holds at t.
func (s *series) find(at Time) int {
	bucket := min(max(at, 0)/s.width, Time(len(s.bucket)-1))
	return s.priceIndex(at, int(s.bucket[bucket]))
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
func (s *series) costUntil(at Time, i int) float64 {
	return s.cum[i] + s.usd[i]*float64(at-s.priceAt[i])/microsecondsPerHour
}

// after returns the index of the first capacity record after t.
func (s *series) after(at Time) int {
	return sort.Search(len(s.capAt), func(i int) bool { return s.capAt[i] > at })
}

// before returns the index of the last capacity record before t, below 0 if there is none.
func (s *series) before(at Time) int {
	return sort.Search(len(s.capAt), func(i int) bool { return s.capAt[i] >= at }) - 1
}

func (s *series) capacity(at Time) int32 { return s.capacityOf(s.after(at) - 1) }

// capacityOf returns the i-th capacity; there is none before the first.
func (s *series) capacityOf(i int) int32 {
	if i < 0 {
		return 0
	}
	return s.cap[i]
}

func (s *series) nodeUp(node int, at Time) bool { return s.nodeDown(node, at) != 0 }

// nodeDown returns the instant at which a node that is up at t goes; 0 if it is
// not up.
func (s *series) nodeDown(node int, at Time) Time {
	spans := s.nodes[node]
	i := sort.Search(len(spans), func(i int) bool { return spans[i].up > at })
	if i == 0 || spans[i-1].down <= at {
		return 0
	}
	return spans[i-1].down
}

// seriesMemory is memory for a series that is imagined again and again.
type seriesMemory struct {
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
func (s *series) until(now Time, mem *seriesMemory, more bool) series {
	n := s.find(now) + 1
	past := series{entity: s.entity, width: s.width, capAt: mem.capAt[:0], cap: mem.cap[:0],
		commitments: s.commitments, coverAt: s.coverAt, covers: s.covers}
	if !more {
		past.priceAt = s.priceAt[:n:n]
		past.usd = s.usd[:n:n]
		past.cum = s.cum[:n:n]
		stretches := min(int(max(now, 0)/s.width)+1, len(s.bucket))
		past.bucket = s.bucket[:stretches:stretches]
		past.lows = s.lows
		past.highs = s.highs
		return past
	}
	past.priceAt = append(mem.priceAt[:0], s.priceAt[:n]...)
	past.usd = append(mem.usd[:0], s.usd[:n]...)
	past.cum = append(mem.cum[:0], s.cum[:n]...)
	past.bucket = mem.bucket
	past.lows = mem.lows
	past.highs = mem.highs
	return past
}

// keep remembers the memory of a series that was made from it.
func (c *seriesMemory) keep(s *series, prices bool) {
	c.capAt = s.capAt
	c.cap = s.cap
	if prices {
		c.priceAt = s.priceAt
		c.usd = s.usd
		c.cum = s.cum
		c.bucket = s.bucket
		c.lows = s.lows
		c.highs = s.highs
	}
}

// allRecords are the records of a market with its prices, merged when they are first
// wanted: by a policy that watches prices, or by a recorder. Most runs want none, and
// prices are most of a trace.
type allRecords struct {
	once sync.Once
	list []record
}

// Tiers numbers the places that pools are in, from the narrowest: Tiers()[0][p] is that of pool p's Region, of a server
// its rack, Tiers()[k][p] that of Above[k-1]. A pool of which less is known is there with those of its widest place
// alone. It must not be changed.
func (m *Market) Tiers() [][]int32 { return m.tiers }

// Apart returns how far apart two pools are: 0 for one pool, k for two that have a place of tier k-1 in common and none
// of a narrower one, len(Tiers())+1 where they have none.
func (m *Market) Apart(p, q int) int {
	if p == q {
		return 0
	}
	for k, at := range m.tiers {
		if at[p] == at[q] {
			return 1 + k
		}
	}
	return 1 + len(m.tiers)
}
