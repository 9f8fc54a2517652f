package sim

import (
	"fmt"
	"sort"

	"github.com/marigram/marigram/sim/internal/skip"
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

// History is what happened to one pool.
type History struct {
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

// Market is a set of histories, merged once into sorted columns that any number of
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

	changes []record   // of capacity and nodes, and what became of instances (Granting)
	events  []record   // of these, what can affect an instance: not capacity above the quota
	ahead   skip.Index // of events
	merged  *allRecords

	imagined []columns // by pool: memory of View.Future
	granting bool      // it is known what was granted (Granting)
}

// Pools returns how many pools the market has.
func (m *Market) Pools() int { return len(m.pools) }

// Records returns how many records the histories have, prices included: a measure of the memory that the market takes.
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
// histories do not limit it.
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
// their quotas and what the histories have: from each instant at which it changes, the
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

// Granting returns a market with the pools and prices of m until end, in which it is known what
// was granted: the n-th instance that is granted in pool p is lives[p][n], in the order of their
// grants. There is room for it from its grant on, and it is ready, under notice and gone when it
// says; nothing of that is drawn, and nothing else is granted. A job that reaches its goal stays
// active and trains no further. It is for a run that follows a past, up to the instant from
// which futures are imagined (View.Future, View.Imagine). Errors name pool and instance.
func (m *Market) Granting(lives [][]Life, end Time) (*Market, error) {
	if len(lives) != len(m.pools) || end <= 0 {
		return nil, fmt.Errorf("lifetimes of %d pools until %d us, expected %d pools and an end after 0", len(lives), int64(end), len(m.pools))
	}
	out := &Market{end: end, pools: m.pools, groups: m.groups, limits: m.limits, limitsOf: m.limitsOf, committed: m.committed, granting: true}
	for p := range m.series {
		s := m.series[p]
		s.capAt, s.cap, s.nodes, s.lives = nil, nil, nil, append([]Life{}, lives[p]...)
		out.series = append(out.series, s)
		last := Time(0)
		for n, l := range s.lives {
			if l.Granted < last || l.Ready < l.Granted || l.Noticed < l.Granted || l.Gone < l.Granted || l.Noticed > l.Gone && l.Noticed != Never {
				return nil, fmt.Errorf("pool %s: instance %d: granted %d us, ready %d us, under notice %d us, gone %d us; expected this order, and grants in theirs",
					m.pools[p].Name, n, int64(l.Granted), int64(l.Ready), int64(l.Noticed), int64(l.Gone))
			}
			last = l.Granted
			out.changes = append(out.changes, record{at: l.Granted, pool: int32(p), kind: recordLifeGranted})
			switch {
			case l.Noticed != Never:
				out.changes = append(out.changes, record{at: l.Noticed, pool: int32(p), kind: recordLifeNoticed, value: float64(n)})
			case l.Gone != Never:
				out.changes = append(out.changes, record{at: l.Gone, pool: int32(p), kind: recordLifeGone, value: float64(n)})
			}
		}
	}
	out.order()
	return out, nil
}

// grantedBy returns how many of the series' lives were granted by an instant.
func (s *series) grantedBy(at Time) int32 {
	return int32(sort.Search(len(s.lives), func(i int) bool { return s.lives[i].Granted > at }))
}
