package sim

import (
	"cmp"
	"slices"
	"sync"
)

// allRecords are the records of a market with its prices, merged when they are first
// wanted: by a policy that watches prices, or by a recorder. Most runs want none, and
// prices are most of a history.
type allRecords struct {
	once sync.Once
	list []record
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
