package traces

// Row is what the tables in order of time have in common: a pointer to a row says
// where the row stands and whose it is.
type Row[T any] interface {
	*T
	Key() (t int64, seq, pool int32)
	SetKey(seq, pool int32)
}

// Key returns t, seq and pool_id.
func (r *PriceRow) Key() (t int64, seq, pool int32) { return r.T, r.Seq, r.PoolID }

// SetKey sets seq and pool_id.
func (r *PriceRow) SetKey(seq, pool int32) {
	r.Seq = seq
	r.PoolID = pool
}

// Key returns t, seq and pool_id.
func (r *CapacityRow) Key() (t int64, seq, pool int32) { return r.T, r.Seq, r.PoolID }

// SetKey sets seq and pool_id.
func (r *CapacityRow) SetKey(seq, pool int32) {
	r.Seq = seq
	r.PoolID = pool
}

// Key returns t, seq and pool_id.
func (r *ProbeRow) Key() (t int64, seq, pool int32) { return r.T, r.Seq, r.PoolID }

// SetKey sets seq and pool_id.
func (r *ProbeRow) SetKey(seq, pool int32) {
	r.Seq = seq
	r.PoolID = pool
}

// Key returns t, seq and pool_id.
func (r *InstanceEventRow) Key() (t int64, seq, pool int32) { return r.T, r.Seq, r.PoolID }

// SetKey sets seq and pool_id.
func (r *InstanceEventRow) SetKey(seq, pool int32) {
	r.Seq = seq
	r.PoolID = pool
}

// Key returns t, seq and 0: jobs belong to no pool.
func (r *JobRow) Key() (t int64, seq, pool int32) { return r.T, r.Seq, 0 }

// SetKey sets seq.
func (r *JobRow) SetKey(seq, _ int32) { r.Seq = seq }
