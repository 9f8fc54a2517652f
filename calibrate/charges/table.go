package charges

import (
	"fmt"
	"io"
	"slices"

	"github.com/marigram/marigram/internal/csvtext"
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
	maxUSD   = 1e4  // per GB
	minSpeed = 1e-9 // GB/s
	maxSpeed = 1e6
)

// OpenTariffs reads the table at path, see ReadTariffs.
func OpenTariffs(path string) (*Table, error) { return csvtext.Open(path, ReadTariffs) }

// ReadTariffs reads a table: CSV with the columns from, to and usd_per_gb, and gb_per_s if rates
// differ, too. from and to name a zone, a region, a cloud or, as *, any place. The row with
// the closest names counts, its source before its destination, and of equal ones the last.
// Errors name the file, line and column.
func ReadTariffs(name string, r io.Reader) (*Table, error) {
	in, err := csvtext.Read(name, r, columns[:3]...)
	if err != nil {
		return nil, err
	}
	for i, cells := range in.Header {
		if !slices.Contains(columns, cells) {
			return nil, in.HeaderErrorf(i, "column %q, expected %v", cells, columns)
		}
	}
	table := &Table{name: name, rows: make([]entry, len(in.Rows))}
	for i := range table.rows {
		cells := in.Cells(i)
		for _, place := range columns[:2] {
			if cells.Text(place) == "" {
				return nil, in.Errorf(i, place, "empty, expected a zone, a region, a cloud or *")
			}
		}
		row := entry{from: cells.Text("from"), to: cells.Text("to"), usdPerGB: cells.Number("usd_per_gb", 0, maxUSD)}
		if cells.Text("gb_per_s") != "" {
			row.gbPerS = cells.Number("gb_per_s", minSpeed, maxSpeed)
		}
		if cells.Err != nil {
			return nil, cells.Err
		}
		table.rows[i] = row
	}
	return table, nil
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
	largest := 0
	for i := range t.rows {
		row := &t.rows[i]
		source := from.closeness(row.from)
		destination := to.closeness(row.to)
		near := 5*source + destination
		if source > 0 && destination > 0 && near >= largest {
			best = row
			largest = near
		}
	}
	return best
}

// USD implements Tariff. Within a zone it is 0 unless a row names the zone.
func (t *Table) USD(from, to Place, gb float64) (float64, error) {
	row := t.find(from, to)
	if ScopeOf(from, to) == SameZone && (row == nil || from.closeness(row.from) < 4 || to.closeness(row.to) < 4) {
		return 0, nil
	}
	if row == nil {
		return 0, fmt.Errorf("%s has no row from %s to %s; one from * to * is for all others", t.name, from, to)
	}
	return gb * row.usdPerGB, nil
}

// Seconds returns how long n gigabytes take, by the row's rate or else by TransferSeconds.
func (t *Table) Seconds(from, to Place, gb float64) float64 {
	if row := t.find(from, to); row != nil && row.gbPerS > 0 && ScopeOf(from, to) != SameZone {
		return gb / row.gbPerS
	}
	return TransferSeconds(from, to, gb)
}
