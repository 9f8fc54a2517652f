package clouds

import (
	"strings"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// spotText reads the text output of the same command.
var spotText = formats.Format{
	Name: "aws-spot-text",
	What: "what `aws ec2 describe-spot-price-history --output text` prints: tab-separated lines that begin " +
		"with SPOTPRICEHISTORY, the zone's ID after its name or not at all",
	Example: "SPOTPRICEHISTORY\tus-east-1b\tp3.2xlarge\tLinux/UNIX\t1.067100\t2020-02-20T22:06:16.000Z",
	Version: 1,
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
		return l.ErrorAt(1, "line begins with %s, expected %s or NEXTTOKEN and tab-separated fields", read.Quote(l.Text),
			textTag)
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
	f, column, err := l.Split("\t", 6, 7)
	if err != nil {
		return err
	}
	f, column = f[1:], column[1:]
	p := newPrice(l.Source)
	p.zone = f[0]
	if len(f) == 6 {
		if p.zoneID = f[1]; !zoneIDForm().MatchString(p.zoneID) {
			return l.ErrorAt(column[1], "%s, expected the ID of a zone, for instance use1-az2", read.Quote(f[1]))
		}
		f, column = append(f[:1:1], f[2:]...), append(column[:1:1], column[2:]...)
	}
	if err := p.readFields(l, f, column); err != nil {
		return err
	}
	b.seeOnPage(page, p.row.T)
	return b.add(p, l.Errorf)
}
