package traces

import (
	"fmt"
	"slices"
)

// dropDuplicatePrices drops exact duplicates, flags repeats and the rows before
// the stated start. Two prices of one pool at one instant are refused, unless
// the later in the files is to hold (SortLastWins).
func (b *build) dropDuplicatePrices() error {
	rows := sorted(b.set.Prices, func(r *PriceRow) (int64, int64) { return int64(r.PoolID), r.T })
	kept := rows[:0]
	for _, r := range rows {
		if n := len(kept); n > 0 && kept[n-1].PoolID == r.PoolID && kept[n-1].T == r.T {
			if err := b.samePlace(&kept[n-1], r); err != nil {
				return err
			}
			continue
		}
		kept = append(kept, r)
	}
	b.set.Prices = kept
	if b.crawled {
		b.settleCrawl()
	}
	b.flagPrices()
	return nil
}

// samePlace settles a row at the instant of the one kept.
func (b *build) samePlace(kept *PriceRow, r PriceRow) error {
	switch {
	case kept.PriceNanoUSD == r.PriceNanoUSD:
		b.report.Duplicates++
	case b.opt.Disorder == SortLastWins:
		b.report.Superseded++
		*kept = r
	default:
		return b.conflict(*kept, r)
	}
	return nil
}

func (b *build) conflict(x, y PriceRow) error {
	return &DataError{File: b.sources[y.SrcFile].Path, Line: int(y.SrcRow), Column: 1, Msg: fmt.Sprintf(
		"pool %s costs %s USD/h at %s here and %s at %s:%d, expected one price; the option disorder %q lets the later row hold",
		b.set.Pools[y.PoolID].Name, FormatUSD(y.PriceNanoUSD), stamp(y.T),
		FormatUSD(x.PriceNanoUSD), b.sources[x.SrcFile].Path, x.SrcRow, SortLastWins)}
}

// crawlNoise is how far two prices of a crawl may be apart and still be one, in
// nano-USD: sums of binary floating point numbers.
const crawlNoise = 1000

// settleCrawl completes prices that were polled: a change is known only to lie
// between the row before and its own, and a difference within the noise is none.
func (b *build) settleCrawl() {
	noisy := 0
	var distances []int64
	rows := b.set.Prices
	for i := 1; i < len(rows); i++ {
		last, r := &rows[i-1], &rows[i]
		if last.PoolID != r.PoolID {
			continue
		}
		r.UncertainUs = r.T - last.T
		distances = append(distances, r.UncertainUs)
		if d := r.PriceNanoUSD - last.PriceNanoUSD; d != 0 && -crawlNoise < d && d < crawlNoise {
			r.PriceNanoUSD = last.PriceNanoUSD
			noisy++
		}
	}
	if len(distances) > 0 && b.sampling == 0 {
		slices.Sort(distances)
		b.sampling = distances[len(distances)/2]
	}
	if noisy > 0 {
		b.notef("%d prices within 0.000001 USD of the one before: taken as the same", noisy)
	}
}

// flagPrices marks and counts heartbeats and changes, and marks the rows that carry a
// price into the stated observation.
func (b *build) flagPrices() {
	rows := b.set.Prices
	for i, r := range rows {
		rows[i].Heartbeat = i > 0 && rows[i-1].PoolID == r.PoolID && rows[i-1].PriceNanoUSD == r.PriceNanoUSD
		if rows[i].Heartbeat {
			b.report.Heartbeats++
		} else {
			b.report.Changes++
		}
		start := b.opt.Start.UnixMicro()
		last := i+1 == len(rows) || rows[i+1].PoolID != r.PoolID || rows[i+1].T >= start
		rows[i].CarryIn = r.CarryIn || !b.opt.Start.IsZero() && r.T < start && last
	}
}
