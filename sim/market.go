package sim

import (
	"cmp"
	"fmt"
	"slices"
)

// Market is a set of histories, merged once into sorted columns that any number of
// runs share. It never changes after NewMarket.
type Market struct {
	pools  []Pool
	series []series
	end    Time

	events []record // what can affect an instance: nodes, and capacity below the quota
	full   []record // all, prices included, for policies that watch prices and for recorders
}

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

// Cost returns what one instance of pool p costs over [from, to), USD.
func (m *Market) Cost(p int, from, to Time) float64 {
	s := &m.series[p]
	return s.costUntil(to, s.find(to)) - s.costUntil(from, s.find(from))
}
