package formats

import "github.com/marigram/marigram/traces"

// awsSpotPrice reads what `aws ec2 describe-spot-price-history` prints.
var awsSpotPrice = Format{
	Name: "aws-spot-price",
	What: "JSON as `aws ec2 describe-spot-price-history` prints it, one page or several in a file; keys in any order, AvailabilityZoneId optional",
	Example: `{"NextToken": "", "SpotPriceHistory": [{"AvailabilityZone": "us-east-1b", "InstanceType": "p3.2xlarge", ` +
		`"ProductDescription": "Linux/UNIX", "SpotPrice": "1.067100", "Timestamp": "2020-02-20T22:06:16.000Z"}]}`,
	Version:   1,
	Recognise: func(s *source) bool { return s.topKey("NextToken", "SpotPriceHistory") },
	New:       func(b *Builder) Importer { return &awsCommand{newAWSPrices(b)} },
	Streams:   true,
}

// awsCommand reads the command's JSON.
type awsCommand struct{ awsPrices }

func (b *awsCommand) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
	c := newCursor(s)
	var pages awsPages
	for !c.done() {
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

func (b *awsCommand) page(c *cursor) (p awsPage, err error) {
	found := false
	err = c.object("a page", func(key string) error {
		switch key {
		case "NextToken":
			return p.readToken(c)
		case "SpotPriceHistory":
			found = true
			return c.array(key, func() error { return b.row(c, &p) })
		}
		b.Ignore(key)
		return c.skip(key)
	})
	if err == nil && !found {
		err = c.errorf("the page has no SpotPriceHistory, expected output of `aws ec2 describe-spot-price-history`")
	}
	return p, err
}

func (p *awsPage) readToken(c *cursor) error {
	text, err := c.token("NextToken")
	if err == nil {
		p.setToken(text, c.errorf)
	}
	return err
}

// row reads one price.
func (b *awsCommand) row(c *cursor, page *awsPage) error {
	p, err := b.object(c, c.usd)
	if err != nil {
		return err
	}
	if p.product == "" {
		return c.errorf("the price ends without ProductDescription")
	}
	p.row.SrcRow = int64(c.line())
	b.seeOnPage(page, p.row.T)
	return b.add(p, c.errorf)
}
