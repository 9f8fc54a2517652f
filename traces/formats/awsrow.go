package formats

import (
	"cmp"

	"github.com/marigram/marigram/traces"
)

// awsPrice is one price as AWS publishes it, in whatever form. Zone or zone ID
// may be empty, and the product where the form leaves it out.
type awsPrice struct {
	awsKey
	row traces.PriceRow
}

// awsKey is what AWS says of a pool.
type awsKey struct{ region, zone, zoneID, typ, product string }

// awsPrices is what the importers of AWS prices have in common: the pools, by what AWS
// says of them.
type awsPrices struct {
	*Builder
	pools map[awsKey]int32
}

func newAWSPrices(b *Builder) awsPrices { return awsPrices{b, map[awsKey]int32{}} }

func newAWSPrice(s *source) awsPrice {
	return awsPrice{row: traces.PriceRow{T: -1, PriceNanoUSD: -1, SrcFile: s.index, Origin: traces.OriginAPI, Currency: "USD"}}
}

// object reads a price with the names of the AWS command, or with those of
// data sets that write them in small letters.
// Prices are strings in the first, and may be numbers where usd reads these.
func (b *awsPrices) object(c *cursor, usd func(what string) (int64, error)) (awsPrice, error) {
	p := newAWSPrice(c.src)
	err := c.object("a price", func(key string) (err error) {
		switch key {
		case "AvailabilityZone", "availability_zone":
			p.zone, err = c.name(key)
		case "AvailabilityZoneId", "availability_zone_id":
			p.zoneID, err = c.name(key)
		case "region":
			p.region, err = c.name(key)
		case "InstanceType", "instance_type":
			p.typ, err = c.name(key)
		case "ProductDescription", "product_description":
			p.product, err = c.name(key)
		case "SpotPrice", "spot_price":
			p.row.PriceNanoUSD, err = usd(key)
		case "Timestamp":
			p.row.T, err = c.instant(key)
		case "timestamp":
			p.row.T, err = c.instantUTC(key)
		case "Currency", "currency":
			err = c.dollars(key)
		default:
			b.Ignore(key)
			err = c.skip(key)
		}
		return err
	})
	if err != nil {
		return p, err
	}
	if missing := p.missing(); missing != "" {
		return p, c.errorf("the price ends without %s", missing)
	}
	return p, nil
}

// readFields reads the fields of a line: zone or zone ID, type, product, price,
// instant.
func (p *awsPrice) readFields(l line, f []string, column []int) error {
	for i, what := range []string{"zone", "instance type", "product"} {
		if err := checkName(f[i]); err != nil {
			return l.errorAt(column[i], "%s %s, %v", what, quote(f[i]), err)
		}
	}
	p.typ, p.product = f[1], f[2]
	var err error
	if p.row.PriceNanoUSD, err = traces.ParseUSD(f[3]); err != nil {
		return l.errorAt(column[3], "price %s %v", quote(f[3]), err)
	}
	if p.row.T, err = parseInstant(f[4]); err != nil {
		return l.errorAt(column[4], "timestamp %s%v", quote(f[4]), err)
	}
	p.row.SrcRow = int64(l.n)
	return nil
}

// missing names the first field that a price needs and has not, "" if it is
// whole.
func (p *awsPrice) missing() string {
	switch {
	case p.zone == "" && p.zoneID == "":
		return "AvailabilityZone"
	case p.typ == "":
		return "InstanceType"
	case p.row.PriceNanoUSD < 0:
		return "SpotPrice"
	case p.row.T < 0:
		return "Timestamp"
	}
	return ""
}

// add adds a price. Duplicates are dropped when all files are read.
func (b *awsPrices) add(p awsPrice, errorf func(string, ...any) error) error {
	id, known := b.pools[p.awsKey]
	if !known {
		var err error
		if id, err = b.pool(p.awsKey, errorf); err != nil {
			return err
		}
		b.pools[p.awsKey] = id
	}
	p.row.PoolID = id
	return b.AddPrice(p.row)
}

func (b *awsPrices) pool(p awsKey, errorf func(string, ...any) error) (int32, error) {
	if err := checkRegion(p.region, p.zone, p.zoneID); err != nil {
		return 0, errorf("%v", err)
	}
	id := b.Pool(traces.Pool{
		Name: traces.PoolName(cmp.Or(p.zone, p.zoneID), p.typ, p.product), Cloud: "aws", Region: p.region,
		Zone: p.zone, ZoneID: p.zoneID, InstanceType: p.typ, Product: p.product,
	})
	pool := b.PoolAt(id)
	if pool.ZoneID != "" && p.zoneID != "" && pool.ZoneID != p.zoneID {
		return 0, errorf("zone %s has the ID %s here and %s before: the files come from different accounts; import them apart", p.zone, p.zoneID, pool.ZoneID)
	}
	pool.ZoneID = cmp.Or(pool.ZoneID, p.zoneID)
	return id, nil
}

// awsPageRows is the most rows that one answer of the service holds.
const awsPageRows = 1000

// suspectPage notes a file that may be one answer of several, in a form that
// has no place for a NextToken.
func (b *awsPrices) suspectPage(s *source, rows int) {
	if rows == awsPageRows {
		b.Notef("%s has exactly %d rows, as one page of the service: it may have been cut, and this form cannot tell", s.base(), rows)
	}
}
