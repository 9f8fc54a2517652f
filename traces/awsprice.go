package traces

import "cmp"

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
}

// awsPage is what has to be known of a page to judge the next.
type awsPage struct {
	rows        int
	token       bool
	tokenAt     error // the complaint, placed at the token
	first, last int64 // instants of the first and the last row
}

func readAWSPrices(s *source, b *build) error {
	b.clock, b.semantics = ClockUTC, SemanticsPrices
	c := newCursor(s)
	var last awsPage
	rows := 0
	for !c.done() {
		page, err := b.awsPage(c)
		if err != nil {
			return err
		}
		if last.token && (page.rows == 0 || page.first > last.last) {
			if err := b.truncated(last); err != nil { // what follows does not continue it
				return err
			}
		}
		last, rows = page, rows+page.rows
	}
	if rows == 0 {
		b.report.EmptyFiles++
	}
	if last.token {
		return b.truncated(last)
	}
	return nil
}

// truncated books a page that was cut.
func (b *build) truncated(p awsPage) error {
	b.report.FilesWithNextToken++
	if !b.opt.AllowTruncated {
		return p.tokenAt
	}
	b.report.TruncatedAccepted++
	return nil
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
	tok, err := c.next()
	if err != nil || tok == nil { // null: no further page
		return err
	}
	text, ok := tok.(string)
	if !ok || len(text) > maxToken {
		return c.errorf("NextToken is %s, expected a string of at most %d bytes", describe(tok), maxToken)
	}
	p.token = text != ""
	p.tokenAt = c.errorf("NextToken %s is not empty: the page was cut and older prices are missing; append the next page (--starting-token), or accept the loss (--allow-truncated; allow_truncated in a spec)", quote(text))
	return nil
}

// awsRow reads one price. Duplicates are dropped when all files are read.
func (b *build) awsRow(c *cursor, page *awsPage) error {
	var zone, zoneID, typ, product string
	r := PriceRow{T: -1, PriceNanoUSD: -1, SrcFile: c.src.index, Origin: originAPI, Currency: "USD"}
	err := c.object("a price", func(key string) (err error) {
		switch key {
		case "AvailabilityZone":
			zone, err = c.name(key)
		case "AvailabilityZoneId":
			zoneID, err = c.name(key)
		case "InstanceType":
			typ, err = c.name(key)
		case "ProductDescription":
			product, err = c.name(key)
		case "SpotPrice":
			r.PriceNanoUSD, err = c.usd(key)
		case "Timestamp":
			r.T, err = c.instant(key)
		default:
			b.ignore(key)
			err = c.skip(key)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range []struct {
		missing bool
		name    string
	}{
		{zone == "" && zoneID == "", "AvailabilityZone"}, {typ == "", "InstanceType"},
		{product == "", "ProductDescription"}, {r.PriceNanoUSD < 0, "SpotPrice"}, {r.T < 0, "Timestamp"},
	} {
		if f.missing {
			return c.errorf("the price ends without %s", f.name)
		}
	}
	if r.PoolID, err = b.awsPool(c, zone, zoneID, typ, product); err != nil {
		return err
	}
	r.SrcRow = int64(c.line())
	if b.report.Rows++; page.rows == 0 {
		page.first = r.T
	} else if r.T > page.last {
		b.report.OutOfOrder++ // the command prints the newest first
	}
	page.rows, page.last = page.rows+1, r.T
	b.set.Prices = append(b.set.Prices, r)
	return nil
}

func (b *build) awsPool(c *cursor, zone, zoneID, typ, product string) (int32, error) {
	id := b.pool(Pool{
		Name: poolName(cmp.Or(zone, zoneID), typ, product), Cloud: "aws",
		Zone: zone, ZoneID: zoneID, InstanceType: typ, Product: product,
	})
	p := &b.set.Pools[id]
	if p.ZoneID != "" && zoneID != "" && p.ZoneID != zoneID {
		return 0, c.errorf("zone %s has the ID %s here and %s before: the files come from different accounts; import them apart", zone, zoneID, p.ZoneID)
	}
	p.ZoneID = cmp.Or(p.ZoneID, zoneID)
	return id, nil
}
