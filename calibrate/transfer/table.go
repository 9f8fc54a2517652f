package transfer

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Table is a user's own tariff.
type Table struct {
	name string
	rows []entry
}

// entry is one row: prices from what a name matches to what another does.
type entry struct {
	from, to string
	usdPerGB float64
	gbPerS   float64 // 0: not given
}

// columns of a table; the last may be left out.
var columns = []string{"from", "to", "usd_per_gb", "gb_per_s"}

// Limits of a table.
const (
	maxRows  = 100_000
	maxUSD   = 1e4 // per GB
	maxSpeed = 1e6 // GB/s
)

// Read reads a table: CSV with the columns from, to and usd_per_gb, and gb_per_s if rates
// differ, too. from and to name a zone, a region, a cloud or, as *, any place. The row with
// the closest names counts, its source before its destination, and of equal ones the last.
// Errors name the file, line and column.
func Read(name string, r io.Reader) (*Table, error) {
	in := csv.NewReader(r)
	in.Comment, in.TrimLeadingSpace = '#', true
	t := &Table{name: name}
	head, err := in.Read()
	if err != nil || !slices.Equal(head, columns) && !slices.Equal(head, columns[:3]) {
		return nil, fmt.Errorf("%s: line 1: expected the columns %s, and gb_per_s if rates differ", name, strings.Join(columns[:3], ", "))
	}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(t.rows) == maxRows {
			return nil, fmt.Errorf("%s: more than %d rows", name, maxRows)
		}
		line := func(column int) string {
			n, _ := in.FieldPos(column)
			return fmt.Sprintf("%s: line %d: %s", name, n, columns[column])
		}
		e := entry{from: row[0], to: row[1]}
		for k, name := range row[:2] {
			if name == "" {
				return nil, fmt.Errorf("%s is empty, expected a zone, a region, a cloud or *", line(k))
			}
		}
		if e.usdPerGB, err = number(row[2], maxUSD); err != nil {
			return nil, fmt.Errorf("%s is %q, expected a price per GB, 0 to %v", line(2), row[2], float64(maxUSD))
		}
		if len(row) > 3 && row[3] != "" {
			if e.gbPerS, err = number(row[3], maxSpeed); err != nil || e.gbPerS == 0 {
				return nil, fmt.Errorf("%s is %q, expected a rate above 0, at most %v", line(3), row[3], float64(maxSpeed))
			}
		}
		t.rows = append(t.rows, e)
	}
	if len(t.rows) == 0 {
		return nil, fmt.Errorf("%s: no row below the header", name)
	}
	return t, nil
}

// number reads a number from 0 to most.
func number(text string, most float64) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= most) || math.IsNaN(x) {
		return 0, errors.New("not a number in range")
	}
	return x, nil
}

// closeness says how closely a name describes a place: 4 for its zone, 3 for its
// region, 2 for its cloud, 1 for *, 0 for none of these.
func (p Place) closeness(name string) int {
	switch name {
	case "":
		return 0
	case p.Zone:
		return 4
	case p.Region:
		return 3
	case p.Cloud:
		return 2
	case "*":
		return 1
	}
	return 0
}

// find returns the row for two places, nil if there is none.
func (t *Table) find(from, to Place) *entry {
	var best *entry
	most := 0
	for i := range t.rows {
		e := &t.rows[i]
		a, b := from.closeness(e.from), to.closeness(e.to)
		if a > 0 && b > 0 && 5*a+b >= most {
			best, most = e, 5*a+b
		}
	}
	return best
}

// USD implements Tariff. Within a zone it is 0 unless a row names the zone.
func (t *Table) USD(from, to Place, gb float64) (float64, error) {
	e := t.find(from, to)
	if ScopeOf(from, to) == SameZone && (e == nil || from.closeness(e.from) < 4 || to.closeness(e.to) < 4) {
		return 0, nil
	}
	if e == nil {
		return 0, fmt.Errorf("%s has no row from %s to %s; one from * to * is for all others", t.name, from, to)
	}
	return gb * e.usdPerGB, nil
}

// Seconds returns how long so many gigabytes take, by the row's rate or else by Seconds.
func (t *Table) Seconds(from, to Place, gb float64) float64 {
	if e := t.find(from, to); e != nil && e.gbPerS > 0 && ScopeOf(from, to) != SameZone {
		return gb / e.gbPerS
	}
	return Seconds(from, to, gb)
}
