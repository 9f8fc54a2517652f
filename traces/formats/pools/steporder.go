package pools

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// steps reads counts of running machines.
type steps struct{ counter }

// countLines reads the counts of a file. Rows that go back in time are counted,
// and refused unless a policy says what to do with them.
func (b *steps) countLines(s *read.Source, pool int32,
	parse func(read.Line) (traces.CapacityRow, error)) ([]traces.CapacityRow, error) {
	var rows []traces.CapacityRow
	for l := range s.Records() {
		r, err := parse(l)
		if err != nil {
			return nil, err
		}
		r.PoolID = pool
		if n := len(rows); n > 0 && r.T < rows[n-1].T {
			b.Report.OutOfOrder++
			if b.Options.Disorder == traces.Strict {
				return nil, l.ErrorAt(1, "time goes back from %s (line %d) to %s; the option disorder (--disorder; "+
					"disorder in a spec) %q or %q accepts it", traces.Stamp(rows[n-1].T), rows[n-1].SrcRow, traces.Stamp(r.T),
					traces.FileOrder, traces.SortLastWins)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// settleDisorder puts rows in order of time by the chosen policy.
func (b *steps) settleDisorder(rows []traces.CapacityRow) []traces.CapacityRow {
	switch b.Options.Disorder {
	case traces.FileOrder:
		for i := 1; i < len(rows); i++ {
			rows[i].T = max(rows[i].T, rows[i-1].T)
		}
	case traces.SortLastWins:
		slices.SortStableFunc(rows, func(x, y traces.CapacityRow) int { return cmp.Compare(x.T, y.T) })
		rows = b.lastOfInstant(rows)
	}
	return rows
}

// lastOfInstant keeps the last of the rows of each instant.
func (b *steps) lastOfInstant(rows []traces.CapacityRow) []traces.CapacityRow {
	kept := rows[:0]
	for _, r := range rows {
		if n := len(kept); n > 0 && kept[n-1].T == r.T {
			kept[n-1] = r
			b.Report.Superseded++
			b.Report.Rows++ // the others are counted where they are added
			continue
		}
		kept = append(kept, r)
	}
	return kept
}
