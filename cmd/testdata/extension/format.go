package main

import (
	"regexp"
	"strconv"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var mineLine = regexp.MustCompile(`^(\d{1,6});(\d{1,6})$`)

func init() {
	formats.Register(formats.Format{
		Name:      "mine-counts",
		What:      "counts of my machines: lines `minutes;count`",
		Example:   "0;4",
		Version:   1,
		Recognise: func(s *read.Source) bool { return mineLine.MatchString(s.FirstLine()) },
		New:       func(b *formats.Builder) formats.Importer { return &mineCounts{b} },
	})
}

// mineCounts reads counts of machines at minutes.
type mineCounts struct{ *formats.Builder }

// Read implements formats.Importer.
func (m *mineCounts) Read(s *read.Source) error {
	pool, err := m.FilePool(s)
	if err != nil {
		return err
	}
	var rows []traces.CapacityRow
	for l := range s.Lines() {
		f := mineLine.FindStringSubmatch(l.Text)
		if f == nil {
			return l.ErrorAt(1, "%s, expected minutes;count", read.Quote(l.Text))
		}
		minutes, _ := strconv.Atoi(f[1])
		count, _ := strconv.Atoi(f[2])
		rows = append(rows, traces.CapacityRow{T: int64(minutes) * 60e6, PoolID: pool, SrcRow: int64(l.Number),
			Origin: traces.OriginPoll, Available: int32(count)})
	}
	m.Manifest.ClockKind, m.Manifest.Semantics = traces.ClockRelative, traces.SemanticsHeld
	m.Polled(rows)
	m.AddCounts(s, rows)
	return nil
}
