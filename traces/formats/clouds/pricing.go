package clouds

import (
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// pricingFormat reads Cyclenerd's price list of Google's machine types.
var pricingFormat = formats.Format{
	Name: "gcp-pricing",
	What: "Cyclenerd's pricing.yml as its generator writes it, one revision a file: hour_spot of every machine " +
		"type in every region at about.timestamp; the trace is in the revisions, so name several; where a GPU " +
		"is not sold the list has a price without it, and does not say so",
	Example: "---\nabout:\n  timestamp: 1741233236\ncompute:\n  instance:\n    a2-highgpu-1g:\n      a100: 1\n " +
		"     cost:\n" +
		"        us-central1:\n          hour: 3.673385\n          hour_spot: 1.293355",
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsPrices,
	Recognise: func(s *read.Source) bool {
		return s.Holds("about:") && s.Holds("\ncompute:\n  instance:\n", "\ncompute:\r\n  instance:\r\n")
	},
	New: func(b *formats.Builder) formats.Importer { return pricing{newPriceList(b)} },
}

var yamlKey = read.Pattern(`^( *)([A-Za-z0-9_.-]+):(?: +(\S.*?))? *$`)

// yamlPath is where a line of a price list stands: its keys and their columns.
type yamlPath struct {
	keys    []string
	indents []int
}

// enter goes to a key at an indent, out of all that stand as deep or deeper.
func (p *yamlPath) enter(indent int, key string) {
	n := len(p.indents)
	for n > 0 && p.indents[n-1] >= indent {
		n--
	}
	p.keys = append(p.keys[:n], key)
	p.indents = append(p.indents[:n], indent)
}

// at returns the names at the stars of a pattern, nil where the path is another.
func (p *yamlPath) at(pattern ...string) []string {
	if len(p.keys) != len(pattern) {
		return nil
	}
	names := []string{}
	for i, want := range pattern {
		if want == "*" {
			names = append(names, p.keys[i])
		} else if want != p.keys[i] {
			return nil
		}
	}
	return names
}

// within reports whether the path begins with keys.
func (p *yamlPath) within(keys ...string) bool {
	return len(p.keys) >= len(keys) && slices.Equal(p.keys[:len(keys)], keys)
}

// pricing reads revisions.
type pricing struct{ priceList }

func (b pricing) Read(s *read.Source) error {
	b.Notef("where a GPU is not sold, the price list has a price without it and does not say so")
	list := pricingList{at: -1}
	for l := range s.Lines() {
		m := yamlKey().FindStringSubmatch(l.Text)
		if m == nil {
			isComment := strings.HasPrefix(strings.TrimSpace(l.Text), "#")
			if list.path.within("compute", "instance") && !isComment {
				return l.ErrorAt(1, "%s, expected a key and its value, as the generator writes them",
					read.Quote(l.Text))
			}
			continue // the licence, or a mark
		}
		list.path.enter(len(m[1]), m[2])
		if len(list.path.keys) > read.MaxDepth {
			return l.ErrorAt(1, "nested deeper than %d", read.MaxDepth)
		}
		if err := list.value(l, m[3]); err != nil {
			return err
		}
	}
	if list.at < 0 || len(list.prices) == 0 {
		return s.Errorf(0, 0, "has no about.timestamp or no hour_spot, expected a pricing.yml with both")
	}
	for _, p := range list.prices {
		p.at = list.at
		if _, err := b.add(s, p); err != nil {
			return err
		}
	}
	b.noteRounded(s, list.rounded)
	if list.unsold > 0 {
		b.Notef("%s: %d Spot prices of 0: taken as not sold, left out", s.Base(), list.unsold)
	}
	return nil
}

// pricingList is what has been read of a price list.
type pricingList struct {
	path    yamlPath
	at      int64
	hour    int64 // on demand, of the region now; below 0: not listed
	prices  []crawledPrice
	rounded int
	unsold  int // Spot prices of 0
}

// value takes what stands behind a key.
func (list *pricingList) value(l read.Line, text string) (err error) {
	column := strings.LastIndex(l.Text, text) + 1
	switch names := list.path.at("compute", "instance", "*", "cost", "*", "hour_spot"); {
	case list.path.at("about", "timestamp") != nil:
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds < 0 || seconds >= traces.MaxInstant/1_000_000 {
			return l.ErrorAt(column, "timestamp %s, expected seconds since 1970", read.Quote(text))
		}
		list.at = seconds * 1_000_000
	case list.path.at("compute", "instance", "*", "cost", "*") != nil:
		if list.hour = -1; text != "" {
			return l.ErrorAt(column, "%s, expected hour and hour_spot on lines of their own", read.Quote(text))
		}
	case list.path.at("compute", "instance", "*", "cost", "*", "hour") != nil:
		if list.hour, err = roundUSD(text, &list.rounded); err != nil {
			return l.ErrorAt(column, "hour %s %v", read.Quote(text), err)
		}
	case names != nil:
		spot, err := roundUSD(text, &list.rounded)
		if err != nil {
			return l.ErrorAt(column, "hour_spot %s %v", read.Quote(text), err)
		}
		if spot == 0 {
			list.unsold++
			return nil
		}
		list.prices = append(list.prices, crawledPrice{typ: names[0], region: names[1], onDemand: list.hour, spot: spot,
			line: l.Number})
	}
	return nil
}
