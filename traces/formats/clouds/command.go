package clouds

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// spotPrice reads what `aws ec2 describe-spot-price-history` prints.
var spotPrice = formats.Format{
	Name: "aws-spot-price",
	What: "JSON as `aws ec2 describe-spot-price-history` prints it, one page or several in a file; keys in any " +
		"order, AvailabilityZoneId optional",
	Example: `{"NextToken": "", "SpotPriceHistory": [{"AvailabilityZone": "us-east-1b", ` +
		`"InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "1.067100", ` +
		`"Timestamp": "2020-02-20T22:06:16.000Z"}]}`,
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsPrices,
	Recognise: func(s *read.Source) bool { return s.TopKey("NextToken", "SpotPriceHistory") },
	New:       func(b *formats.Builder) formats.Importer { return &command{newPrices(b)} },
	Streams:   true,
}

// command reads the command's JSON.
type command struct{ prices }

func (b *command) Read(s *read.Source) error {
	c := read.NewCursor(s)
	var pages fileState
	for !c.Done() {
		page, err := b.page(c)
		if err != nil {
			return err
		}
		if err := b.turnPage(&pages, page); err != nil {
			return err
		}
	}
	return b.lastPage(&pages)
}

func (b *command) page(c *read.Cursor) (p pageState, err error) {
	found := false
	err = c.Fields("a page", read.Fields{
		"NextToken": func(key string) error {
			text, err := c.Token(key)
			if err == nil {
				p.setToken(text, c.Errorf)
			}
			return err
		},
		"SpotPriceHistory": read.Seen(&found, c.Each(func() error { return b.row(c, &p) })),
	}, b.Ignore)
	if err == nil && !found {
		err = c.Errorf("the page has no SpotPriceHistory, expected output of `aws ec2 describe-spot-price-history`")
	}
	return p, err
}

// row reads one price.
func (b *command) row(c *read.Cursor, page *pageState) error {
	p, err := b.object(c, c.USD)
	if err != nil {
		return err
	}
	if p.product == "" {
		return c.Errorf("the price ends without ProductDescription")
	}
	p.row.SrcRow = int64(c.Line())
	b.seeOnPage(page, p.row.T)
	return b.add(p, c.Errorf)
}
