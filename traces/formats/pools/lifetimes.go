package pools

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// lifetimesFormat reads a sheet of lifetimes in sections.
var lifetimesFormat = formats.Format{
	Name: "lifetime-csv",
	What: "a sheet of lifetimes in sections headed by a GPU (cake-lab's lifetime.csv): `name,start,end` as " +
		"M/D/YY HH:MM of an unknown time zone, or a length HH:MM:SS alone or behind a name. The clock is " +
		"relative: dated rows keep their distances, each undated one begins at 0. " +
		"Why a machine ended is not recorded; rows with a missing cell, an end before its start or more than a " +
		"year are left out and counted",
	Example: "K80,,\nVM name,Start,Terminate\na-us-west1-b-0,2/18/19 23:40,2/20/19 00:02",
	Version: 1,
	Recognise: func(s *read.Source) bool {
		n := 0
		for l := range s.Records() {
			if n++; n == 2 {
				return strings.HasPrefix(l.Plain(), lifeHeader+",")
			}
		}
		return false
	},
	New: func(b *formats.Builder) formats.Importer { return lifetimes{b} },
}

func (b lifetimes) Read(s *read.Source) error {
	var lifetimes []lifetime
	var corrupt []string
	gpu := ""
	for l := range s.Records() {
		x, err := lifeLine(l, &gpu)
		switch {
		case err == errNoLife:
			continue
		case err == errCorrupt:
			corrupt = append(corrupt, fmt.Sprintf("%s: left out: line %d %s", s.Stem(), l.Number, read.Quote(l.Text)))
			continue
		case err != nil:
			return err
		}
		lifetimes = append(lifetimes, x)
	}
	if len(lifetimes) == 0 {
		return s.Errorf(0, 0, "has no lifetime that can be, expected rows below the headings")
	}
	b.Report.Corrupt += len(corrupt)
	b.Report.Rows += len(corrupt)
	b.NoteFirst(s, corrupt, "rows are left out")
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsLifetimes
	b.addLifetimes(s, lifetimes)
	return nil
}
