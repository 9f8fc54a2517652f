package formats_test

import (
	"errors"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// levels reads the numbers of machines of one pool, a line each: the minute since the
// start, a blank, the number.
type levels struct{ *formats.Builder }

func (b levels) Read(src *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsHeld
	pool, err := b.FilePool(src)
	if err != nil {
		return err
	}
	var rows []traces.CapacityRow
	for line := range src.Lines() {
		if line.Text == "levels" {
			continue
		}
		row := line.Split(" ", []string{"minute", "machines"})
		minute := read.Field(row, "minute", func(text string) (int64, error) {
			minute, err := strconv.ParseInt(text, 10, 32)
			if err != nil || len(rows) > 0 && minute*60e6 <= rows[len(rows)-1].T-b.Beginning(src) {
				return 0, errors.New("expected whole minutes that ascend")
			}
			return minute, nil
		})
		n := read.Field(row, "machines", read.WholeNumber)
		if row.Err != nil {
			return row.Err
		}
		rows = append(rows, traces.CapacityRow{
			T: b.Beginning(src) + minute*60e6, PoolID: pool, SrcRow: int64(line.Number), Origin: traces.OriginDerived, Available: n,
		})
	}
	b.AddCounts(src, rows)
	return nil
}

// A format of your own is read by name and by its content wherever traces are read.
// Put the call into an init function.
func ExampleRegister() {
	formats.Register(formats.Format{
		Name: "levels", Version: 1,
		What:      "numbers of machines, a line each, in minutes since the start",
		Example:   "levels\n0 4\n17 3",
		Recognise: func(src *read.Source) bool { return strings.HasPrefix(string(src.Head), "levels\n") },
		New:       func(b *formats.Builder) formats.Importer { return levels{b} },
	})
}
