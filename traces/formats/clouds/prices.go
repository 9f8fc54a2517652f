package clouds

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

const revisionsHeader = "commit,commit_time_utc,generated_utc,machine_type,region,hour_usd,hour_spot_usd"

// revisionsFormat reads the trace of Google's list prices that was drawn from the
// revisions of Cyclenerd's price list.
var revisionsFormat = formats.Format{
	Name: "gcp-prices",
	What: "CSV of list prices of Google's machine types by crawl (drawn from the revisions of Cyclenerd's " +
		"pricing.yml): a change is known only to lie between two crawls; prices with more than nine decimals are " +
		"rounded to nano-USD, and differences below 0.000001 USD are taken as noise",
	Example: revisionsHeader + "\n" +
		"01c920ca9bc1,2023-05-08T06:42:48Z,2023-05-08T06:42:47Z,a2-highgpu-1g,us-central1,3.673385,1.102",
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsPrices,
	Recognise: func(s *read.Source) bool { return s.FirstRecord() == revisionsHeader },
	New:       func(b *formats.Builder) formats.Importer { return revisions{newPriceList(b)} },
	Streams:   true,
}

// revisions reads the table of the revisions.
type revisions struct{ priceList }

func (b revisions) Read(s *read.Source) error {
	rounded := 0
	last := map[int32]int64{} // by pool: instant of its row before
	for r := range s.Table() {
		p := revisionOf(r, &rounded)
		if r.Err != nil {
			return r.Err
		}
		id, err := b.add(s, p)
		if err != nil {
			return err
		}
		if p.at < last[id] {
			b.Report.OutOfOrder++
		}
		last[id] = p.at
	}
	b.noteRounded(s, rounded)
	return nil
}

// priceList is what importers of crawled price lists have in common.
type priceList struct {
	*formats.Builder
	listed map[int32]int64 // by pool: when it was listed last
}

func newPriceList(b *formats.Builder) priceList {
	b.PolledPrices()
	return priceList{b, map[int32]int64{}}
}

func (b priceList) noteRounded(s *read.Source, rounded int) {
	if rounded > 0 {
		b.Notef("%s: %d prices with more than nine decimals: rounded to nano-USD", s.Base(), rounded)
	}
}

// crawledPrice is one price of a list.
type crawledPrice struct {
	typ, region    string
	at             int64
	onDemand, spot int64 // nano-USD/h; an on-demand price below 0: not listed
	line           int
}

// revisionOf reads a row.
func revisionOf(r *read.Row, rounded *int) crawledPrice {
	usd := func(text string) (int64, error) { return roundUSD(text, rounded) }
	return crawledPrice{
		typ: r.Name("machine_type"), region: r.Name("region"), at: read.Field(r, "commit_time_utc", read.Instant),
		onDemand: read.Field(r, "hour_usd", usd), spot: read.Field(r, "hour_spot_usd", usd), line: r.Line,
	}
}

// add adds a price. The pool's price on demand is the one listed last.
func (b priceList) add(s *read.Source, p crawledPrice) (int32, error) {
	id := b.Pool(traces.Pool{
		Name:         traces.PoolName(p.region, p.typ, ""),
		Cloud:        "gcp",
		Region:       p.region,
		Zone:         b.Options.Zone,
		InstanceType: p.typ,
	})
	if p.onDemand >= 0 && p.at >= b.listed[id] {
		b.PoolAt(id).OnDemandNano = &p.onDemand
	}
	b.listed[id] = max(b.listed[id], p.at)
	b.ObservedUntil(id, p.at)
	return id, b.AddPrice(traces.PriceRow{
		T: p.at, PoolID: id, SrcFile: s.Index, SrcRow: int64(p.line), Origin: traces.OriginPoll, PriceNanoUSD: p.spot,
		Currency: "USD",
	})
}

// roundUSD is ParseUSD for sums of binary floating point numbers: decimals past
// the ninth are rounded away, and counted.
func roundUSD(text string, rounded *int) (int64, error) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) <= 9 || len(part) > 24 || !read.IsDigits(part) {
		return traces.ParseUSD(text)
	}
	nano, err := traces.ParseUSD(whole + "." + part[:9])
	if err != nil {
		return 0, err
	}
	*rounded++
	if part[9] >= '5' && nano < traces.MaxPriceNano {
		nano++
	}
	return nano, nil
}

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

func newPrices(b *formats.Builder) prices {
	return prices{b, map[poolKey]int32{}}
}

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
		return 0, errorf("zone %s has the ID %s here and %s before: the files come from different accounts; "+
			"import them apart", p.zone, p.zoneID, pool.ZoneID)
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

// addPool returns the pool of a machine type in a region; Azure's prices and
// eviction rates do not differ by zone.
func addPool(b *formats.Builder, region, typ, system string) (int32, error) {
	for _, f := range []struct{ what, text string }{{"region", region}, {"machine type", typ}} {
		if err := read.CheckName(f.text); err != nil {
			return 0, fmt.Errorf("%s %s, %w", f.what, read.Quote(f.text), err)
		}
	}
	typ = typeName(typ)
	return b.Pool(traces.Pool{
		Name:         traces.PoolName(region, typ, system),
		Cloud:        "azure",
		Region:       region,
		Zone:         b.Options.Zone,
		InstanceType: typ,
		Product:      system,
	}), nil
}

// typeName returns the name that Azure's API has for a machine type: the price
// lists write NC6s v3, the resource graph standard_nc6s_v3, the API
// Standard_NC6s_v3.
func typeName(name string) string {
	name = strings.ReplaceAll(name, " ", "_")
	if lower := strings.ToLower(name); strings.HasPrefix(lower, "standard_") {
		name = name[len("standard_"):]
	}
	return "Standard_" + family(name)
}

// family gives a name in small letters the capitals of its family: NC6s_v3
// for nc6s_v3. Names with a capital are left as they are.
func family(name string) string {
	if strings.ToLower(name) != name {
		return name
	}
	digit := strings.IndexAny(name, "0123456789")
	return strings.ToUpper(name[:max(digit, 0)]) + name[max(digit, 0):]
}
