package formats

import "github.com/marigram/marigram/traces"

// awsSpotLines reads prices as JSON objects that follow one another.
var awsSpotLines = Format{
	Name: "aws-spot-lines",
	What: "AWS prices as JSON objects, one a line (NDJSON), with the names of the AWS command or in small letters (orf/spot-prices: region, availability_zone, instance_type, spot_price, timestamp); the product may be left out, the price may be a number, and a small-letter timestamp without a zone is UTC",
	Example: `{"AvailabilityZone": "us-east-1b", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "1.067100", "Timestamp": "2020-02-20T22:06:16.000Z"}` + "\n" +
		`{"region": "us-east-1", "availability_zone": "us-east-1c", "instance_type": "p3.2xlarge", "spot_price": 1.0167, "timestamp": "2020-02-20 22:10:16"}`,
	Version:   1,
	Recognise: func(s *source) bool { return s.topKey("SpotPrice", "spot_price") },
	New:       func(b *Builder) Importer { return &awsLines{newAWSPrices(b)} },
	Streams:   true,
}

// awsLines reads prices, an object each.
type awsLines struct{ awsPrices }

func (b *awsLines) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
	c := newCursor(s)
	rows := 0
	for ; !c.done(); rows++ {
		p, err := b.object(c, c.usdNumber)
		if err != nil {
			return err
		}
		if p.product == "" {
			b.Notef("prices without a product: the source does not state it")
		}
		p.row.SrcRow = int64(c.line())
		if err := b.add(p, c.errorf); err != nil {
			return err
		}
	}
	b.suspectPage(s, rows)
	return nil
}
