package formats

import (
	"regexp"
	"strings"

	"github.com/marigram/marigram/traces"
)

// awsSpotText reads the text output of the same command.
var awsSpotText = Format{
	Name:    "aws-spot-text",
	What:    "what `aws ec2 describe-spot-price-history --output text` prints: tab-separated lines that begin with SPOTPRICEHISTORY, the zone's ID after its name or not at all",
	Example: "SPOTPRICEHISTORY\tus-east-1b\tp3.2xlarge\tLinux/UNIX\t1.067100\t2020-02-20T22:06:16.000Z",
	Version: 1,
	Recognise: func(s *source) bool {
		for l := range s.lines() {
			if text, tag := strings.CutPrefix(l.text, awsTextTag); tag {
				return strings.HasPrefix(text, "\t")
			}
			if l.n > 1 { // the token may come first
				break
			}
		}
		return false
	},
	New:     func(b *Builder) Importer { return &awsText{newAWSPrices(b)} },
	Streams: true,
}

const awsTextTag = "SPOTPRICEHISTORY"

// awsZoneIDForm is what every zone ID looks like, those of local zones included.
var awsZoneIDForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*-az\d+$`)

// awsText reads the command's text.
type awsText struct{ awsPrices }

func (b *awsText) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
	var pages awsPages
	var page awsPage
	for l := range s.lines() {
		if strings.HasPrefix(l.text, awsTextTag+"\t") {
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
func (b *awsText) token(l line, pages *awsPages, page *awsPage) error {
	token, tagged := strings.CutPrefix(l.text, "NEXTTOKEN\t")
	if strings.Contains(token, "\t") || len(token) > maxToken {
		return l.errorAt(1, "line begins with %s, expected %s or NEXTTOKEN and tab-separated fields", quote(l.text), awsTextTag)
	}
	if token == "None" {
		token = ""
	}
	if tagged {
		page.setToken(token, l.errorf)
	}
	if page.rows > 0 {
		if err := b.turnPage(pages, *page); err != nil {
			return err
		}
		*page = awsPage{}
	}
	if !tagged {
		page.setToken(token, l.errorf)
	}
	return nil
}

// line reads one price: tag, zone, its ID where there is one, type, product,
// price, instant.
func (b *awsText) line(l line, page *awsPage) error {
	f, column, err := l.split("\t", 6, 7)
	if err != nil {
		return err
	}
	f, column = f[1:], column[1:]
	p := newAWSPrice(l.src)
	p.zone = f[0]
	if len(f) == 6 {
		if p.zoneID = f[1]; !awsZoneIDForm.MatchString(p.zoneID) {
			return l.errorAt(column[1], "%s, expected the ID of a zone, for instance use1-az2", quote(f[1]))
		}
		f, column = append(f[:1:1], f[2:]...), append(column[:1:1], column[2:]...)
	}
	if err := p.readFields(l, f, column); err != nil {
		return err
	}
	b.seeOnPage(page, p.row.T)
	return b.add(p, l.errorf)
}
