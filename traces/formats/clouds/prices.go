package clouds

import (
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
	Example: revisionsHeader + "\n01c920ca9bc1,2023-05-08T06:42:48Z,2023-05-08T06:42:47Z,a2-highgpu-1g,us-central1,3.673385,1.102",
	Version: 1,
	Recognise: func(s *read.Source) bool {
		for l := range s.Records() {
			return l.Plain() == revisionsHeader
		}
		return false
	},
	New:     func(b *formats.Builder) formats.Importer { return revisions{newPriceList(b)} },
	Streams: true,
}

// revisions reads the table of the revisions.
type revisions struct{ priceList }

func (b revisions) Read(s *read.Source) error {
	rounded := 0
	last := map[int32]int64{} // by pool: instant of its row before
	for l := range s.Records() {
		if l.Plain() == revisionsHeader {
			continue
		}
		p, err := readGCPPrice(l, &rounded)
		if err != nil {
			return err
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
	if len(last) == 0 {
		return s.Errorf(0, 0, "has no row below the header")
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
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
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

func readGCPPrice(l read.Line, rounded *int) (p crawledPrice, err error) {
	f, column, err := l.Fields(7)
	if err != nil {
		return p, err
	}
	p = crawledPrice{typ: f[3], region: f[4], line: l.Number}
	for i := 3; i <= 4; i++ {
		if err := read.CheckName(f[i]); err != nil {
			return p, l.ErrorAt(column[i], "machine type or region %s, %v", read.Quote(f[i]), err)
		}
	}
	if p.at, err = read.Instant(f[1]); err != nil {
		return p, l.ErrorAt(column[1], "commit_time_utc %s%v", read.Quote(f[1]), err)
	}
	if p.onDemand, err = roundUSD(f[5], rounded); err != nil {
		return p, l.ErrorAt(column[5], "hour_usd %s %v", read.Quote(f[5]), err)
	}
	if p.spot, err = roundUSD(f[6], rounded); err != nil {
		return p, l.ErrorAt(column[6], "hour_spot_usd %s %v", read.Quote(f[6]), err)
	}
	return p, nil
}

// add adds a price. The pool's price on demand is the one listed last.
func (b priceList) add(s *read.Source, p crawledPrice) (int32, error) {
	id := b.Pool(traces.Pool{
		Name: traces.PoolName(p.region, p.typ, ""), Cloud: "gcp", Region: p.region, Zone: b.Options.Zone, InstanceType: p.typ,
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
