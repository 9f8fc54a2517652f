package pools

import (
	"cmp"
	"errors"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// csvFormat reads prices of any source from a table with a header.
var csvFormat = formats.Format{
	Name: "prices-csv",
	What: "CSV of prices by the names in its header, in any order, capitals and underscores aside: timestamp " +
		"or time; zone or availability_zone; instance_type or type; price, spot_price or price_usd_per_h, " +
		"USD an hour; and, if they are there, region, product or product_description, currency (USD); " +
		"other columns are left out and named. Times are RFC 3339, `YYYY-MM-DD HH:MM:SS` (T for the blank, too; " +
		"with an offset, or taken as UTC), or seconds since 1970 from 2001 on. Rows in any order; " +
		"a price holds until the next of its pool, however long that is: a hole does not show",
	Example: "timestamp,zone,instance_type,price\n" +
		"2020-02-20T22:06:16Z,us-east-1b,p3.2xlarge,1.067100\n" +
		"2020-02-20 23:10:00,us-east-1b,p3.2xlarge,1.0712",
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsPrices,
	Recognise: func(s *read.Source) bool { return priceColumnsOf(s.Header()).complete() },
	New:       func(b *formats.Builder) formats.Importer { return csv{b} },
	Streams:   true,
}

// priceColumns are the names that a header has for what is read, empty for what is not there.
type priceColumns struct {
	time, zone, typ, price, region, product, currency string

	others []string // columns that are not read
	twice  bool     // one thing stands in two columns
}

// priceColumnsOf reads a header.
func priceColumnsOf(header []string) (c priceColumns) {
	for _, name := range header {
		column := c.named(name)
		switch {
		case column == nil:
			c.others = append(c.others, cmp.Or(name, "a column without a name"))
		case *column != "":
			c.twice = true
		default:
			*column = name
		}
	}
	return c
}

// named returns what a column of the name says, nil for nothing that is read.
func (c *priceColumns) named(name string) *string {
	switch strings.ReplaceAll(strings.ToLower(name), "_", "") {
	case "timestamp", "time":
		return &c.time
	case "zone", "availabilityzone":
		return &c.zone
	case "instancetype", "type":
		return &c.typ
	case "price", "spotprice", "priceusdperh":
		return &c.price
	case "region":
		return &c.region
	case "product", "productdescription":
		return &c.product
	case "currency":
		return &c.currency
	}
	return nil
}

// complete reports whether all is there that a price needs.
func (c priceColumns) complete() bool {
	return c.time != "" && c.zone != "" && c.typ != "" && c.price != ""
}

// csv reads tables of prices.
type csv struct{ *formats.Builder }

func (b csv) Read(s *read.Source) error {
	columns := priceColumnsOf(s.Header())
	if columns.twice || !columns.complete() {
		return s.Errorf(1, 1, "header %s, expected one column each of timestamp, zone, instance_type and price",
			read.Quote(s.FirstRecord()))
	}
	for _, name := range columns.others {
		b.Ignore(name)
	}
	last := map[int32]int64{} // by pool: instant of its row before
	for r := range s.Table() {
		row := b.price(r, &columns)
		if r.Err != nil {
			return r.Err
		}
		if row.T < last[row.PoolID] {
			b.Report.OutOfOrder++
		}
		last[row.PoolID] = row.T
		if err := b.AddPrice(row); err != nil {
			return err
		}
	}
	return nil
}

// price reads a row and adds its pool.
func (b csv) price(r *read.Row, columns *priceColumns) traces.PriceRow {
	row := traces.PriceRow{SrcFile: r.Source.Index, SrcRow: int64(r.Line), Origin: traces.OriginAPI, Currency: "USD"}
	row.T = read.Field(r, columns.time, func(text string) (int64, error) {
		us, zoned, err := priceInstant(text)
		if err == nil && !zoned {
			b.Unzoned(r, columns.time)
		}
		return us, err
	})
	row.PriceNanoUSD = read.Field(r, columns.price, traces.ParseUSD)
	if columns.currency != "" && r.Text(columns.currency) != "USD" {
		r.Fail(columns.currency, errors.New("expected USD"))
	}
	pool := traces.Pool{
		Zone: r.Name(columns.zone), InstanceType: r.Name(columns.typ),
		Region: r.MaybeName(columns.region), Product: r.MaybeName(columns.product),
	}
	if r.Err != nil {
		return row
	}
	if err := read.CheckRegion(pool.Region, pool.Zone, ""); err != nil {
		r.Err = r.Errorf(columns.zone, "%v", err)
		return row
	}
	_, pool.Cloud = read.RegionOf(pool.Zone)
	pool.Name = traces.PoolName(pool.Zone, pool.InstanceType, pool.Product)
	row.PoolID = b.Pool(pool)
	return row
}

// minEpoch is the least number of seconds since 1970 that is taken for an
// instant: less, before September 2001, is a time that begins anywhere.
const minEpoch = 1_000_000_000

// priceInstant reads an instant in us UTC, and whether the text says its zone.
func priceInstant(text string) (us int64, zoned bool, err error) {
	if !strings.Contains(text, "-") {
		us, err := read.Seconds(text)
		if err != nil || us < minEpoch*1_000_000 {
			return 0, false, errors.New("expected RFC 3339, YYYY-MM-DD HH:MM:SS " +
				"or seconds since 1970 from 1000000000 on")
		}
		return us, true, nil
	}
	return read.CalendarInstant(text)
}
