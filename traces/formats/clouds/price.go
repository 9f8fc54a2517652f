package clouds

import (
	"cmp"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// price is one price as AWS publishes it, in whatever form. Zone or zone ID
// may be empty, and the product where the form leaves it out.
type price struct {
	poolKey
	row traces.PriceRow
}

// poolKey is what AWS says of a pool.
type poolKey struct{ region, zone, zoneID, typ, product string }

// prices is what the importers of AWS prices have in common: the pools, by what AWS
// says of them.
type prices struct {
	*formats.Builder
	pools map[poolKey]int32
}

func newPrices(b *formats.Builder) prices { return prices{b, map[poolKey]int32{}} }

func newPrice(s *read.Source) price {
	return price{row: traces.PriceRow{T: -1, PriceNanoUSD: -1, SrcFile: s.Index, Origin: traces.OriginAPI,
		Currency: "USD"}}
}

// object reads a price with the names of the AWS command, or with those of
// data sets that write them in small letters.
// Prices are strings in the first, and may be numbers where usd reads these.
func (b *prices) object(c *read.Cursor, usd func(what string) (int64, error)) (price, error) {
	p := newPrice(c.Source)
	err := c.Object("a price", func(key string) (err error) {
		switch key {
		case "AvailabilityZone", "availability_zone":
			p.zone, err = c.Name(key)
		case "AvailabilityZoneId", "availability_zone_id":
			p.zoneID, err = c.Name(key)
		case "region":
			p.region, err = c.Name(key)
		case "InstanceType", "instance_type":
			p.typ, err = c.Name(key)
		case "ProductDescription", "product_description":
			p.product, err = c.Name(key)
		case "SpotPrice", "spot_price":
			p.row.PriceNanoUSD, err = usd(key)
		case "Timestamp":
			p.row.T, err = c.Instant(key)
		case "timestamp":
			p.row.T, err = c.InstantUTC(key)
		case "Currency", "currency":
			err = c.Dollars(key)
		default:
			b.Ignore(key)
			err = c.Skip(key)
		}
		return err
	})
	if err != nil {
		return p, err
	}
	if missing := p.missing(); missing != "" {
		return p, c.Errorf("the price ends without %s", missing)
	}
	return p, nil
}

// readFields reads the fields of a line: zone or zone ID, type, product, price,
// instant.
func (p *price) readFields(l read.Line, f []string, column []int) error {
	for i, what := range []string{"zone", "instance type", "product"} {
		if err := read.CheckName(f[i]); err != nil {
			return l.ErrorAt(column[i], "%s %s, %v", what, read.Quote(f[i]), err)
		}
	}
	p.typ, p.product = f[1], f[2]
	var err error
	if p.row.PriceNanoUSD, err = traces.ParseUSD(f[3]); err != nil {
		return l.ErrorAt(column[3], "price %s %v", read.Quote(f[3]), err)
	}
	if p.row.T, err = read.Instant(f[4]); err != nil {
		return l.ErrorAt(column[4], "timestamp %s%v", read.Quote(f[4]), err)
	}
	p.row.SrcRow = int64(l.Number)
	return nil
}

// missing names the first field that a price needs and has not, "" if it is
// whole.
func (p *price) missing() string {
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
func (b *prices) add(p price, errorf func(string, ...any) error) error {
	id, known := b.pools[p.poolKey]
	if !known {
		var err error
		if id, err = b.pool(p.poolKey, errorf); err != nil {
			return err
		}
		b.pools[p.poolKey] = id
	}
	p.row.PoolID = id
	return b.AddPrice(p.row)
}

func (b *prices) pool(p poolKey, errorf func(string, ...any) error) (int32, error) {
	if err := read.CheckRegion(p.region, p.zone, p.zoneID); err != nil {
		return 0, errorf("%v", err)
	}
	id := b.Pool(traces.Pool{
		Name: traces.PoolName(cmp.Or(p.zone, p.zoneID), p.typ, p.product), Cloud: "aws", Region: p.region,
		Zone: p.zone, ZoneID: p.zoneID, InstanceType: p.typ, Product: p.product,
	})
	pool := b.PoolAt(id)
	if pool.ZoneID != "" && p.zoneID != "" && pool.ZoneID != p.zoneID {
		return 0, errorf("zone %s has the ID %s here and %s before: the files come from different accounts; import them "+
			"apart", p.zone, p.zoneID, pool.ZoneID)
	}
	pool.ZoneID = cmp.Or(pool.ZoneID, p.zoneID)
	return id, nil
}

// pageRows is the most rows that one answer of the service holds.
const pageRows = 1000

// suspectPage notes a file that may be one answer of several, in a form that
// has no place for a NextToken.
func (b *prices) suspectPage(s *read.Source, rows int) {
	if rows == pageRows {
		b.Notef("%s has exactly %d rows, as one page of the service: it may have been cut, and this form cannot tell",
			s.Base(), rows)
	}
}
