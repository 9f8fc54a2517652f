package pools

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var stepCountLine = read.Pattern(`^\d{4}-\d\d-\d\d,\d\d:\d\d:\d\d,\d+$`)

// stepsFormat reads counts of running machines.
var stepsFormat = formats.Format{
	Name: "step-counts",
	What: "counts of machines running, one pool a file: lines `date, time, count` (Bamboo's gcloud logs), " +
		"polls whose times, without a zone, are taken as UTC; " +
		"or lines `time,count` (Bamboo's doc/data, Parcae's p3.csv), changes on a relative clock in the option " +
		"unit, where the last of several counts at one time holds. The option disorder says what to do with rows " +
		"that go back in time",
	Example:   "2021-12-10, 13:07:45, 80",
	Version:   1,
	Clock:     traces.ClockUnknownTZ,
	Semantics: traces.SemanticsHeld,
	Recognise: func(s *read.Source) bool {
		return stepCountLine().MatchString(s.FirstRecord()) || changeLine().MatchString(s.FirstRecord())
	},
	New: func(b *formats.Builder) formats.Importer { return &steps{counter{Builder: b}} },
}

func (b *steps) Read(s *read.Source) error {
	if changeLine().MatchString(s.FirstRecord()) {
		return b.readChanges(s)
	}
	pool, err := b.FilePool(s)
	if err != nil {
		return err
	}
	rows, err := b.countLines(s.Rows("date", "time", "count"), pool, b.stepCount)
	if err != nil {
		return err
	}
	rows = b.settleDisorder(rows)
	b.Polled(rows)
	b.AddCounts(s, rows)
	return nil
}

func (b *steps) stepCount(r *read.Row) traces.CapacityRow {
	us := read.Field(r, "date", func(text string) (int64, error) { return readStepTime(text + " " + r.Text("time")) })
	n := read.Field(r, "count", b.available)
	return traces.CapacityRow{T: us, SrcRow: int64(r.Line), Origin: traces.OriginPoll, Available: n}
}

var readStepTime = read.Calendar(time.DateTime, "2021-12-10, 13:07:45")

// steps reads counts of running machines.
type steps struct{ counter }

// countLines reads the counts of a file. Rows that go back in time are counted,
// and refused unless a policy says what to do with them.
func (b *steps) countLines(lines iter.Seq[*read.Row], pool int32, parse func(*read.Row) traces.CapacityRow) (
	[]traces.CapacityRow, error) {
	var rows []traces.CapacityRow
	for r := range lines {
		row := parse(r)
		if r.Err != nil {
			return nil, r.Err
		}
		row.PoolID = pool
		if n := len(rows); n > 0 && row.T < rows[n-1].T {
			b.Report.OutOfOrder++
			if b.Options.Disorder == traces.Strict {
				return nil, r.Errorf("", "time goes back from %s (line %d) to %s; "+
					"the option disorder (--disorder; disorder in a spec) %q or %q accepts it",
					traces.Stamp(rows[n-1].T), rows[n-1].SrcRow, traces.Stamp(row.T),
					traces.FileOrder, traces.SortLastWins)
			}
		}
		rows = append(rows, row)
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

var changeLine = read.Pattern(`^\d+(\.\d+)?,\d+$`)

// readChanges reads `time,count`: a row a change, or one at each end of a step.
// The layout is published in milliseconds, seconds and hours, so that the unit
// has to be said.
func (b *steps) readChanges(s *read.Source) error {
	if b.Options.Unit == 0 {
		return s.MissingOption("unit", "does not say in which unit its times are, "+
			"and ms, s and h are published in this layout; expected the option unit (--unit 1s, for instance)")
	}
	pool, err := b.FilePool(s)
	if err != nil {
		return err
	}
	rows, err := b.countLines(s.Rows("time", "count"), pool, b.stepChange)
	if err != nil {
		return err
	}
	rows = b.lastOfInstant(b.settleDisorder(rows))
	times := make([]int64, len(rows))
	for i, r := range rows {
		times[i] = r.T
	}
	origin := b.Beginning(s)
	grain := b.ClockGrain(times)
	for i := range rows {
		rows[i].T += origin
		rows[i].UncertainUs = grain
	}
	b.Manifest.ClockKind = b.RelativeClock()
	b.Manifest.SamplingUs = max(b.Manifest.SamplingUs, grain)
	b.AddCounts(s, rows)
	return nil
}

func (b *steps) stepChange(r *read.Row) traces.CapacityRow {
	us := read.Field(r, "time", func(text string) (int64, error) {
		return inUnits(text, b.Options.Unit, traces.MaxInstant-b.Beginning(r.Source))
	})
	n := read.Field(r, "count", b.available)
	return traces.CapacityRow{T: us, SrcRow: int64(r.Line), Origin: traces.OriginDerived, Available: n}
}

// inUnits reads a decimal number of units with at most six decimals, in us, cut
// to whole ones; the result is at most limit.
func inUnits(text string, unit time.Duration, limit int64) (int64, error) {
	whole, part, dotted := strings.Cut(text, ".")
	per := unit.Microseconds()
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || !read.IsDigits(whole) || !read.IsDigits(part) || dotted && part == "" || len(part) > 6 ||
		n >= limit/per {
		return 0, fmt.Errorf("expected a number from 0 to %d with at most six decimals", max(0, limit/per))
	}
	millionths, _ := strconv.ParseUint(part+strings.Repeat("0", 6-len(part)), 10, 64)
	hi, lo := bits.Mul64(millionths, uint64(per))
	us, _ := bits.Div64(hi, lo, 1_000_000)
	return n*per + int64(us), nil
}
