package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
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

// NodeEvent says that one machine of a recorded fleet came or went.
type NodeEvent struct {
	At   Time
	Node int // a slot in [0, Nodes): reused after its machine went
	Up   bool
}

// History is what happened to one pool.
type History struct {
	Pool
	// Prices are in ascending order of time; the first holds from the
	// beginning of the market, whatever its instant. There is at least one.
	Prices []Price
	// Capacity in ascending order of time; before the first record there is
	// none. Empty: as much as the quota, unless Nodes are given.
	Capacity []Capacity
	// Nodes in ascending order of time; not together with Capacity.
	Nodes []NodeEvent
}

// Market is a set of histories, merged once into sorted columns that any
// number of runs share. It never changes after NewMarket.
type Market struct {
	pools  []Pool
	series []series
	end    Time

	events []record // what can touch an instance: nodes, and capacity below the quota
	full   []record // all, prices included, for runs that ask for prices or record spans
}

// record is one change in the merged histories. Those at one instant are
// ordered by kind, then by pool.
type record struct {
	at    Time
	value float64 // capacity, node (both whole numbers) or price
	pool  int32
	kind  recordKind
	still bool // touches no instance: the quota is the tighter bound before and after
}

type recordKind uint8

// In the order in which they take effect at one instant: machines come before
// any are announced lost or lost, prices last.
const (
	recordNodeUp recordKind = iota
	recordCapacity
	recordNodeDown
	recordWarning     // capacity falls to value one notice later
	recordNodeWarning // node value goes one notice later
	recordPrice
)

// series holds one pool's columns.
type series struct {
	priceAt []Time
	usd     []float64 // per hour
	cum     []float64 // USD that one instance held since priceAt[0] has cost at priceAt[i]
	bucket  []int32   // index of the price that holds at the start of each stretch of width
	width   Time

	capAt []Time
	cap   []int32

	nodes [][]span // by node, in order: when it was up
}

type span struct{ up, down Time }

const microsecondsPerHour = 3600e6

// NewMarket merges histories that were observed until end. It copies what it
// needs. Errors name the pool, the record and what was expected.
func NewMarket(end Time, histories []History) (*Market, error) {
	if end <= 0 {
		return nil, fmt.Errorf("market ends at %v us, expected an instant after 0", int64(end))
	}
	if len(histories) == 0 {
		return nil, fmt.Errorf("market has no pools")
	}
	m := &Market{end: end, full: make([]record, 0, records(histories))}
	names := make(map[string]bool, len(histories))
	for i, h := range histories {
		if h.Name == "" || names[h.Name] {
			return nil, fmt.Errorf("pool %d: name %q is empty or used twice", i, h.Name)
		}
		names[h.Name] = true
		if err := m.add(int32(i), h); err != nil {
			return nil, fmt.Errorf("pool %s: %w", h.Name, err)
		}
	}
	byTime := func(a, b record) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.pool, b.pool), cmp.Compare(a.value, b.value))
	}
	slices.SortFunc(m.full, byTime)
	for _, r := range m.full {
		if r.kind != recordPrice && !r.still {
			m.events = append(m.events, r)
		}
	}
	return m, nil
}

// records returns the most records that histories can come to.
func records(histories []History) (n int) {
	for i := range histories {
		h := &histories[i]
		n += len(h.Prices) + 2*(len(h.Capacity)+len(h.Nodes)) // a fall is announced, too
	}
	return n
}

func (m *Market) add(pool int32, h History) error {
	if err := h.check(); err != nil {
		return err
	}
	if len(h.Capacity) > 0 && len(h.Nodes) > 0 {
		return fmt.Errorf("has both capacity counts and nodes, expected one of them")
	}
	var s series
	if err := m.addPrices(pool, h, &s); err != nil {
		return err
	}
	if err := m.addCapacity(pool, h, &s); err != nil {
		return err
	}
	if err := m.addNodes(pool, h, &s); err != nil {
		return err
	}
	m.pools = append(m.pools, h.Pool)
	m.series = append(m.series, s)
	return nil
}

