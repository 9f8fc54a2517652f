package formats

import (
	"fmt"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/traces"
)

// AddPrice adds prices. Duplicates are dropped when all files are read.
func (b *Builder) AddPrice(rows ...traces.PriceRow) error {
	for i := range rows {
		b.Report.Rows++
		b.carry(&rows[i])
		b.prices.add(&rows[i])
		if !b.prices.full() {
			continue
		}
		if err := b.Fits(b.SourcePath(rows[i].SrcFile), 0); err != nil {
			return err
		}
		if err := b.prices.empty(b.poolRanks()); err != nil {
			return err
		}
	}
	return nil
}

// PolledPrices says that prices were polled: a change lies between two of them.
func (b *Builder) PolledPrices() { b.prices.polled = true }

// carry notes the rows before the stated start of the observation: the last of
// a pool carries its price in.
func (b *Builder) carry(r *traces.PriceRow) {
	if start := b.Options.Start; start.IsZero() || r.T >= start.UnixMicro() {
		return
	}
	if b.prices.carried == nil {
		b.prices.carried = map[int32]int64{}
	}
	b.prices.carried[r.PoolID] = max(b.prices.carried[r.PoolID], r.T)
}

// settler completes prices, which come in the order of (t, pool). It drops exact
// duplicates, numbers the rows of one instant and flags repeats.
type settler struct {
	b     *Builder
	pools []int32     // new numbers by old
	last  []poolPrice // the rows before, by old number
	held  priceRecord // what came last: a duplicate may follow
	t     int64       // instant of the row before
	seq   int32       // rows of that instant
	crawl *crawl      // nil: prices that were not polled
	dated bool        // a price may have begun since the row before it
	out   []traces.PriceRow
	sink  func([]traces.PriceRow) error
}

// settlePrices hands all prices to sink, a part at a time, when they have their
// place. Two prices of one pool at one instant are refused, unless the later in
// the files is to hold (SortLastWins).
func (b *Builder) settlePrices(pools []int32, sink func([]traces.PriceRow) error) error {
	s := settler{
		b: b, pools: pools, last: make([]poolPrice, len(pools)), t: -1, sink: sink,
		dated: b.prices.polled || len(b.set.Probes) > 0,
	}
	if b.prices.polled {
		s.crawl = &crawl{distances: map[int64]int{}}
	}
	s.held.pool = -1
	if err := b.prices.each(pools, s.take); err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	if s.crawl != nil {
		s.crawl.finish(b)
	}
	return s.flush()
}

// take settles the record before, unless this one is of its pool and instant.
func (s *settler) take(r *priceRecord) error {
	if s.held.pool == r.pool && s.held.t == r.t {
		return s.samePlace(&s.held, r)
	}
	if err := s.settle(); err != nil {
		return err
	}
	s.held = *r
	return nil
}

// samePlace settles a row at the instant of the one kept.
func (s *settler) samePlace(kept, r *priceRecord) error {
	switch {
	case kept.nano == r.nano:
		s.b.Report.Duplicates++
	case s.b.Options.Disorder == traces.SortLastWins:
		s.b.Report.Superseded++
		*kept = *r
	default:
		return s.conflict(kept, r)
	}
	return nil
}

func (s *settler) conflict(x, y *priceRecord) error {
	b := s.b
	return &traces.DataError{File: b.SourcePath(y.srcFile), Line: int(y.srcRow), Column: 1, Msg: fmt.Sprintf(
		"pool %s costs %s USD/h at %s here and %s at %s:%d, expected one price; the option disorder %q lets the "+
			"later row hold",
		b.set.Pools[s.pools[y.pool]].Name, traces.FormatUSD(y.nano), traces.Stamp(y.t),
		traces.FormatUSD(x.nano), b.SourcePath(x.srcFile), x.srcRow, traces.SortLastWins)}
}

// settle completes the record that is held.
func (s *settler) settle() error {
	if s.held.pool < 0 {
		return nil
	}
	row := s.b.prices.row(&s.held)
	last := &s.last[s.held.pool]
	if last.any && s.dated {
		row.UncertainUs = row.T - last.t
	}
	if last.any && s.crawl != nil {
		if err := s.crawl.see(&row, last); err != nil {
			return err
		}
	}
	if row.Heartbeat = last.any && last.nano == row.PriceNanoUSD; row.Heartbeat {
		s.b.Report.Heartbeats++
	} else {
		s.b.Report.Changes++
	}
	before, early := s.b.prices.carried[row.PoolID]
	row.CarryIn = row.CarryIn || early && row.T == before
	*last = poolPrice{row.T, row.PriceNanoUSD, true}
	return s.put(row)
}

// put gives a row its final numbers and hands it on.
func (s *settler) put(row traces.PriceRow) error {
	if row.T != s.t {
		s.t = row.T
		s.seq = 0
	}
	row.Seq = s.seq
	row.PoolID = s.pools[row.PoolID]
	s.seq++
	s.b.prices.kept++
	if s.out = append(s.out, row); len(s.out) < columnar.GroupRows {
		return nil
	}
	return s.flush()
}

func (s *settler) flush() error {
	if len(s.out) == 0 {
		return nil
	}
	err := s.sink(s.out)
	s.out = s.out[:0]
	return err
}
