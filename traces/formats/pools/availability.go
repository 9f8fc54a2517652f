package pools

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

const availabilityHeader = "date,availability"

// availabilityFormat reads polls of one zone a file.
var availabilityFormat = formats.Format{
	Name: "availability-csv",
	What: "CSV `date,availability`, one pool a file: 0/1 or counts, times without a zone taken as UTC; the " +
		"option polarity says what a 1 is, but for SkyNomad's files (us-east-1a_v100_1.csv), where it is " +
		"documented as available",
	Example:   "date,availability\n2023-02-15 22:08:16,0",
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsUnknown,
	Recognise: func(s *read.Source) bool { return s.FirstRecord() == availabilityHeader },
	New:       func(b *formats.Builder) formats.Importer { return &availability{counter: counter{Builder: b}} },
}

// availability reads polls, and the prices beside them.
type availability struct {
	counter
	arrays arrays
}

func (b *availability) Read(s *read.Source) error {
	if err := b.statedPolarity(s); err != nil {
		return err
	}
	pool, err := b.FilePool(s)
	if err != nil {
		return err
	}
	var rows []traces.CapacityRow
	for r := range s.Table() {
		row := b.row(r)
		if n := len(rows); r.Err == nil && n > 0 && row.T <= rows[n-1].T {
			r.Err = r.Errorf("date", "time %s is not after %s of line %d, expected ascending times",
				traces.Stamp(row.T), traces.Stamp(rows[n-1].T), rows[n-1].SrcRow)
		}
		if r.Err != nil {
			return r.Err
		}
		row.PoolID = pool
		rows = append(rows, row)
	}
	b.Polled(rows)
	b.AddCounts(s, rows)
	b.Manifest.Semantics = traces.SemanticsUnknown
	if b.Manifest.Cap == 1 {
		b.Manifest.Semantics = traces.SemanticsBinaryZone
	}
	prices, err := b.arrays.of(b.Builder, s, len(rows))
	if err != nil {
		return err
	}
	return b.addPolledPrices(s, b.arrays.file, rows, prices)
}

// statedPolarity settles what a 1 means: stated, or known of the layout.
func (b *availability) statedPolarity(s *read.Source) error {
	polarity := b.Options.Polarity
	if _, _, _, ok := read.ZoneFileName(s.Stem()); ok && polarity == traces.PolarityUnstated {
		polarity = traces.OneIsAvailable
		b.Notef("1 = available, as the source of this layout and these file names (SkyNomad) documents")
	}
	if polarity == traces.PolarityUnstated {
		return s.MissingOption("polarity", "does not say whether 1 means available or preempted, "+expectedPolarity)
	}
	b.polarity = polarity
	b.Manifest.Polarity = string(polarity)
	return nil
}

func (b *availability) row(r *read.Row) traces.CapacityRow {
	us := read.Field(r, "date", func(text string) (int64, error) {
		us, zoned, err := read.CalendarInstant(text)
		if err == nil && !zoned {
			b.Unzoned(r, "date")
		}
		return us, err
	})
	return traces.CapacityRow{T: us, SrcRow: int64(r.Line), Origin: traces.OriginPoll,
		Available: read.Field(r, "availability", b.available)}
}
