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
	market := &Market{end: end, changes: make([]record, 0, records(traces))}
	names := make(map[string]bool, len(traces))
	for i, trace := range traces {
		if trace.Name == "" || names[trace.Name] {
			return nil, fmt.Errorf("pool %d: name %q is empty or used twice", i, trace.Name)
		}
		names[trace.Name] = true
		if err := market.add(int32(i), trace); err != nil {
			return nil, fmt.Errorf("pool %s: %w", trace.Name, err)
		}
	}
	market.order()
	market.before = &before{pools: market.pools, series: market.series}
	for by := range levels {
		market.groups[by] = group(market.pools, by)
	}
	market.tiers = tiersOf(market.pools)
	if err := market.addLimits(limits); err != nil {
		return nil, err
	}
	return market, nil
}

// order puts the changes in the order in which they take effect, and picks those that
// can affect an instance.
func (m *Market) order() {
	slices.SortFunc(m.changes, inOrder)
	if m.merged == nil {
		m.merged = &allRecords{}
	}
	m.merged.forget()
	for _, change := range m.changes {
		if !change.still {
			m.events = append(m.events, change)
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
		change := &m.events[i]
		counts := change.kind == recordCapacity || change.kind == recordWarning
		return cursor.Record{Pool: change.pool, Level: int32(change.value), Offers: change.rise, Always: !counts}
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
	m.limits = slices.Clone(limits)
	m.limitsOf = make([][]int32, len(m.pools))
	for i := range m.limits {
		limit := &m.limits[i]
		if limit.Instances < 0 || len(limit.Pools) == 0 {
			return fmt.Errorf("quota %s: %d instances of %d pools, expected at least 0 of at least 1",
				limit.Name, limit.Instances, len(limit.Pools))
		}
		limit.Pools = slices.Clone(limit.Pools)
		for _, p := range limit.Pools {
			if p < 0 || p >= len(m.pools) || slices.Contains(m.limitsOf[p], int32(i)) {
				return fmt.Errorf("quota %s: pool %d, expected each once, 0 to %d", limit.Name, p, len(m.pools)-1)
			}
			m.limitsOf[p] = append(m.limitsOf[p], int32(i))
		}
	}
	return nil
}

// records returns an upper bound on the number of changes of traces.
func records(traces []Trace) (n int) {
	for i := range traces {
		trace := &traces[i]
		n += 2 * (len(trace.Capacity) + len(trace.Nodes)) // a fall has a notice, too
	}
	return n
}

// add adds a pool with its trace.
func (m *Market) add(pool int32, trace Trace) error {
	if err := trace.check(); err != nil {
		return err
	}
	if len(trace.Capacity) > 0 && len(trace.Nodes) > 0 {
		return fmt.Errorf("has both capacity counts and nodes, expected one of them")
	}
	columns := series{entity: NameEntity(trace.Name), recorded: trace.Recorded && len(trace.Capacity) > 0}
	if err := columns.addPrices(trace.Prices); err != nil {
		return err
	}
	if err := m.addCapacity(pool, trace, &columns); err != nil {
		return err
	}
	if err := m.addNodes(pool, trace, &columns); err != nil {
		return err
	}
	if err := m.addCommitments(trace.Commitments, &columns); err != nil {
		return err
	}
	if trace.Failures != nil {
		if err := m.checkFailures(trace); err != nil {
			return err
		}
		m.fails = true
	}
	if law := trace.Slow; law != nil {
		if m.slows && law.MicroBatches != m.microBatches {
			return fmt.Errorf("slow: %d micro-batches, expected %d as of the pools before: a job has its steps on all",
				law.MicroBatches, m.microBatches)
		}
		m.slows = true
		m.microBatches = law.MicroBatches
	}
	m.pools = append(m.pools, trace.Pool)
	m.series = append(m.series, columns)
	return nil
}

// checkFailures checks the machines of a pool that fail against those of the pools before.
func (m *Market) checkFailures(trace Trace) error {
	law := trace.Failures
	last := len(m.pools) - 1
	shared := slices.ContainsFunc(m.pools, func(p Pool) bool { return p.Failures == law })
	switch {
	case !law.Whole && (shared || len(trace.Nodes) > 0):
		return fmt.Errorf("failures of single machines are expected to be of one pool, without recorded machines")
	case law.Whole && (shared && m.pools[last].Failures != law || len(trace.Capacity)+len(trace.Nodes) > 0):
		return fmt.Errorf("failures of whole pools are expected to be of pools that follow one another, " +
			"without a recorded capacity")
	}
	return nil
}

// addCommitments keeps a pool's commitments, and how many instances they cover at each time.
func (m *Market) addCommitments(commitments []Commitment, to *series) error {
	for i := range commitments {
		if err := commitments[i].check(); err != nil {
			return fmt.Errorf("commitment %d: %w", i, err)
		}
		m.committed = true
		to.coverAt = append(to.coverAt, commitments[i].From, commitments[i].Until)
	}
	to.commitments = slices.Clone(commitments)
	slices.Sort(to.coverAt)
	to.coverAt = slices.Compact(to.coverAt)
	for _, at := range to.coverAt {
		covered := int64(0)
		for _, commitment := range commitments {
			if commitment.From <= at && at < commitment.Until {
				covered += int64(commitment.Instances)
			}
		}
		to.covers = append(to.covers, int32(min(covered, math.MaxInt32)))
	}
	return nil
}

func (c *Commitment) check() error {
	if c.Instances < 0 || !finite(c.USDPerHour) || c.USDPerHour < 0 || c.From < 0 || c.Until < c.From {
		return fmt.Errorf("%d instances at %v USD/h from %d us until %d us, "+
			"expected at least 0 and an end after the start",
			c.Instances, c.USDPerHour, int64(c.From), int64(c.Until))
	}
	return nil
}

// ordered checks the instant of the i-th record against that of the record before.
func ordered(i int, at, before Time) error {
	if at < 0 {
		return fmt.Errorf("record %d: instant %d us is before the trace began", i, at)
	}
	if at < before {
		return fmt.Errorf("record %d: time goes back from %d us to %d us", i, before, at)
	}
	return nil
}

// addPrices adds the prices of a trace. The first holds from the beginning of the market.
func (s *series) addPrices(prices []Price) error {
	if len(prices) == 0 {
		return fmt.Errorf("has no price")
	}
	s.priceAt = make([]Time, 0, len(prices))
	s.usd = make([]float64, 0, len(prices))
	s.cum = make([]float64, 0, len(prices))
	last := Time(0)
	for i, price := range prices {
		if err := ordered(i, price.At, last); err != nil {
			return fmt.Errorf("price %w", err)
		}
		last = price.At
		at := price.At
		if i == 0 {
			at = 0
		}
		if err := s.addPrice(i, at, price.USD); err != nil {
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
	s.priceAt = append(s.priceAt, at)
	s.usd = append(s.usd, usd)
	s.cum = append(s.cum, cum)
	return nil
}

// addCapacity adds the capacity of a trace, with a warning one notice ahead of each fall.
func (m *Market) addCapacity(pool int32, trace Trace, to *series) error {
	if err := to.addCapacity(trace.Capacity); err != nil {
		return err
	}
	for i, at := range to.capAt {
		level := to.cap[i]
		aboveQuota := int(level) >= trace.Quota
		change := record{at: at, pool: pool, kind: recordCapacity, value: float64(level), rise: true}
		fall := false
		if i > 0 {
			before := to.cap[i-1]
			change.still = aboveQuota && int(before) >= trace.Quota
			change.rise = level > before
			fall = level < before
		}
		m.changes = append(m.changes, change)
		warn := at.Add(-trace.Notice)
		if fall && trace.Notice > 0 && warn >= 0 {
			m.changes = append(m.changes, record{
				at: warn, pool: pool, kind: recordWarning, value: float64(level), still: aboveQuota,
			})
		}
	}
	return nil
}

// addCapacity adds capacities, without those that change nothing. Of an instant the last holds.
func (s *series) addCapacity(capacities []Capacity) error {
	last := Time(0)
	for i, capacity := range capacities {
		if err := ordered(i, capacity.At, last); err != nil {
			return fmt.Errorf("capacity %w", err)
		}
		last = capacity.At
		if capacity.N < 0 || capacity.N > math.MaxInt32 {
			return fmt.Errorf("capacity record %d: %d instances, expected 0 to 2^31-1", i, capacity.N)
		}
		n := len(s.cap)
		switch {
		case n > 0 && s.cap[n-1] == int32(capacity.N):
			continue
		case n > 0 && capacity.At == s.capAt[n-1]:
			s.cap[n-1] = int32(capacity.N)
			continue
		}
		s.capAt = append(s.capAt, capacity.At)
		s.cap = append(s.cap, int32(capacity.N))
	}
	return nil
}

// addNodes adds the machines of a recorded fleet, each in its slot.
func (m *Market) addNodes(pool int32, trace Trace, to *series) error {
	var before Time
	for i, event := range trace.Nodes {
		if err := ordered(i, event.At, before); err != nil {
			return fmt.Errorf("node %w", err)
		}
		before = event.At
		if event.Node < 0 || event.Node >= 1<<20 {
			return fmt.Errorf("node record %d: slot %d, expected 0 to 2^20-1", i, event.Node)
		}
		for len(to.nodes) <= event.Node {
			to.nodes = append(to.nodes, nil)
		}
		spans := to.nodes[event.Node]
		n := len(spans)
		isUp := n > 0 && spans[n-1].down == Never
		if isUp == event.Up {
			return fmt.Errorf("node record %d: slot %d goes to the state (up: %v) that it has", i, event.Node, event.Up)
		}
		if event.Up {
			if n > 0 && spans[n-1].down == event.At {
				return fmt.Errorf("node record %d: slot %d comes at the instant at which it went; use another slot",
					i, event.Node)
			}
			spans = append(spans, span{up: event.At, down: Never})
		} else {
			spans[n-1].down = event.At
		}
		to.nodes[event.Node] = spans
		m.addNodeRecords(pool, trace, event)
	}
	return nil
}

// addNodeRecords adds what happens to a machine, with a warning one notice before it goes.
func (m *Market) addNodeRecords(pool int32, trace Trace, event NodeEvent) {
	change := record{at: event.At, pool: pool, kind: recordNodeDown, value: float64(event.Node)}
	if event.Up {
		change.kind = recordNodeUp
	}
	m.changes = append(m.changes, change)
	warn := event.At.Add(-trace.Notice)
	if !event.Up && trace.Notice > 0 && warn >= 0 {
		m.changes = append(m.changes, record{at: warn, pool: pool, kind: recordNodeWarning, value: float64(event.Node)})
	}
}

// forget has them merged again, in the same memory. It is for one goroutine.
func (a *allRecords) forget() { a.once = sync.Once{} }

// all returns all records in the order in which they take effect, the prices of
// imagined futures from there on only.
func (m *Market) all() []record {
	merged := m.merged
	merged.once.Do(func() {
		merged.list = slices.Grow(merged.list[:0], m.Records())
		for p := range m.series {
			series := &m.series[p]
			for i := series.known; i < len(series.usd); i++ {
				price := record{at: series.priceAt[i], pool: int32(p), kind: recordPrice, value: series.usd[i]}
				merged.list = append(merged.list, price)
			}
		}
		merged.list = append(merged.list, m.changes...)
		slices.SortFunc(merged.list, inOrder)
	})
	return merged.list
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
		return nil, fmt.Errorf("lifetimes of %d pools until %d us, expected %d pools and an end after 0",
			len(lifetimes), int64(end), len(m.pools))
	}
	out := &Market{
		end: end, pools: m.pools, groups: m.groups, limits: m.limits, limitsOf: m.limitsOf, tiers: m.tiers,
		committed: m.committed, fails: m.fails, granting: true, before: m.before,
	}
	for p := range m.series {
		series := m.series[p]
		series.capAt = nil
		series.cap = nil
		series.nodes = nil
		series.lifetimes = append([]Life{}, lifetimes[p]...)
		out.series = append(out.series, series)
		last := Time(0)
		for n, life := range series.lifetimes {
			if err := life.checkAfter(last); err != nil {
				return nil, fmt.Errorf("pool %s: instance %d: %w", m.pools[p].Name, n, err)
			}
			last = life.Granted
			out.addLife(int32(p), n, life)
		}
	}
	out.order()
	return out, nil
}

// checkAfter checks an instance that is granted after another one.
func (l *Life) checkAfter(last Time) error {
	inOrder := l.Granted >= last && l.Ready >= l.Granted && l.Noticed >= l.Granted && l.Gone >= l.Granted
	if !inOrder || l.Noticed > l.Gone && l.Noticed != Never {
		return fmt.Errorf("granted %d us, ready %d us, under notice %d us, gone %d us; "+
			"expected this order, and grants in theirs",
			int64(l.Granted), int64(l.Ready), int64(l.Noticed), int64(l.Gone))
	}
	return nil
}

// addLife adds what became of the n-th instance that is granted in a pool.
func (m *Market) addLife(pool int32, n int, life Life) {
	m.changes = append(m.changes, record{at: life.Granted, pool: pool, kind: recordLifeGranted})
	switch {
	case life.Noticed != Never:
		m.changes = append(m.changes, record{at: life.Noticed, pool: pool, kind: recordLifeNoticed, value: float64(n)})
	case life.Gone != Never:
		m.changes = append(m.changes, record{at: life.Gone, pool: pool, kind: recordLifeGone, value: float64(n)})
	}
}
