// Package tracetest is what tests of traces share: recorded data, where it is
// there, what it must give, and small sets made by hand.
package tracetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

// HourUs is an hour, us.
const HourUs = int64(3600e6)

// whole says where the files of a set lie of which local copies have a part, or another form, once all of it is pulled.
var whole = map[string]string{
	"skynomad-aws-v100-prices/v100_spot_prices.json": "data/v100_spot_prices.json",
	"skynomad-gcp-h100-probes":                       "data/h100_16_runs",
	"cakelab-gcp-gpu-lifetimes":                      "data/lifetime",
	"goog-preemption-lifetimes":                      "data/data.json",
}

// Recorded returns the path of recorded data as it was published (testutil.Published), and skips the test without it.
func Recorded(t testing.TB, path ...string) string {
	t.Helper()
	if other, is := whole[strings.Join(path, "/")]; is {
		if all := filepath.Join(testutil.Published(t), filepath.FromSlash(other)); exists(all) {
			return all
		}
	}
	return testutil.Published(t, path...)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Golden reads an entry of golden.json: what recorded data must give, counted by other programs.
func Golden(t testing.TB, entry string, into any) {
	t.Helper()
	const entries = 9
	text := testutil.Data(t, "traces/testdata/golden.json", entries)
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil || len(all) != entries {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[entry], into); err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
}

// Same compares an object of golden.json with the fields of the same names of what
// is reported.
func Same(t testing.TB, want map[string]any, got any, but ...string) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var have map[string]any
	if err := json.Unmarshal(text, &have); err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		if strings.Contains(strings.Join(but, " "), name) {
			continue
		}
		if fmt.Sprint(have[name]) != fmt.Sprint(w) {
			t.Errorf("%s is %v, golden %v", name, have[name], w)
		}
	}
}

// Import imports files that must be good.
func Import(t testing.TB, format string, opt traces.Options, paths ...string) (*traces.Set, traces.Report) {
	t.Helper()
	s, r, err := formats.Import(format, paths, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// File writes a file and returns its path.
func File(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Near compares a number that must be there.
func Near(t testing.TB, what string, got *float64, want float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is not there, expected %v", what, want)
		return
	}
	near.Abs(t, what, *got, want, 1e-6)
}

// Table makes a set of one pool with counts of at most four machines and prices, USD,
// both at hours.
func Table(prices, counts [][2]int64, end int64) *traces.Set {
	onDemand := int64(3 * traces.NanoPerUSD)
	s := &traces.Set{Pools: []traces.Pool{{Name: "z/t", Cloud: "aws", OnDemandNano: &onDemand}}}
	for i, p := range prices {
		price := p[1] * traces.NanoPerUSD
		s.Prices = append(s.Prices, traces.PriceRow{T: p[0] * HourUs, Seq: int32(i), PriceNanoUSD: price})
	}
	for i, c := range counts {
		row := traces.CapacityRow{T: c[0] * HourUs, Seq: int32(i), Available: int32(c[1]), Cap: 4}
		s.Capacity = append(s.Capacity, row)
	}
	s.Manifest = traces.Manifest{SchemaVersion: traces.SchemaVersion, TEndUs: end * HourUs, Rows: s.Counts()}
	return s
}

// EventsText is the events of a set, a line each: minute, machine, kind, reason.
func EventsText(s *traces.Set) string {
	var b strings.Builder
	for _, e := range s.InstanceEvents {
		fmt.Fprintln(&b, traces.Stamp(e.T)[11:19], e.InstanceID, e.Kind, e.Reason, s.Pools[e.PoolID].Name)
	}
	return b.String()
}
