package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/marigram/marigram/sim/cursor"
)

// NewMarket merges traces that were observed until end, under quotas over several
// pools. It copies what it needs. Errors name the pool, the record and what was expected.
func NewMarket(end Time, traces []Trace, limits ...Limit) (*Market, error) {
	if end <= 0 {
		return nil, fmt.Errorf("market ends at %v us, expected an instant after 0", int64(end))
	}
	if len(traces) == 0 {
		return nil, fmt.Errorf("market has no pools")
	}
	m := &Market{end: end, changes: make([]record, 0, records(traces))}
	names := make(map[string]bool, len(traces))
	for i, h := range traces {
		if h.Name == "" || names[h.Name] {
			return nil, fmt.Errorf("pool %d: name %q is empty or used twice", i, h.Name)
		}
		names[h.Name] = true
		if err := m.add(int32(i), h); err != nil {
			return nil, fmt.Errorf("pool %s: %w", h.Name, err)
		}
	}
	m.order()
	for by := range levels {
		m.groups[by] = group(m.pools, by)
	}
	m.tiers = tiersOf(m.pools)
	if err := m.addLimits(limits); err != nil {
		return nil, err
	}
	return m, nil
}

// order puts the changes in the order in which they take effect, and picks those that
// can affect an instance.
func (m *Market) order() {
	slices.SortFunc(m.changes, inOrder)
	if m.merged == nil {
		m.merged = &allRecords{}
	}
	m.merged.forget()
	for _, r := range m.changes {
		if !r.still {
			m.events = append(m.events, r)
		}
	}
	if len(m.series) >= manyPools && len(m.events) >= manyRecords {
		m.index()
	}
}

// A run in a market of a number of pools and, within it, records passes over those that cannot matter. Where there are
// fewer, to meet one takes less time than to look ahead: some 3 and 30 ns.
const (
	manyPools   = 32
	manyRecords = 4096
)

// index finds out what of the records can matter to whom.
func (m *Market) index() {
	m.ahead.Build(len(m.series), len(m.events), func(i int) cursor.Record {
		r := &m.events[i]
		counts := r.kind == recordCapacity || r.kind == recordWarning
		return cursor.Record{Pool: r.pool, Level: int32(r.value), Offers: r.rise, Always: !counts}
	})
}

// dense reports whether a run from start until end passes over records.
func (m *Market) dense(start, end Time) bool {
	if len(m.series) < manyPools || len(m.events) < manyRecords {
		return false
	}
	first := sort.Search(len(m.events), func(i int) bool { return m.events[i].at > start })
	last := first + manyRecords - 1
	return last < len(m.events) && m.events[last].at < end
}

// addLimits keeps the quotas over several pools, by pool.
func (m *Market) addLimits(limits []Limit) error {
	if len(limits) == 0 {
		return nil
	}
	m.limits, m.limitsOf = slices.Clone(limits), make([][]int32, len(m.pools))
	for i := range m.limits {
		l := &m.limits[i]
		if l.Instances < 0 || len(l.Pools) == 0 {
			return fmt.Errorf("quota %s: %d instances of %d pools, expected at least 0 of at least 1", l.Name, l.Instances, len(l.Pools))
		}
		l.Pools = slices.Clone(l.Pools)
		for _, p := range l.Pools {
			if p < 0 || p >= len(m.pools) || slices.Contains(m.limitsOf[p], int32(i)) {
				return fmt.Errorf("quota %s: pool %d, expected each once, 0 to %d", l.Name, p, len(m.pools)-1)
			}
			m.limitsOf[p] = append(m.limitsOf[p], int32(i))
		}
	}
	return nil
}

// records returns an upper bound on the number of changes of traces.
func records(traces []Trace) (n int) {
	for i := range traces {
		h := &traces[i]
		n += 2 * (len(h.Capacity) + len(h.Nodes)) // a fall has a notice, too
	}
	return n
}

func (m *Market) add(pool int32, h Trace) error {
	if err := h.check(); err != nil {
		return err
	}
	if len(h.Capacity) > 0 && len(h.Nodes) > 0 {
		return fmt.Errorf("has both capacity counts and nodes, expected one of them")
	}
	s := series{entity: NameEntity(h.Name)}
	if err := addPrices(h, &s); err != nil {
		return err
	}
	if err := m.addCapacity(pool, h, &s); err != nil {
		return err
	}
	if err := m.addNodes(pool, h, &s); err != nil {
		return err
	}
	if err := m.addCommitments(h, &s); err != nil {
		return err
	}
	if of := h.Failures; of != nil {
		last := len(m.pools) - 1
		shared := slices.ContainsFunc(m.pools, func(p Pool) bool { return p.Failures == of })
		switch {
		case !of.Whole && (shared || len(h.Nodes) > 0):
			return fmt.Errorf("failures of single machines are expected to be of one pool, without recorded machines")
		case of.Whole && (shared && m.pools[last].Failures != of || len(h.Capacity)+len(h.Nodes) > 0):
			return fmt.Errorf("failures of whole pools are expected to be of pools that follow one another, without a recorded capacity")
		}
		m.fails = true
	}
	m.pools = append(m.pools, h.Pool)
	m.series = append(m.series, s)
	return nil
}

