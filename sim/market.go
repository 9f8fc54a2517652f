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
	Name  string // "aws", "aws/us-east-1", "aws/us-east-1/us-east-1a", "p3.2xlarge"; parts that a pool does not say are empty
	Pools []int
}

// group returns the groups of pools at a level, in the order of their first pools.
func group(pools []Pool, by Level) (all []Group) {
	at := map[string]int{}
	for p := range pools {
		x := &pools[p]
		name := x.Cloud
		switch by {
		case ByRegion:
			name += "/" + x.Region
		case ByZone:
			name += "/" + x.Region + "/" + x.Zone
		case ByType:
			name = x.InstanceType
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

	imagined []seriesMemory // by pool: memory of View.Future
	granting bool           // it is known what was granted (Granting)
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
func (m *Market) Price(p int, t Time) float64 {
	s := &m.series[p]
	return s.usd[s.find(t)]
}

// Capacity returns how many instances of pool p can be held at t, and false if the
// traces do not limit it.
func (m *Market) Capacity(p int, t Time) (int, bool) {
	s := &m.series[p]
	switch {
	case len(s.nodes) > 0:
		n := 0
		for node := range s.nodes {
			if s.nodeUp(node, t) {
				n++
			}
		}
		return n, true
	case len(s.cap) > 0:
		return int(s.capacity(t)), true
	}
	return 0, false
}

// Changes returns the instants, unordered and with repetitions, at which the price or the
// capacity of pool p may change.
func (m *Market) Changes(p int) []Time {
	s := &m.series[p]
	at := append(append([]Time(nil), s.priceAt...), s.capAt...)
	for _, spans := range s.nodes {
		for _, x := range spans {
			at = append(at, x.up, x.down)
		}
	}
	return at
}

// Cost returns what one instance of pool p costs over [from, to), USD.
func (m *Market) Cost(p int, from, to Time) float64 {
	s := &m.series[p]
	return s.costUntil(to, s.find(to)) - s.costUntil(from, s.find(from))
}

// TotalCapacity returns how many instances could be held at once, of all pools, within
// their quotas and what the traces have: from each instant at which it changes, the
// first at 0.
func (m *Market) TotalCapacity() []Capacity {
	held := make([]int, len(m.pools)) // of each pool, without its quota
	total := 0
	for p := range m.pools {
		n, limited := m.Capacity(p, 0)
		if held[p] = n; !limited {
			held[p] = m.pools[p].Quota
		}
		total += min(held[p], m.pools[p].Quota)
	}
	all := []Capacity{{N: total}}
	for _, r := range m.events {
		n := held[r.pool]
		switch {
		case r.at == 0:
			continue
		case r.kind == recordCapacity:
			n = int(r.value)
		case r.kind == recordNodeUp:
			n++
		case r.kind == recordNodeDown:
			n--
		}
		quota := m.pools[r.pool].Quota
		before := total
		total += min(n, quota) - min(held[r.pool], quota)
		held[r.pool] = n
		last := &all[len(all)-1]
		switch {
		case total == before || r.at >= m.end:
		case r.at == last.At:
			last.N = total
		default:
			all = append(all, Capacity{r.at, total})
		}
	}
	return all
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
func (c *seriesMemory) keep(s *series, prices bool) {
	c.capAt, c.cap = s.capAt, s.cap
	if prices {
		c.priceAt, c.usd, c.cum, c.bucket, c.lows, c.highs = s.priceAt, s.usd, s.cum, s.bucket, s.lows, s.highs
	}
}

// allRecords are the records of a market with its prices, merged when they are first
// wanted: by a policy that watches prices, or by a recorder. Most runs want none, and
// prices are most of a trace.
type allRecords struct {
	once sync.Once
	list []record
}

// Tiers numbers the places that pools are in, from the narrowest: Tiers()[0][p] is that of pool p's Region, of a server its
// rack, Tiers()[k][p] that of Above[k-1]. A pool of which less is known is there with those of its widest place alone. It must not be
// changed.
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
