package clouds

import (
	"time"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var archiveLine = read.Pattern(`^[a-z0-9-]+-az\d+\t[a-z0-9.-]+\t[^\t]+\t[0-9.]+\t\d{4}-`)

// spotArchive reads the months of prices that E. Pauley publishes.
var spotArchive = formats.Format{
	Name: "aws-spot-archive",
	What: "tab-separated `zone ID, type, product, price, timestamp` (ericpauley/aws-spot-price-history), a " +
		"month a file: zone IDs, not names; a row at the first instant of a month is the last change before it, " +
		"moved there by the source, and flagged as carried in",
	Example:   "use1-az2\tp3.2xlarge\tLinux/UNIX\t1.067100\t2020-02-20T22:06:16+00:00",
	Version:   1,
	Recognise: func(s *read.Source) bool { return s.FirstMatches(archiveLine) },
	New:       func(b *formats.Builder) formats.Importer { return &archive{newPrices(b)} },
	Streams:   true,
}

// archive reads months of prices.
type archive struct{ prices }

func (b *archive) Read(s *read.Source) error {
	last := int64(0)
	for l := range s.Lines() {
		f, column, err := l.Split("\t", 5)
		if err != nil {
			return err
		}
		if !zoneIDForm().MatchString(f[0]) {
			return l.ErrorAt(column[0], "%s, expected the ID of a zone, for instance use1-az2", read.Quote(f[0]))
		}
		p := newPrice(s)
		if err := p.readFields(l, f, column); err != nil {
			return err
		}
		p.zoneID, p.row.CarryIn = f[0], monthStarts(p.row.T)
		if p.row.T < last {
			b.Report.OutOfOrder++ // the source sorts by time
		}
		last = p.row.T
		if err := b.add(p, l.Errorf); err != nil {
			return err
		}
	}
	return nil
}

// monthStarts reports whether an instant is the first of a month.
func monthStarts(us int64) bool {
	t := time.UnixMicro(us).UTC()
	return t.Day() == 1 && t.Truncate(24*time.Hour).Equal(t)
}
