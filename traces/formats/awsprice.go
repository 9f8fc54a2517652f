package formats

import "github.com/marigram/marigram/traces"

// awsSpotPrice reads what `aws ec2 describe-spot-price-history` prints.
var awsSpotPrice = importer{
	Format: Format{
		Name: "aws-spot-price",
		What: "JSON as `aws ec2 describe-spot-price-history` prints it, one page or several in a file; keys in any order, AvailabilityZoneId optional",
		Example: `{"NextToken": "", "SpotPriceHistory": [{"AvailabilityZone": "us-east-1b", "InstanceType": "p3.2xlarge", ` +
			`"ProductDescription": "Linux/UNIX", "SpotPrice": "1.067100", "Timestamp": "2020-02-20T22:06:16.000Z"}]}`,
	},
	version:   1,
	recognise: func(s *source) bool { return topKey(s, "NextToken", "SpotPriceHistory") },
	read:      readAWSPrices,
	streams:   true,
}

func readAWSPrices(s *source, b *build) error {
	b.clock, b.semantics = traces.ClockUTC, traces.SemanticsPrices
	c := newCursor(s)
	var pages awsPages
	for !c.done() {
		page, err := b.awsPage(c)
		if err != nil {
			return err
		}
		if err := b.turnPage(&pages, page); err != nil {
			return err
		}
	}
	return b.lastPage(&pages)
}

func (b *build) awsPage(c *cursor) (p awsPage, err error) {
	found := false
	err = c.object("a page", func(key string) error {
		switch key {
		case "NextToken":
			return p.readToken(c)
		case "SpotPriceHistory":
			found = true
			return c.array(key, func() error { return b.awsRow(c, &p) })
		}
		b.ignore(key)
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

// awsRow reads one price.
func (b *build) awsRow(c *cursor, page *awsPage) error {
	p, err := b.awsObject(c, c.usd)
	if err != nil {
		return err
	}
	if p.product == "" {
		return c.errorf("the price ends without ProductDescription")
	}
	p.row.SrcRow = int64(c.line())
	b.seeOnPage(page, p.row.T)
	return b.addAWS(p, c.errorf)
}
