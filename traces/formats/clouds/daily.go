package clouds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

const (
	dayUs   = 24 * 60 * 60 * 1_000_000
	dayForm = "1/2/2006"
)

var dayLine = read.Pattern(`^\d{1,2}/\d{1,2}/\d{4}(,(\$[0-9.]+)?)+$`)

// dailyFormat reads tables of prices with a line a day and a column a type.
var dailyFormat = formats.Format{
	Name: "azure-daily",
	What: "CSV with a line a day and a column a machine type of Azure, one region a file (Dime): M/D/YYYY, " +
		"prices with a dollar sign, an empty cell where the type was not offered; the hour of the day is not " +
		"stated, midnight is taken; the option region says the region, or else the file's name stands for it",
	Example:   "Date,NC6,NC6s v3\n2/24/2020,$0.12276,\n2/25/2020,$0.12276,$0.60313",
	Version:   1,
	Clock:     traces.ClockUnknownTZ,
	Semantics: traces.SemanticsPrices,
	Recognise: func(s *read.Source) bool {
		isHeader := true
		for r := range s.Rows() {
			if !isHeader {
				return dayLine().MatchString(r.Joined())
			}
			if isHeader = false; r.Err != nil || r.Fields[0] != "Date" {
				return false
			}
		}
		return false
	},
	New: func(b *formats.Builder) formats.Importer { return daily{b} },
}

// dailyColumn is the trace of one column.
type dailyColumn struct {
	name    string // in the header
	typ     string
	rows    []traces.PriceRow
	columns []int // in which column of the text each row stands
}

// daily reads tables.
type daily struct{ *formats.Builder }

func (b daily) Read(s *read.Source) error {
	b.Manifest.SamplingUs = dayUs
	b.PolledPrices()
	b.Notef("the hour of the day is not stated: midnight is taken")
	var table []dailyColumn
	last := int64(-1)
	for r := range s.Table("Date") {
		if table == nil && r.Err == nil {
			table = dailyColumns(r)
		}
		if last = dailyPrices(r, table, last); r.Err != nil {
			return r.Err
		}
	}
	return b.addDaily(s, table, last+dayUs)
}

// dailyColumns returns the columns of the machine types that the header names.
func dailyColumns(r *read.Row) []dailyColumn {
	var table []dailyColumn
	for _, name := range r.Names {
		if err := read.CheckName(name); err != nil {
			r.Err = r.Source.Errorf(1, 1, "machine type %s in the header, %v", read.Quote(name), err)
		}
		if name != "Date" {
			table = append(table, dailyColumn{name: name, typ: typeName(name)})
		}
	}
	return table
}

// dailyPrices reads the prices of one day, after the day last.
func dailyPrices(r *read.Row, table []dailyColumn, last int64) int64 {
	day := read.Field(r, "Date", func(text string) (int64, error) {
		day, err := readDay(text)
		if err == nil && day <= last {
			err = fmt.Errorf("is not after %s, expected ascending days", traces.Stamp(last))
		}
		return day, err
	})
	for i := range table {
		c := &table[i]
		if price := read.Maybe(r, c.name, parseDollars); price != nil {
			c.add(r, day, *price)
		}
	}
	return day
}

var readDay = read.Calendar(dayForm, "2/24/2020")

// parseDollars reads a price with a dollar sign.
func parseDollars(text string) (int64, error) {
	dollars, signed := strings.CutPrefix(text, "$")
	nano, err := traces.ParseUSD(dollars)
	if !signed || err != nil {
		return 0, errors.New("expected dollars such as $0.24552, or nothing")
	}
	return nano, nil
}

// add adds the price of a day.
func (c *dailyColumn) add(r *read.Row, day, nano int64) {
	c.rows = append(c.rows, traces.PriceRow{T: day, SrcFile: r.Source.Index, SrcRow: int64(r.Line),
		Origin: traces.OriginPoll, PriceNanoUSD: nano, Currency: "USD"})
	c.columns = append(c.columns, r.Places[slices.Index(r.Names, c.name)].Column)
}

// addDaily adds the columns that have a price; the observation ends at end.
func (b daily) addDaily(s *read.Source, table []dailyColumn, end int64) error {
	region := b.Options.Region
	without := 0
	var slips []string
	for _, c := range table {
		if len(c.rows) == 0 {
			without++
			continue
		}
		pool := b.Pool(traces.Pool{
			Name:         traces.PoolName(cmp.Or(region, s.Stem()), c.typ, ""),
			Cloud:        "azure",
			Region:       region,
			Zone:         b.Options.Zone,
			InstanceType: c.typ,
		})
		for i := range c.rows {
			c.rows[i].PoolID = pool
			if i > 0 && c.rows[i].T > c.rows[i-1].T+dayUs {
				b.Gap(pool, c.rows[i-1].T+dayUs, c.rows[i].T, "no price: not offered, or not written down")
			}
		}
		b.ObservedUntil(pool, c.rows[len(c.rows)-1].T+dayUs)
		slips = append(slips, c.slips(s)...)
		if err := b.AddPrice(c.rows...); err != nil {
			return err
		}
	}
	b.NoteFirst(s, slips, "prices stand out")
	if without > 0 {
		b.Notef("%s: %d of %d machine types have no price: not offered", s.Base(), without, len(table))
	}
	return nil
}

// slips describes prices that look like slips of the hand: three times those of
// the days before and after, or a third of them, where these two are within a
// half of each other. They are kept.
func (c *dailyColumn) slips(s *read.Source) (text []string) {
	for i := 1; i+1 < len(c.rows); i++ {
		before := c.rows[i-1].PriceNanoUSD
		price := c.rows[i].PriceNanoUSD
		after := c.rows[i+1].PriceNanoUSD
		lo := min(before, after)
		hi := max(before, after)
		if 2*hi <= 3*lo && (price >= 3*hi || 3*price <= lo) {
			text = append(text, fmt.Sprintf("%s:%d:%d: price %s of %s stands out from %s before and %s after: kept, "+
				"but it may be a slip",
				s.Base(), c.rows[i].SrcRow, c.columns[i], traces.FormatUSD(price), c.typ, traces.FormatUSD(before),
				traces.FormatUSD(after)))
		}
	}
	return text
}
