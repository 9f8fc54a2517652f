package pools

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

var changeLine = read.Pattern(`^\s*\d+(\.\d+)?\s*,\s*\d+\s*$`)

// readChanges reads `time,count`: a row a change, or one at each end of a step.
// The layout is published in milliseconds, seconds and hours, so that the unit
// has to be said.
func (b *steps) readChanges(s *read.Source) error {
	if b.Options.Unit == 0 {
		return s.MissingOption("unit", "does not say in which unit its times are, and ms, s and h are published in this "+
			"layout; expected the option unit (--unit 1s, for instance)")
	}
	pool, err := b.FilePool(s)
	if err != nil {
		return err
	}
	rows, err := b.countLines(s, pool, b.stepChange)
	if err != nil {
		return err
	}
	rows = b.lastOfInstant(b.settleDisorder(rows))
	times := make([]int64, len(rows))
	for i, r := range rows {
		times[i] = r.T
	}
	origin, grain := b.Beginning(s), b.ClockGrain(times)
	for i := range rows {
		rows[i].T += origin
		rows[i].UncertainUs = grain
	}
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsHeld
	b.Manifest.SamplingUs = max(b.Manifest.SamplingUs, grain)
	b.AddCounts(s, rows)
	return nil
}

func (b *steps) stepChange(l read.Line) (traces.CapacityRow, error) {
	f, column, err := l.Fields(2)
	if err != nil {
		return traces.CapacityRow{}, err
	}
	us, err := inUnits(f[0], b.Options.Unit, traces.MaxInstant-b.Beginning(l.Source))
	if err != nil {
		return traces.CapacityRow{}, l.ErrorAt(column[0], "time %s, %v", read.Quote(f[0]), err)
	}
	n, err := b.available(f[1])
	if err != nil {
		return traces.CapacityRow{}, l.ErrorAt(column[1], "count %s: %v", read.Quote(f[1]), err)
	}
	return traces.CapacityRow{T: us, SrcRow: int64(l.Number), Origin: traces.OriginDerived, Available: n}, nil
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
