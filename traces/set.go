package traces

import "slices"

// Set is one trace: what was observed of a number of pools. Every table is in
// ascending order of (t, seq).
type Set struct {
	Manifest       Manifest
	Pools          []Pool // pool_id is the index
	Prices         []PriceRow
	Capacity       []CapacityRow
	Probes         []ProbeRow
	InstanceEvents []InstanceEventRow
	Jobs           []JobRow
	Gaps           []GapRow
}

// Counts counts the rows of the tables.
func (s *Set) Counts() RowCounts {
	return RowCounts{
		Pools: len(s.Pools), Prices: len(s.Prices), Capacity: len(s.Capacity),
		Probes: len(s.Probes), InstanceEvents: len(s.InstanceEvents), Jobs: len(s.Jobs),
		Gaps: len(s.Gaps),
	}
}

// PoolNamed returns the number of the pool with a name, -1 if there is none.
func (s *Set) PoolNamed(name string) int {
	return slices.IndexFunc(s.Pools, func(p Pool) bool { return p.Name == name })
}

// RowSpan returns the instants of the first and the last row, us UTC; false if there
// is none.
func (s *Set) RowSpan() (first, last int64, any bool) {
	see := func(t, u int64) {
		if !any {
			first = t
			last = u
			any = true
		}
		first = min(first, t)
		last = max(last, u)
	}
	for _, bounds := range [][2]int64{bounds(s.Prices), bounds(s.Capacity), bounds(s.Probes), bounds(s.InstanceEvents),
		bounds(s.Jobs)} {
		if bounds != nothing {
			see(bounds[0], bounds[1])
		}
	}
	return first, last, any
}

var nothing = [2]int64{1, 0}

// bounds returns the instants of the first and the last of rows in order.
func bounds[T any, R Row[T]](rows []T) [2]int64 {
	if len(rows) == 0 {
		return nothing
	}
	first, _, _ := R(&rows[0]).Key()
	last, _, _ := R(&rows[len(rows)-1]).Key()
	return [2]int64{first, last}
}

// PoolName returns zone/type, with the product where it is not plain Linux;
// empty if one of the first two is not known. Prices that hold in a whole
// region have its name for the zone.
func PoolName(zone, instanceType, product string) string {
	if zone == "" || instanceType == "" {
		return ""
	}
	name := zone + "/" + instanceType
	if product != "" && product != "Linux/UNIX" && product != "Linux" {
		name += "/" + product
	}
	return name
}
