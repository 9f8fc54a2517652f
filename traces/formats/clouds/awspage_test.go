package clouds

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/traces"
)

// writePage writes the prices of a set as `aws ec2 describe-spot-price-history` prints them, character for character:
// newest first, rows of one instant in the order of their sources, prices with six decimals. With it tests show that
// an import loses nothing.
func writePage(s *traces.Set, w *bytes.Buffer) error {
	heads, err := heads(s)
	if err != nil {
		return err
	}
	w.WriteString("{\n    \"NextToken\": \"\",\n    \"SpotPriceHistory\": [")
	for i, n := range newestFirst(s.Prices) {
		r := &s.Prices[n]
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, "\n        {%s\n", heads[r.PoolID])
		fmt.Fprintf(w, "            \"SpotPrice\": \"%s\",\n", traces.FormatUSD(r.PriceNanoUSD))
		fmt.Fprintf(w, "            \"Timestamp\": \"%s\"\n        }", exactStamp(r.T))
	}
	if len(s.Prices) > 0 {
		w.WriteString("\n    ")
	}
	w.WriteString("]\n}\n")
	return nil
}

// newestFirst returns the numbers of the rows in the order of the service.
func newestFirst(rows []traces.PriceRow) []int {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		x := &rows[i]
		y := &rows[j]
		return cmp.Or(
			cmp.Compare(y.T, x.T),
			cmp.Compare(x.SrcFile, y.SrcFile),
			cmp.Compare(x.SrcRow, y.SrcRow),
			cmp.Compare(i, j),
		)
	})
	return order
}

// heads returns the part of a price that is the same for all prices of a
// pool, by pool.
func heads(s *traces.Set) ([]string, error) {
	heads := make([]string, len(s.Pools))
	for i, r := range s.Prices {
		if r.Currency != "USD" {
			return nil, fmt.Errorf("prices row %d: currency %q, expected USD", i, r.Currency)
		}
		if heads[r.PoolID] != "" {
			continue
		}
		var err error
		if heads[r.PoolID], err = head(&s.Pools[r.PoolID]); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

func head(p *traces.Pool) (string, error) {
	for _, f := range []struct{ name, value string }{{"zone", p.Zone + p.ZoneID}, {"instance type", p.InstanceType},
		{"product", p.Product}} {
		if f.value == "" {
			return "", fmt.Errorf("pool %s has no %s", p.Name, f.name)
		}
	}
	var b bytes.Buffer
	for _, f := range []struct{ key, value string }{
		{"AvailabilityZone", p.Zone}, {"AvailabilityZoneId", p.ZoneID}, {"InstanceType", p.InstanceType},
		{"ProductDescription", p.Product},
	} {
		if f.value == "" {
			continue
		}
		text, err := json.Marshal(f.value)
		if err != nil {
			return "", fmt.Errorf("pool %s: %w", p.Name, err)
		}
		fmt.Fprintf(&b, "\n            %q: %s,", f.key, text)
	}
	return b.String(), nil
}

// exactStamp is an instant as the service writes it, to the millisecond, or
// finer where the row is.
func exactStamp(us int64) string {
	if us%1000 != 0 {
		return time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.000000Z")
	}
	return traces.Stamp(us)
}
