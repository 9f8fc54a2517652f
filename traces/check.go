package traces

import (
	"fmt"
)

// Check reports the first thing that is wrong with the set: rows out of order
// or of a pool that is not there, negative counts and prices, and a manifest
// that counts other rows.
func (s *Set) Check() error { return s.check(nil) }

// check is Check of a set whose prices are kept, or were read apart.
func (s *Set) check(apart *rowOrder) error {
	if err := s.checkPools(); err != nil {
		return err
	}
	n := len(s.Pools)
	for _, err := range []error{
		checkRows("prices", s.Prices, n), checkRows("capacity", s.Capacity, n),
		checkRows("instance_events", s.InstanceEvents, n), checkRows("probes", s.Probes, n),
		checkRows("jobs", s.Jobs, max(n, 1)), checkPrices(s.Prices), s.checkValues(), s.checkGaps(),
	} {
		if err != nil {
			return err
		}
	}
	got := s.Counts()
	if apart != nil {
		got.Prices = apart.rows
	}
	if got != s.Manifest.Rows {
		return fmt.Errorf("manifest counts %+v rows, the tables have %+v", s.Manifest.Rows, got)
	}
	return s.checkSpan(apart)
}

// checkRows reports rows that are out of order or belong to no pool.
func checkRows[T any, R Row[T]](table string, rows []T, pools int) error {
	o := rowOrder{table: table, pools: pools}
	for i := range rows {
		if err := o.next(R(&rows[i]).Key()); err != nil {
			return err
		}
	}
	return nil
}

// rowOrder checks the keys of a table row by row.
type rowOrder struct {
	table string
	pools int
	rows  int // that were checked
	t     int64
	seq   int32 // of the last, as t is
}

// next checks the next row.
func (o *rowOrder) next(t int64, seq, pool int32) error {
	switch {
	case pool < 0 || int(pool) >= o.pools:
		return fmt.Errorf("%s row %d: pool_id %d, expected 0 to %d", o.table, o.rows, pool, o.pools-1)
	case t < minInstant || t > MaxInstant:
		return fmt.Errorf("%s row %d: t %d us, expected %d to %d", o.table, o.rows, t, minInstant, MaxInstant)
	case o.rows > 0 && (t < o.t || t == o.t && seq <= o.seq):
		return fmt.Errorf("%s row %d: (t, seq) (%d, %d) after (%d, %d), expected ascending order",
			o.table, o.rows, t, seq, o.t, o.seq)
	}
	o.rows++
	o.t = t
	o.seq = seq
	return nil
}

func (s *Set) checkSpan(apart *rowOrder) error {
	m := &s.Manifest
	if m.TEndUs < m.TStartUs {
		return fmt.Errorf("manifest: observation ends at %d us, before its start at %d us", m.TEndUs, m.TStartUs)
	}
	if m.TStartUs < minInstant || m.TEndUs > MaxInstant || m.SamplingUs < 0 || m.SamplingUs > MaxInstant {
		return fmt.Errorf("manifest: observation from %d us to %d us every %d us, expected %d to %d",
			m.TStartUs, m.TEndUs, m.SamplingUs, minInstant, MaxInstant)
	}
	_, last, any := s.RowSpan()
	if apart != nil && apart.rows > 0 {
		last = max(last, apart.t)
		any = true
	}
	if any && last > m.TEndUs {
		return fmt.Errorf("manifest: observation ends at %d us, before the last row at %d us", m.TEndUs, last)
	}
	return nil
}

func (s *Set) checkPools() error {
	names := make(map[string]bool, len(s.Pools))
	for i, p := range s.Pools {
		if int(p.PoolID) != i {
			return fmt.Errorf("pools row %d: pool_id %d, expected %d", i, p.PoolID, i)
		}
		if p.Name == "" || names[p.Name] {
			return fmt.Errorf("pools row %d: name %q is empty or used twice", i, p.Name)
		}
		if p.GPUCount < 0 || p.OnDemandNano != nil && (*p.OnDemandNano < 0 || *p.OnDemandNano > MaxPriceNano) {
			return fmt.Errorf("pools row %d (%s): GPU count or on-demand price out of range", i, p.Name)
		}
		names[p.Name] = true
	}
	return nil
}

func checkPrices(rows []PriceRow) error {
	for i := range rows {
		if err := checkPrice(i, rows[i].PriceNanoUSD); err != nil {
			return err
		}
	}
	return nil
}

func checkPrice(row int, nano int64) error {
	if nano < 0 || nano > MaxPriceNano {
		return fmt.Errorf("prices row %d: %d nano-USD/h, expected 0 to %d", row, nano, int64(MaxPriceNano))
	}
	return nil
}

func (s *Set) checkValues() error {
	for i, r := range s.Capacity {
		if r.Available < 0 || r.Available > r.Cap {
			return fmt.Errorf("capacity row %d: %d available of cap %d, expected 0 to cap", i, r.Available, r.Cap)
		}
	}
	for i, r := range s.Probes {
		endsWrongly := r.TEnd != nil && (*r.TEnd < r.T || *r.TEnd > MaxInstant)
		if r.Fulfilled < 0 || r.Fulfilled > r.Requested || endsWrongly {
			return fmt.Errorf("probes row %d: %d of %d machines, "+
				"expected 0 to those requested, and an end after the start", i, r.Fulfilled, r.Requested)
		}
	}
	for i, r := range s.Jobs {
		negative := r.DurationUs != nil && *r.DurationUs < 0 || r.QueueUs != nil && *r.QueueUs < 0
		if !(r.GPUs >= 0 && r.GPUs <= MaxMachines) || negative {
			return fmt.Errorf("jobs row %d: %v GPUs, expected 0 to %d, or a negative duration or queue",
				i, r.GPUs, MaxMachines)
		}
	}
	return nil
}

func (s *Set) checkGaps() error {
	for i, g := range s.Gaps {
		if g.PoolID < 0 || int(g.PoolID) >= len(s.Pools) {
			return fmt.Errorf("gaps row %d: pool_id %d, expected 0 to %d", i, g.PoolID, len(s.Pools)-1)
		}
		if g.TEnd <= g.TStart || g.TStart < minInstant || g.TEnd > MaxInstant {
			return fmt.Errorf("gaps row %d: from %d us to %d us, expected to end after it starts", i, g.TStart, g.TEnd)
		}
	}
	return nil
}