// addCommitments keeps a pool's commitments, and how many instances they cover at each time.
func (m *Market) addCommitments(h Trace, s *series) error {
	for i, c := range h.Commitments {
		if c.Instances < 0 || !finite(c.USDPerHour) || c.USDPerHour < 0 || c.From < 0 || c.Until < c.From {
			return fmt.Errorf("commitment %d: %d instances at %v USD/h from %d us until %d us, expected at least 0 and an end after the start",
				i, c.Instances, c.USDPerHour, int64(c.From), int64(c.Until))
		}
		m.committed = true
		s.coverAt = append(s.coverAt, c.From, c.Until)
	}
	s.commitments = slices.Clone(h.Commitments)
	slices.Sort(s.coverAt)
	s.coverAt = slices.Compact(s.coverAt)
	for _, at := range s.coverAt {
		n := int64(0)
		for _, c := range h.Commitments {
			if c.From <= at && at < c.Until {
				n += int64(c.Instances)
			}
		}
		s.covers = append(s.covers, int32(min(n, math.MaxInt32)))
	}
	return nil
}

func ordered(i int, at, before Time) error {
	if at < 0 {
		return fmt.Errorf("record %d: instant %d us is before the trace began", i, at)
	}
	if at < before {
		return fmt.Errorf("record %d: time goes back from %d us to %d us", i, before, at)
	}
	return nil
}

func addPrices(h Trace, s *series) error {
	if len(h.Prices) == 0 {
		return fmt.Errorf("has no price")
	}
	largest := len(h.Prices)
	s.priceAt, s.usd, s.cum = make([]Time, 0, largest), make([]float64, 0, largest), make([]float64, 0, largest)
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
		if err := s.addPrice(i, at, p.USD); err != nil {
			return err
		}
	}
	s.indexPrices()
	return nil
}

// addPrice adds the i-th price record.
func (s *series) addPrice(i int, at Time, usd float64) error {
	n := len(s.usd)
	switch {
	case !finite(usd) || usd < 0:
		return fmt.Errorf("price record %d: %v USD/h, expected a finite number, at least 0", i, usd)
	case n > 0 && s.usd[n-1] == usd:
		return nil // the price did not change
	case n > 0 && at == s.priceAt[n-1]: // the last record of an instant holds
		s.usd[n-1] = usd
		return nil
	}
	cum := 0.0
	if n > 0 {
		cum = s.cum[n-1] + s.usd[n-1]*float64(at-s.priceAt[n-1])/microsecondsPerHour
	}
	s.priceAt, s.usd, s.cum = append(s.priceAt, at), append(s.usd, usd), append(s.cum, cum)
	return nil
}

func (m *Market) addCapacity(pool int32, h Trace, s *series) error {
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
		m.changes = append(m.changes, record{at: at, pool: pool, kind: recordCapacity, value: float64(s.cap[i]), still: still,
			rise: i == 0 || s.cap[i] > s.cap[i-1]})
		fall := i > 0 && s.cap[i] < s.cap[i-1]
		if warn := at.Add(-h.Notice); fall && h.Notice > 0 && warn >= 0 {
			m.changes = append(m.changes, record{at: warn, pool: pool, kind: recordWarning, value: float64(s.cap[i]), still: int(s.cap[i]) >= h.Quota})
		}
	}
	return nil
}

func (m *Market) addNodes(pool int32, h Trace, s *series) error {
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

func (m *Market) addNodeRecords(pool int32, h Trace, e NodeEvent) {
	r := record{at: e.At, pool: pool, kind: recordNodeDown, value: float64(e.Node)}
	if e.Up {
		r.kind = recordNodeUp
	}
	m.changes = append(m.changes, r)
	if warn := e.At.Add(-h.Notice); !e.Up && h.Notice > 0 && warn >= 0 {
		m.changes = append(m.changes, record{at: warn, pool: pool, kind: recordNodeWarning, value: float64(e.Node)})
	}
}

// forget has them merged again, in the same memory. It is for one goroutine.
func (a *allRecords) forget() { a.once = sync.Once{} }

// all returns all records in the order in which they take effect, the prices of
// imagined futures from there on only.
func (m *Market) all() []record {
	a := m.merged
	a.once.Do(func() {
		a.list = slices.Grow(a.list[:0], m.Records())
		for p := range m.series {
			s := &m.series[p]
			for i := s.known; i < len(s.usd); i++ {
				a.list = append(a.list, record{at: s.priceAt[i], pool: int32(p), kind: recordPrice, value: s.usd[i]})
			}
		}
		a.list = append(a.list, m.changes...)
		slices.SortFunc(a.list, inOrder)
	})
	return a.list
}

// inOrder compares records: by what takes effect first.
func inOrder(a, b record) int {
	if a.at != b.at { // as nearly always
		return cmp.Compare(a.at, b.at)
	}
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.pool, b.pool), cmp.Compare(a.value, b.value))
}

// Granting returns a market with the pools and prices of m until end, in which it is known what
// was granted: the n-th instance that is granted in pool p is lives[p][n], in the order of their
// grants. There is room for it from its grant on, and it is ready, under notice and gone when it
// says; nothing of that is drawn, and nothing else is granted. A job that reaches its goal stays
// active and trains no further. It is for a run that follows a past, up to the instant from
// which futures are imagined (View.Future, View.Imagine). Errors name pool and instance.
func (m *Market) Granting(lifetimes [][]Life, end Time) (*Market, error) {
	if len(lifetimes) != len(m.pools) || end <= 0 {
		return nil, fmt.Errorf("lifetimes of %d pools until %d us, expected %d pools and an end after 0", len(lifetimes), int64(end), len(m.pools))
	}
	out := &Market{
		end: end, pools: m.pools, groups: m.groups, limits: m.limits, limitsOf: m.limitsOf, tiers: m.tiers,
		committed: m.committed, fails: m.fails, granting: true,
	}
	for p := range m.series {
		s := m.series[p]
		s.capAt, s.cap, s.nodes, s.lifetimes = nil, nil, nil, append([]Life{}, lifetimes[p]...)
		out.series = append(out.series, s)
		last := Time(0)
		for n, l := range s.lifetimes {
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
