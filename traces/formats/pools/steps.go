package pools

import (
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var stepCountLine = read.Pattern(`^\d{4}-\d\d-\d\d\s*,\s*\d\d:\d\d:\d\d\s*,\s*\d+\s*$`)

// stepsFormat reads counts of running machines.
var stepsFormat = formats.Format{
	Name: "step-counts",
	What: "counts of machines running, one pool a file: lines `date, time, count` (Bamboo's gcloud logs), " +
		"polls whose times, without a zone, are taken as UTC; " +
		"or lines `time,count` (Bamboo's doc/data, Parcae's p3.csv), changes on a relative clock in the option " +
		"unit, where the last of several counts at one time holds. The option disorder says what to do with rows " +
		"that go back in time",
	Example: "2021-12-10, 13:07:45, 80",
	Version: 1,
	Recognise: func(s *read.Source) bool {
		return stepCountLine().MatchString(s.First()) || changeLine().MatchString(s.First())
	},
	New: func(b *formats.Builder) formats.Importer { return &steps{counter{Builder: b}} },
}

func (b *steps) Read(s *read.Source) error {
	if changeLine().MatchString(s.First()) {
		return b.readChanges(s)
	}
	pool, err := b.FilePool(s)
	if err != nil {
		return err
	}
	rows, err := b.countLines(s, pool, b.stepCount)
	if err != nil {
		return err
	}
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUnknownTZ, traces.SemanticsHeld
	rows = b.settleDisorder(rows)
	b.Polled(rows)
	b.AddCounts(s, rows)
	return nil
}

func (b *steps) stepCount(l read.Line) (traces.CapacityRow, error) {
	f, column, err := l.Fields(3)
	if err != nil {
		return traces.CapacityRow{}, err
	}
	text := f[0] + " " + f[1]
	t, err := time.Parse(time.DateTime, text)
	if err != nil {
		return traces.CapacityRow{}, l.ErrorAt(column[0], "date and time %s, expected for instance 2021-12-10, 13:07:45",
			read.Quote(text))
	}
	us, err := traces.Instant(t)
	if err != nil {
		return traces.CapacityRow{}, l.ErrorAt(column[0], "date and time %s %v", read.Quote(text), err)
	}
	n, err := b.available(f[2])
	if err != nil {
		return traces.CapacityRow{}, l.ErrorAt(column[2], "count %s: %v", read.Quote(f[2]), err)
	}
	return traces.CapacityRow{T: us, SrcRow: int64(l.Number), Origin: traces.OriginPoll, Available: n}, nil
}
