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
		"or time; zone or availability_zone; instance_type or type; price, spot_price or price_usd_per_h, USD an hour; " +
		"and, if they are there, region, product or product_description, currency (USD); other columns are left " +
		"out and named. Times are RFC 3339, `YYYY-MM-DD HH:MM:SS` (T for the blank, too; with an offset, or taken as UTC), " +
		"or seconds since 1970 from 2001 on. Rows in any order; a price holds until the next of its " +
		"pool, however long that is: a hole does not show",
	Example: "timestamp,zone,instance_type,price\n2020-02-20T22:06:16Z,us-east-1b,p3.2xlarge,1.067100\n2020-02-20 23:10:00,us-east-1b,p3.2xlarge,1.0712",
	Version: 1,
	Recognise: func(s *read.Source) bool {
		h, _ := readPriceHeader(strings.Split(s.FirstRecord(), ","))
		return h.time >= 0 && h.zone >= 0 && h.typ >= 0 && h.price >= 0
	},
	New:     func(b *formats.Builder) formats.Importer { return csv{b} },
	Streams: true,
}

// priceHeader says in which column of a table each thing stands, -1 for nowhere.
type priceHeader struct {
	time, zone, typ, price, region, product, currency int

	names []string // of all columns
	twice bool     // one thing stands in two columns
}

// readPriceHeader reads the names of columns, and returns those of no meaning.
func readPriceHeader(names []string) (h priceHeader, others []string) {
	h = priceHeader{time: -1, zone: -1, typ: -1, price: -1, region: -1, product: -1, currency: -1, names: names}
	for i, name := range h.names {
		h.names[i] = strings.TrimSpace(name)
		at := h.place(h.names[i])
		switch {
		case at == nil:
			others = append(others, cmp.Or(h.names[i], "a column without a name"))
		case *at >= 0:
			h.twice = true
		default:
			*at = i
		}
	}
	return h, others
}

// place returns what a column of the name says, nil for nothing that is read.
func (h *priceHeader) place(name string) *int {
	switch strings.ReplaceAll(strings.ToLower(name), "_", "") {
	case "timestamp", "time":
		return &h.time
	case "zone", "availabilityzone":
		return &h.zone
	case "instancetype", "type":
		return &h.typ
	case "price", "spotprice", "priceusdperh":
		return &h.price
	case "region":
		return &h.region
	case "product", "productdescription":
		return &h.product
	case "currency":
		return &h.currency
	}
	return nil
}

// csv reads tables of prices.
type csv struct{ *formats.Builder }

func (b csv) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = cmp.Or(b.Manifest.ClockKind, traces.ClockUTC), traces.SemanticsPrices
	var h priceHeader
	last := map[int32]int64{} // by pool: instant of its row before
	for l := range s.Records() {
		if h.names == nil {
			names, _, err := l.Fields(0)
			if err != nil {
				return err
			}
			var others []string
			if h, others = readPriceHeader(names); h.twice || min(h.time, h.zone, h.typ, h.price) < 0 {
				return l.ErrorAt(1, "header %s, expected one column each of timestamp, zone, instance_type and price",
					read.Quote(l.Text))
			}
			for _, name := range others {
				b.Ignore(name)
			}
			continue
		}
		r, err := b.line(l, &h)
		if err != nil {
			return err
		}
		if r.T < last[r.PoolID] {
			b.Report.OutOfOrder++
		}
		last[r.PoolID] = r.T
		if err := b.AddPrice(r); err != nil {
			return err
		}
	}
	if len(last) == 0 {
		return s.Errorf(0, 0, "has no row below the header")
	}
	return nil
}

// line reads a row and adds its pool.
func (b csv) line(l read.Line, h *priceHeader) (r traces.PriceRow, err error) {
	f, column, err := l.Fields(len(h.names))
	if err != nil {
		return r, err
	}
	r = traces.PriceRow{SrcFile: l.Source.Index, SrcRow: int64(l.Number), Origin: traces.OriginAPI, Currency: "USD"}
	zoned := false
	if r.T, zoned, err = priceInstant(f[h.time]); err != nil {
		return r, l.ErrorAt(column[h.time], "%s %s%v", h.names[h.time], read.Quote(f[h.time]), err)
	}
	if !zoned {
		b.Unzoned(l, column[h.time], f[h.time])
	}
	if r.PriceNanoUSD, err = traces.ParseUSD(f[h.price]); err != nil {
		return r, l.ErrorAt(column[h.price], "%s %s %v", h.names[h.price], read.Quote(f[h.price]), err)
	}
	if h.currency >= 0 && f[h.currency] != "USD" {
		return r, l.ErrorAt(column[h.currency], "currency %s, expected USD", read.Quote(f[h.currency]))
	}
	p, err := h.pool(l, f, column)
	if err != nil {
		return r, err
	}
	r.PoolID = b.Pool(p)
	return r, nil
}

// pool reads what a row says of its pool; region and product may be empty.
func (h *priceHeader) pool(l read.Line, f []string, column []int) (p traces.Pool, err error) {
	for _, x := range []struct {
		at   int
		into *string
	}{{h.zone, &p.Zone}, {h.typ, &p.InstanceType}, {h.region, &p.Region}, {h.product, &p.Product}} {
		if x.at < 0 || f[x.at] == "" && (x.at == h.region || x.at == h.product) {
			continue
		}
		if err := read.CheckName(f[x.at]); err != nil {
			return p, l.ErrorAt(column[x.at], "%s %s, %v", h.names[x.at], read.Quote(f[x.at]), err)
		}
		*x.into = f[x.at]
	}
	if err := read.CheckRegion(p.Region, p.Zone, ""); err != nil {
		return p, l.ErrorAt(column[h.zone], "%v", err)
	}
	_, p.Cloud = read.RegionOf(p.Zone)
	p.Name = traces.PoolName(p.Zone, p.InstanceType, p.Product)
	return p, nil
}

// minEpoch is the least number of seconds since 1970 that is taken for an
// instant: less, before September 2001, is a time that begins anywhere.
const minEpoch = 1_000_000_000

// priceInstant reads an instant in us UTC, and whether the text says its zone. Its
// complaint continues a sentence that ends with the text.
func priceInstant(text string) (us int64, zoned bool, err error) {
	if !strings.Contains(text, "-") {
		us, err := read.Seconds(text)
		if err != nil || us < minEpoch*1_000_000 {
			return 0, false, errors.New(", expected RFC 3339, YYYY-MM-DD HH:MM:SS or seconds since 1970 from 1000000000 on")
		}
		return us, true, nil
	}
	return read.CalendarInstant(text)
}
