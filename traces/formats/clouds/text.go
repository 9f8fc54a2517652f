package clouds

import (
	"errors"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// spotText reads the text output of the same command.
var spotText = formats.Format{
	Name: "aws-spot-text",
	What: "what `aws ec2 describe-spot-price-history --output text` prints: tab-separated lines that begin " +
		"with SPOTPRICEHISTORY, the zone's ID after its name or not at all",
	Example:   "SPOTPRICEHISTORY\tus-east-1b\tp3.2xlarge\tLinux/UNIX\t1.067100\t2020-02-20T22:06:16.000Z",
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsPrices,
	Recognise: func(s *read.Source) bool {
		for l := range s.Lines() {
			if text, tag := strings.CutPrefix(l.Text, textTag); tag {
				return strings.HasPrefix(text, "\t")
			}
			if l.Number > 1 { // the token may come first
				break
			}
		}
		return false
	},
	New:     func(b *formats.Builder) formats.Importer { return &text{newPrices(b)} },
	Streams: true,
}

const textTag = "SPOTPRICEHISTORY"

// zoneIDForm is what every zone ID looks like, those of local zones included.
var zoneIDForm = read.Pattern(`^[a-z0-9]+(-[a-z0-9]+)*-az\d+$`)

// text reads the command's text.
type text struct{ prices }

func (b *text) Read(s *read.Source) error {
	var pages fileState
	var page pageState
	for l := range s.Lines() {
		if strings.HasPrefix(l.Text, textTag+"\t") {
			if err := b.line(l, &page); err != nil {
				return err
			}
			continue
		}
		if err := b.token(l, &pages, &page); err != nil {
			return err
		}
	}
	if pages.rows == 0 && !page.token {
		b.suspectPage(s, page.rows)
	}
	if err := b.turnPage(&pages, page); err != nil {
		return err
	}
	return b.lastPage(&pages)
}

// token reads a line that is no price. With --max-items the command ends
// a page with NEXTTOKEN and the token; with --no-paginate the token, or None,
// stands alone before the page's prices.
func (b *text) token(l read.Line, pages *fileState, page *pageState) error {
	token, tagged := strings.CutPrefix(l.Text, "NEXTTOKEN\t")
	if strings.Contains(token, "\t") || len(token) > read.MaxToken {
		return l.ErrorAt(1, "line begins with %s, expected %s or NEXTTOKEN and tab-separated fields",
			read.Quote(l.Text), textTag)
	}
	if token == "None" {
		token = ""
	}
	if tagged {
		page.setToken(token, l.Errorf)
	}
	if page.rows > 0 {
		if err := b.turnPage(pages, *page); err != nil {
			return err
		}
		*page = pageState{}
	}
	if !tagged {
		page.setToken(token, l.Errorf)
	}
	return nil
}

// line reads one price: tag, zone, its ID where there is one, type, product,
// price, instant.
func (b *text) line(l read.Line, page *pageState) error {
	r := l.Split("\t", textColumns, slices.Insert(slices.Clone(textColumns), 2, "zone ID"))
	p := newPrice(r.Source)
	p.zone = r.Name("zone")
	if zoneID := read.Maybe(r, "zone ID", parseZoneID); zoneID != nil {
		p.zoneID = *zoneID
	}
	p.typ = r.Name("instance type")
	p.product = r.Name("product")
	p.row.PriceNanoUSD = read.Field(r, "price", traces.ParseUSD)
	p.row.T = read.Field(r, "timestamp", read.Instant)
	p.row.SrcRow = int64(r.Line)
	if r.Err != nil {
		return r.Err
	}
	b.seeOnPage(page, p.row.T)
	return b.add(p, l.Errorf)
}

// textColumns are the fields of a line; the zone's ID may follow its name.
var textColumns = []string{"tag", "zone", "instance type", "product", "price", "timestamp"}

func parseZoneID(text string) (string, error) {
	if !zoneIDForm().MatchString(text) {
		return "", errors.New("expected the ID of a zone, for instance use1-az2")
	}
	return text, nil
}
