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
	Signals        []SignalRow
	Jobs           []JobRow
	Gaps           []GapRow
}

// row is what the event tables have in common.
type row[T any] interface {
	*T
	key() (t int64, seq, pool int32)
	setKey(seq, pool int32)
}

func (r *PriceRow) key() (int64, int32, int32)         { return r.T, r.Seq, r.PoolID }
func (r *CapacityRow) key() (int64, int32, int32)      { return r.T, r.Seq, r.PoolID }
func (r *InstanceEventRow) key() (int64, int32, int32) { return r.T, r.Seq, r.PoolID }
func (r *ProbeRow) key() (int64, int32, int32)         { return r.T, r.Seq, r.PoolID }
func (r *SignalRow) key() (int64, int32, int32)        { return r.T, r.Seq, r.PoolID }
func (r *JobRow) key() (int64, int32, int32)           { return r.T, r.Seq, 0 }
func (r *ProbeRow) setKey(seq, pool int32)             { r.Seq, r.PoolID = seq, pool }
func (r *SignalRow) setKey(seq, pool int32)            { r.Seq, r.PoolID = seq, pool }
func (r *JobRow) setKey(seq, _ int32)                  { r.Seq = seq }
func (r *PriceRow) setKey(seq, pool int32)             { r.Seq, r.PoolID = seq, pool }
func (r *CapacityRow) setKey(seq, pool int32)          { r.Seq, r.PoolID = seq, pool }
func (r *InstanceEventRow) setKey(seq, pool int32)     { r.Seq, r.PoolID = seq, pool }

// order gives the rows their final pool numbers, sorts them by (t, pool),
// keeping the order in which a pool's rows came, and numbers those of one t.
func order[T any, R row[T]](rows []T, pools []int32) {
	for i := range rows {
		_, _, p := R(&rows[i]).key()
		R(&rows[i]).setKey(0, pools[p])
	}
	copy(rows, sorted(rows, func(r *T) (int64, int64) {
		t, _, p := R(r).key()
		return t, int64(p)
	}))
	var last int64
	var seq int32
	for i := range rows {
		t, _, p := R(&rows[i]).key()
		if i == 0 || t != last {
			seq = 0
		}
		R(&rows[i]).setKey(seq, p)
		last, seq = t, seq+1
	}
}

func (s *Set) counts() RowCounts {
	return RowCounts{
		Pools: len(s.Pools), Prices: len(s.Prices), Capacity: len(s.Capacity),
		Probes: len(s.Probes), InstanceEvents: len(s.InstanceEvents), Signals: len(s.Signals), Jobs: len(s.Jobs), Gaps: len(s.Gaps),
	}
}

// rows returns the number of rows that say something of an instant.
func (s *Set) rows() int {
	return s.counts().events()
}

// PoolNamed returns the number of the pool with a name, -1 if there is none.
func (s *Set) PoolNamed(name string) int {
	return slices.IndexFunc(s.Pools, func(p Pool) bool { return p.Name == name })
}
