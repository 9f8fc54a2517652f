package traces

import (
	"cmp"
	"regexp"
	"slices"
	"time"
)

var stepCountLine = regexp.MustCompile(`^\d{4}-\d\d-\d\d\s*,\s*\d\d:\d\d:\d\d\s*,\s*\d+\s*$`)

// stepCounts reads counts of running machines with a calendar time.
var stepCounts = importer{
	Format: Format{
		Name:    "step-counts",
		What:    "lines `date, time, count`, one pool a file (Bamboo's gcloud logs): machines running, times without a zone taken as UTC; the option disorder says what to do with rows that go back in time",
		Example: "2021-12-10, 13:07:45, 80",
	},
	version: 1,
	recognise: func(s *source) bool {
		for l := range s.lines() {
			return stepCountLine.MatchString(l.text)
		}
		return false
	},
	read: readStepCounts,
}

func readStepCounts(s *source, b *build) error {
	pool, err := b.filePool(s)
	if err != nil {
		return err
	}
	var rows []CapacityRow
	for l := range s.lines() {
		r, err := b.stepCount(l)
		if err != nil {
			return err
		}
		r.PoolID = pool
		if n := len(rows); n > 0 && r.T < rows[n-1].T {
			b.report.OutOfOrder++
			if b.opt.Disorder == Strict {
				return s.errorf(l.n, 1, "time goes back from %s (line %d) to %s; the option disorder (--disorder; disorder in a spec) %q or %q accepts it", stamp(rows[n-1].T), rows[n-1].SrcRow, stamp(r.T), FileOrder, SortLastWins)
			}
		}
		rows = append(rows, r)
	}
	b.clock, b.semantics = ClockUnknownTZ, SemanticsHeld
	rows = b.settleDisorder(rows)
	b.polled(rows)
	b.addCounts(s, rows)
	return nil
}

func (b *build) stepCount(l line) (CapacityRow, error) {
	f, column, err := l.fields(3)
	if err != nil {
		return CapacityRow{}, err
	}
	text := f[0] + " " + f[1]
	t, err := time.Parse(dateTime, text)
	if err != nil {
		return CapacityRow{}, l.src.errorf(l.n, column[0], "date and time %s, expected for instance 2021-12-10, 13:07:45", quote(text))
	}
	us, err := instant(t)
	if err != nil {
		return CapacityRow{}, l.src.errorf(l.n, column[0], "date and time %s %v", quote(text), err)
	}
	n, err := b.available(f[2])
	if err != nil {
		return CapacityRow{}, l.src.errorf(l.n, column[2], "count %s: %v", quote(f[2]), err)
	}
	return CapacityRow{T: us, SrcRow: int64(l.n), Origin: originPoll, Available: n}, nil
}

// settleDisorder puts rows in order of time by the chosen policy.
func (b *build) settleDisorder(rows []CapacityRow) []CapacityRow {
	switch b.opt.Disorder {
	case FileOrder:
		for i := 1; i < len(rows); i++ {
			rows[i].T = max(rows[i].T, rows[i-1].T)
		}
	case SortLastWins:
		slices.SortStableFunc(rows, func(x, y CapacityRow) int { return cmp.Compare(x.T, y.T) })
		kept := rows[:0]
		for _, r := range rows {
			if n := len(kept); n > 0 && kept[n-1].T == r.T {
				kept[n-1] = r
				b.report.Superseded++
				b.report.Rows++ // the others are counted where they are added
				continue
			}
			kept = append(kept, r)
		}
		rows = kept
	}
	return rows
}
