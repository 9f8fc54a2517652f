package traces

import (
	"cmp"
	"fmt"
	"slices"
)

// dropDuplicatePrices drops exact duplicates, flags repeats and the rows before
// the stated start, and refuses two prices of one pool at one instant.
func (b *build) dropDuplicatePrices() error {
	rows := b.set.Prices
	slices.SortStableFunc(rows, func(x, y PriceRow) int {
		return cmp.Or(cmp.Compare(x.PoolID, y.PoolID), cmp.Compare(x.T, y.T))
	})
	kept := rows[:0]
	for _, r := range rows {
		n := len(kept)
		same := n > 0 && kept[n-1].PoolID == r.PoolID
		if same && kept[n-1].T == r.T {
			if kept[n-1].PriceNanoUSD != r.PriceNanoUSD {
				return b.conflict(kept[n-1], r)
			}
			b.report.Duplicates++
			continue
		}
		r.Heartbeat = same && kept[n-1].PriceNanoUSD == r.PriceNanoUSD
		kept = append(kept, r)
	}
	b.set.Prices = kept
	b.flagPrices()
	return nil
}

func (b *build) conflict(x, y PriceRow) error {
	return &DataError{File: b.sources[y.SrcFile].Path, Line: int(y.SrcRow), Column: 1, Msg: fmt.Sprintf(
		"pool %s costs %s USD/h at %s here and %s at %s:%d, expected one price",
		b.set.Pools[y.PoolID].Name, FormatUSD(y.PriceNanoUSD), stamp(y.T),
		FormatUSD(x.PriceNanoUSD), b.sources[x.SrcFile].Path, x.SrcRow)}
}

// flagPrices counts heartbeats and changes, and marks the rows that carry a
// price into the stated observation.
func (b *build) flagPrices() {
	rows := b.set.Prices
	for i, r := range rows {
		if r.Heartbeat {
			b.report.Heartbeats++
		} else {
			b.report.Changes++
		}
		start := b.opt.Start.UnixMicro()
		last := i+1 == len(rows) || rows[i+1].PoolID != r.PoolID || rows[i+1].T >= start
		rows[i].CarryIn = !b.opt.Start.IsZero() && r.T < start && last
	}
}
