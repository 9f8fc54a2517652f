package formats

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/traces"
)

// dropDuplicateSignals drops exact duplicates. Two values of one signal at one
// instant are refused, unless the later in the files is to hold (SortLastWins).
func (b *Builder) dropDuplicateSignals() error {
	rows := b.set.Signals
	slices.SortStableFunc(rows, func(x, y traces.SignalRow) int {
		return cmp.Or(cmp.Compare(x.PoolID, y.PoolID), cmp.Compare(x.T, y.T), cmp.Compare(x.Name, y.Name))
	})
	kept := rows[:0]
	for _, r := range rows {
		n := len(kept)
		if n == 0 || !sameSignal(&kept[n-1], &r) {
			kept = append(kept, r)
			continue
		}
		switch {
		case signalText(&kept[n-1]) == signalText(&r):
			b.Report.Duplicates++
		case b.Options.Disorder == traces.SortLastWins:
			b.Report.Superseded++
			kept[n-1] = r
		default:
			return &traces.DataError{File: b.SourcePath(r.SrcFile), Line: int(r.SrcRow), Column: 1, Msg: fmt.Sprintf(
				"%s of pool %s at %s is %s here and %s at %s:%d, expected one; the option disorder %q lets the later row hold",
				r.Name, b.set.Pools[r.PoolID].Name, traces.Stamp(r.T), signalText(&r), signalText(&kept[n-1]),
				b.SourcePath(kept[n-1].SrcFile), kept[n-1].SrcRow, traces.SortLastWins)}
		}
	}
	b.set.Signals = kept
	return nil
}

// sameSignal reports whether two rows are of one signal at one instant.
func sameSignal(r, o *traces.SignalRow) bool {
	return r.PoolID == o.PoolID && r.T == o.T && r.Name == o.Name
}

// signalText is the content of a row, for people and for comparison.
func signalText(r *traces.SignalRow) string {
	text := func(x *float64) string {
		if x == nil {
			return "null"
		}
		return fmt.Sprint(*x)
	}
	return fmt.Sprintf("%s (%s to %s) %s", text(r.Value), text(r.Lo), text(r.Hi), r.Unit)
}
