package formats

import (
	"regexp"
	"time"

	"github.com/marigram/marigram/traces"
)

var awsArchiveLine = regexp.MustCompile(`^[a-z0-9-]+-az\d+\t[a-z0-9.-]+\t[^\t]+\t[0-9.]+\t\d{4}-`)

// awsSpotArchive reads the months of prices that E. Pauley publishes.
var awsSpotArchive = Format{
	Name:    "aws-spot-archive",
	What:    "tab-separated `zone ID, type, product, price, timestamp` (ericpauley/aws-spot-price-history), a month a file: zone IDs, not names; a row at the first instant of a month is the last change before it, moved there by the source, and flagged as carried in",
	Example: "use1-az2\tp3.2xlarge\tLinux/UNIX\t1.067100\t2020-02-20T22:06:16+00:00",
	Version: 1,
	Recognise: func(s *source) bool {
		for l := range s.lines() {
			return awsArchiveLine.MatchString(l.text)
		}
		return false
	},
	New:     func(b *Builder) Importer { return &awsArchive{newAWSPrices(b)} },
	Streams: true,
}

// awsArchive reads months of prices.
type awsArchive struct{ awsPrices }

func (b *awsArchive) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
	last := int64(0)
	for l := range s.lines() {
		f, column, err := l.split("\t", 5)
		if err != nil {
			return err
		}
		if !awsZoneIDForm.MatchString(f[0]) {
			return l.errorAt(column[0], "%s, expected the ID of a zone, for instance use1-az2", quote(f[0]))
		}
		p := newAWSPrice(s)
		if err := p.readFields(l, f, column); err != nil {
			return err
		}
		p.zoneID, p.row.CarryIn = f[0], monthStarts(p.row.T)
		if p.row.T < last {
			b.Report.OutOfOrder++ // the source sorts by time
		}
		last = p.row.T
		if err := b.add(p, l.errorf); err != nil {
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