func (p *Pool) check() error {
	switch {
	case p.Quota < 0:
		return fmt.Errorf("quota %d, expected at least 0", p.Quota)
	case p.Notice < 0:
		return fmt.Errorf("notice %v, expected at least 0", p.Notice)
	case !(p.NoticeMissing >= 0 && p.NoticeMissing <= 1):
		return fmt.Errorf("probability of a missing notice %v, expected 0 to 1", p.NoticeMissing)
	case p.Boot.Median < 0 || !(p.Boot.Sigma >= 0 && p.Boot.Sigma < 10):
		return fmt.Errorf("boot time %v spread %v, expected at least 0 and a spread below 10", p.Boot.Median, p.Boot.Sigma)
	case !finite(p.OnDemandPrice) || p.OnDemandPrice < 0:
		return fmt.Errorf("on-demand price %v, expected a finite number, at least 0", p.OnDemandPrice)
	case int(p.Victim) >= len(victimNames):
		return fmt.Errorf("victim rule %d is not known", p.Victim)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func ordered(i int, at, before Time) error {
	if at < 0 {
		return fmt.Errorf("record %d: instant %d us is before the history began", i, at)
	}
	if at < before {
		return fmt.Errorf("record %d: time goes back from %d us to %d us", i, before, at)
	}
	return nil
}

func (m *Market) addPrices(pool int32, h History, s *series) error {
	if len(h.Prices) == 0 {
		return fmt.Errorf("has no price")
	}
	most := len(h.Prices)
	s.priceAt, s.usd, s.cum = make([]Time, 0, most), make([]float64, 0, most), make([]float64, 0, most)
	last := Time(0)
	for i, p := range h.Prices {
		if err := ordered(i, p.At, last); err != nil {
			return fmt.Errorf("price %w", err)
		}
		last = p.At
		at := p.At
		if i == 0 {
			at = 0
		}
		if !finite(p.USD) || p.USD < 0 {
			return fmt.Errorf("price record %d: %v USD/h, expected a finite number, at least 0", i, p.USD)
		}
		n := len(s.usd)
		if n > 0 && s.usd[n-1] == p.USD {
			continue // a heartbeat
		}
		if n > 0 && at == s.priceAt[n-1] { // the last record of an instant holds
			s.usd[n-1] = p.USD
			continue
		}
		cum := 0.0
		if n > 0 {
			cum = s.cum[n-1] + s.usd[n-1]*float64(at-s.priceAt[n-1])/microsecondsPerHour
		}
		s.priceAt, s.usd, s.cum = append(s.priceAt, at), append(s.usd, p.USD), append(s.cum, cum)
	}
	s.indexPrices()
	for i, at := range s.priceAt {
		m.full = append(m.full, record{at: at, pool: pool, kind: recordPrice, value: s.usd[i]})
	}
	return nil
}

func (m *Market) addCapacity(pool int32, h History, s *series) error {
	last := Time(0)
	for i, c := range h.Capacity {
		n := len(s.cap)
		if err := ordered(i, c.At, last); err != nil {
			return fmt.Errorf("capacity %w", err)
		}
		last = c.At
		if c.N < 0 || c.N > math.MaxInt32 {
			return fmt.Errorf("capacity record %d: %d instances, expected 0 to 2^31-1", i, c.N)
		}
		switch {
		case n > 0 && s.cap[n-1] == int32(c.N):
			continue
		case n > 0 && c.At == s.capAt[n-1]:
			s.cap[n-1] = int32(c.N)
			continue
		}
		s.capAt, s.cap = append(s.capAt, c.At), append(s.cap, int32(c.N))
	}
	for i, at := range s.capAt {
		still := i > 0 && int(s.cap[i]) >= h.Quota && int(s.cap[i-1]) >= h.Quota
		m.full = append(m.full, record{at: at, pool: pool, kind: recordCapacity, value: float64(s.cap[i]), still: still})
		fall := i > 0 && s.cap[i] < s.cap[i-1]
		if warn := at.Add(-h.Notice); fall && h.Notice > 0 && warn >= 0 {
			m.full = append(m.full, record{at: warn, pool: pool, kind: recordWarning, value: float64(s.cap[i]), still: int(s.cap[i]) >= h.Quota})
		}
	}
	return nil
}

func (m *Market) addNodes(pool int32, h History, s *series) error {
	var before Time
	for i, e := range h.Nodes {
		if err := ordered(i, e.At, before); err != nil {
			return fmt.Errorf("node %w", err)
		}
		before = e.At
		if e.Node < 0 || e.Node >= 1<<20 {
			return fmt.Errorf("node record %d: slot %d, expected 0 to 2^20-1", i, e.Node)
		}
		for len(s.nodes) <= e.Node {
			s.nodes = append(s.nodes, nil)
		}
		spans := s.nodes[e.Node]
		isUp := len(spans) > 0 && spans[len(spans)-1].down == Never
		if isUp == e.Up {
			return fmt.Errorf("node record %d: slot %d goes to the state (up: %v) that it has", i, e.Node, e.Up)
		}
		if e.Up {
			if n := len(spans); n > 0 && spans[n-1].down == e.At {
				return fmt.Errorf("node record %d: slot %d comes at the instant at which it went; use another slot", i, e.Node)
			}
			spans = append(spans, span{up: e.At, down: Never})
		} else {
			spans[len(spans)-1].down = e.At
		}
		s.nodes[e.Node] = spans
		m.addNodeRecords(pool, h, e)
	}
	return nil
}

func (m *Market) addNodeRecords(pool int32, h History, e NodeEvent) {
	r := record{at: e.At, pool: pool, kind: recordNodeDown, value: float64(e.Node)}
	if e.Up {
		r.kind = recordNodeUp
	}
	m.full = append(m.full, r)
	if warn := e.At.Add(-h.Notice); !e.Up && h.Notice > 0 && warn >= 0 {
		m.full = append(m.full, record{at: warn, pool: pool, kind: recordNodeWarning, value: float64(e.Node)})
	}
}

// Pools returns how many pools the market has.
func (m *Market) Pools() int { return len(m.pools) }

// Pool returns pool p, in [0, Pools()).
func (m *Market) Pool(p int) *Pool { return &m.pools[p] }

// End returns the end of the observation; nothing is known after it.
func (m *Market) End() Time { return m.end }

// Price returns what an instance of pool p costs at t, USD per hour.
func (m *Market) Price(p int, t Time) float64 {
	s := &m.series[p]
	return s.usd[s.find(t)]
}

// Capacity returns how many instances of pool p can be held at t, and false if
// the histories do not limit it.
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

// Cost returns what one instance of pool p costs over [from, to), USD.
func (m *Market) Cost(p int, from, to Time) float64 {
	s := &m.series[p]
	return s.costUntil(to, s.find(to)) - s.costUntil(from, s.find(from))
}

// indexPrices cuts the time of the prices into as many stretches as there are
// prices, so that a look-up begins near its end.
func (s *series) indexPrices() {
	n := len(s.priceAt)
	s.width = s.priceAt[n-1]/Time(n) + 1
	s.bucket = make([]int32, n)
	for b := range s.bucket {
		hint := 0
		if b > 0 {
			hint = int(s.bucket[b-1])
		}
		s.bucket[b] = int32(s.priceIndex(Time(b)*s.width, hint))
	}
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
