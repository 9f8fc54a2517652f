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
	Example: `{"NextToken": "", "SpotPriceHistory": [{"AvailabilityZone": "us-east-1b", "InstanceType": "p3.2xlarge", ` +
		`"ProductDescription": "Linux/UNIX", "SpotPrice": "1.067100", "Timestamp": "2020-02-20T22:06:16.000Z"}]}`,
	Version:   1,
	Recognise: func(s *read.Source) bool { return s.TopKey("NextToken", "SpotPriceHistory") },
	New:       func(b *formats.Builder) formats.Importer { return &command{newPrices(b)} },
	Streams:   true,
}

// command reads the command's JSON.
type command struct{ prices }

func (b *command) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
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
		"SpotPriceHistory": func(key string) error {
			found = true
			return c.Array(key, func() error { return b.row(c, &p) })
		},
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

// spotLines reads prices as JSON objects that follow one another.
var spotLines = formats.Format{
	Name: "aws-spot-lines",
	What: "AWS prices as JSON objects, one a line (NDJSON), with the names of the AWS command or in small " +
		"letters (orf/spot-prices: region, availability_zone, instance_type, spot_price, timestamp); the product " +
		"may be left out, the price may be a number, and a small-letter timestamp without a zone is UTC",
	Example: `{"AvailabilityZone": "us-east-1b", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "1.067100", ` +
		`"Timestamp": "2020-02-20T22:06:16.000Z"}` + "\n" +
		`{"region": "us-east-1", "availability_zone": "us-east-1c", "instance_type": "p3.2xlarge", "spot_price": 1.0167, "timestamp": "2020-02-20 22:10:16"}`,
	Version:   1,
	Recognise: func(s *read.Source) bool { return s.TopKey("SpotPrice", "spot_price") },
	New:       func(b *formats.Builder) formats.Importer { return &lines{newPrices(b)} },
	Streams:   true,
}

// lines reads prices, an object each.
type lines struct{ prices }

func (b *lines) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
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

// pageState is what has to be known of a page to judge the next.
type pageState struct {
	rows        int
	token       bool
	tokenAt     error // the complaint, placed at the token
	first, last int64 // instants of the first and the last row
}

// setToken notes the page's NextToken, which is empty where no page follows.
func (p *pageState) setToken(text string, errorf func(string, ...any) error) {
	p.token = text != ""
	p.tokenAt = errorf("NextToken %s is not empty: the page was cut and older prices are missing; append the "+
		"next page (--starting-token), or accept the loss (--allow-truncated; allow_truncated in a spec)", read.Quote(text))
}

// seeOnPage notes the instant of a row; the command prints the newest first.
func (b *prices) seeOnPage(p *pageState, t int64) {
	if p.rows == 0 {
		p.first = t
	} else if t > p.last {
		b.Report.OutOfOrder++
	}
	p.rows, p.last = p.rows+1, t
}

// fileState is what has been read of a file's pages.
type fileState struct {
	last pageState
	rows int
}

// turnPage takes a page. If the one before was cut, this has to continue it.
func (b *prices) turnPage(pages *fileState, page pageState) error {
	last := pages.last
	pages.last, pages.rows = page, pages.rows+page.rows
	if last.token && (page.rows == 0 || page.first > last.last) {
		return b.CutPage(last.tokenAt)
	}
	return nil
}

// lastPage ends the file.
func (b *prices) lastPage(pages *fileState) error {
	if pages.rows == 0 {
		b.Report.EmptyFiles++
	}
	if pages.last.token {
		return b.CutPage(pages.last.tokenAt)
	}
	return nil
}
