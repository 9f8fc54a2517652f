package clouds

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// spotLines reads prices as JSON objects that follow one another.
var spotLines = formats.Format{
	Name: "aws-spot-lines",
	What: "AWS prices as JSON objects, one a line (NDJSON), with the names of the AWS command or in small " +
		"letters (orf/spot-prices: region, availability_zone, instance_type, spot_price, timestamp); the product " +
		"may be left out, the price may be a number, and a small-letter timestamp without a zone is UTC",
	Example: `{"AvailabilityZone": "us-east-1b", "InstanceType": "p3.2xlarge", ` +
		`"ProductDescription": "Linux/UNIX", "SpotPrice": "1.067100", "Timestamp": "2020-02-20T22:06:16.000Z"}` + "\n" +
		`{"region": "us-east-1", "availability_zone": "us-east-1c", "instance_type": "p3.2xlarge", ` +
		`"spot_price": 1.0167, "timestamp": "2020-02-20 22:10:16"}`,
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsPrices,
	Recognise: func(s *read.Source) bool { return s.TopKey("SpotPrice", "spot_price") },
	New:       func(b *formats.Builder) formats.Importer { return &lines{newPrices(b)} },
	Streams:   true,
}

// lines reads prices, an object each.
type lines struct{ prices }

func (b *lines) Read(s *read.Source) error {
	c := read.NewCursor(s)
	rows := 0
	for ; !c.Done(); rows++ {
		p, err := b.object(c, c.USDNumber)
		if err != nil {
			return err
		}
		if p.product == "" {
			b.Notef("prices without a product: the source does not state it")
		}
		p.row.SrcRow = int64(c.Line())
		if err := b.add(p, c.Errorf); err != nil {
			return err
		}
	}
	b.suspectPage(s, rows)
	return nil
}
