package traces

import (
	"reflect"
	"testing"
)

// What was known is the same whatever came later: rows, pools and gaps.
func TestUntil(t *testing.T) {
	set := func(later bool) *Set {
		s := &Set{Manifest: Manifest{TStartUs: 0, TEndUs: 100}, Pools: []Pool{{PoolID: 0, Name: "late"}, {PoolID: 1, Name: "a"}, {PoolID: 2, Name: "b"}},
			Prices:   []PriceRow{{T: 5, PoolID: 1, PriceNanoUSD: 7}, {T: 10, PoolID: 2, PriceNanoUSD: 8}},
			Capacity: []CapacityRow{{T: 1, PoolID: 2, Available: 1, Cap: 9}, {T: 10, PoolID: 2, Available: 3, Cap: 9}},
			Gaps:     []GapRow{{PoolID: 1, TStart: 2, TEnd: 4}}}
		if later {
			s.Prices = append(s.Prices, PriceRow{T: 11, PoolID: 0, PriceNanoUSD: 1}, PriceRow{T: 12, PoolID: 1, PriceNanoUSD: 1})
			s.Capacity = append(s.Capacity, CapacityRow{T: 11, PoolID: 2, Available: 16, Cap: 16})
			s.Gaps = append(s.Gaps, GapRow{PoolID: 1, TStart: 6, TEnd: 12})
			s.Manifest.TEndUs = 1000
		}
		return s
	}
	long, short := set(true), set(false)
	got, want := long.Until(10), short.Until(10)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\n%+v", got, want)
	}
	if len(got.Pools) != 2 || got.Pools[1].Name != "b" || got.Pools[1].PoolID != 1 || got.Prices[1].PoolID != 1 || got.Manifest.TEndUs != 11 ||
		len(got.Gaps) != 1 {
		t.Errorf("%+v", got)
	}
	if c := got.Capacity[1]; c.Cap != 3 || !c.Censored || got.Capacity[0].Censored {
		t.Errorf("%+v, expected the most that was seen", got.Capacity)
	}
	if !reflect.DeepEqual(long, set(true)) {
		t.Error("the whole set is another one")
	}
	if len(long.Until(0).Pools) != 0 {
		t.Error("pools of which nothing is known")
	}
}
