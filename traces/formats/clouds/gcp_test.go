package clouds

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestGCPPrices(t *testing.T) {
	const head = revisionsHeader + "\r\n"
	line := func(day int, onDemand, spot string) string {
		return fmt.Sprintf("c0ffee,2023-05-%02dT06:00:00Z,2023-05-%02dT05:59:00Z,a2-highgpu-1g,us-central1,%s,%s\r\n", day, day, onDemand, spot)
	}
	text := head + line(8, "3.6", "1.102") + line(15, "3.6", "1.1020005") + line(29, "3.7", "1.202000000499") + line(22, "3.65", "1.1020005")
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.csv", "\xef\xbb\xbf"+text))
	if r.Format != "gcp-prices" || len(s.Prices) != 4 || r.OutOfOrder != 1 {
		t.Fatalf("%+v", r)
	}
	week := int64(7 * 24 * tracetest.HourUs)
	for i, want := range []struct {
		nano, uncertain int64
		beat            bool
	}{{1_102_000_000, 0, false}, {1_102_000_000, week, true}, {1_102_000_000, week, true}, {1_202_000_000, week, false}} {
		if p := s.Prices[i]; p.PriceNanoUSD != want.nano || p.UncertainUs != want.uncertain || p.Heartbeat != want.beat || p.Origin != traces.OriginPoll {
			t.Errorf("row %d: %+v, expected %+v", i, p, want)
		}
	}
	if note := strings.Join(r.Notes, "\n"); !strings.Contains(note, "2 prices within 0.000001 USD") ||
		!strings.Contains(note, "1 prices with more than nine decimals") {
		t.Errorf("notes %s", note)
	}
	if p := s.Pools[0]; p.Name != "us-central1/a2-highgpu-1g" || p.Region != "us-central1" || p.GPUType != "A100" || *p.OnDemandNano != 3_700_000_000 {
		t.Errorf("pool %+v, expected the price on demand of the last crawl", p)
	}
	if s.Manifest.SamplingUs != week {
		t.Errorf("sampling %d us", s.Manifest.SamplingUs)
	}
	_, r = tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.csv", text+strings.TrimPrefix(text, head)))
	if r.Duplicates != 4 {
		t.Errorf("%d duplicates of a file that holds its rows twice", r.Duplicates)
	}
}

// The recorded trace against what specs/traces.md says of it.
func TestGCPPricesRecorded(t *testing.T) {
	check := near.Count(t)
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.Recorded(t, "cyclenerd-gcp-spot-prices"))
	if len(r.Skipped) != 2 || r.Rows != 8041 || len(s.Pools) != 67 || r.Duplicates != 0 || r.OutOfOrder != 0 {
		t.Fatalf("%+v", r)
	}
	// 429 changes of 1e-6 and more, by another count of the same file.
	if got := r.Changes - len(s.Pools); got != 429 {
		t.Errorf("%d changes, expected 429", got)
	}
	a3 := s.PoolNamed("us-central1/a3-highgpu-8g")
	first := slices.IndexFunc(s.Prices, func(p traces.PriceRow) bool { return int(p.PoolID) == a3 })
	p := describe.Stats(s).Pools[a3]
	if p.Price == nil || check.Off(traces.USD(s.Prices[first].PriceNanoUSD), 61.9, .05) || check.Off(p.Price.Min, 20.4, .05) {
		t.Errorf("a3-highgpu-8g in us-central1: %+v from %+v on, published 61.9 in 2024-05 and 20.4 in 2025", p.Price, s.Prices[first])
	}
	if od := s.Pools[a3].OnDemandNano; od == nil || check.Off(traces.USD(*od), 88.49, .005) {
		t.Errorf("on demand %v, published 88.49", od)
	}
	uncertain := int64(0)
	for _, p := range s.Prices {
		uncertain = max(uncertain, p.UncertainUs)
	}
	if uncertain > 22*24*tracetest.HourUs || uncertain < 7*24*tracetest.HourUs {
		t.Errorf("longest uncertainty %d days, published: weekly, 21 at most", uncertain/24*tracetest.HourUs)
	}
}

func TestGCPPricing(t *testing.T) {
	next := strings.Replace(strings.Replace(testutil.PricingYML, "1741233236", "1741838036", 1), "1.441435835", "1.5", 1)
	for name, text := range map[string]string{"as it is": testutil.PricingYML, "CRLF": strings.ReplaceAll(testutil.PricingYML, "\n", "\r\n"),
		"BOM": "\xef\xbb\xbf" + testutil.PricingYML} {
		s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "b.yml", next), tracetest.File(t, "a.yml", text))
		if r.Format != "gcp-pricing" || len(s.Pools) != 2 || len(s.Prices) != 4 {
			t.Fatalf("%s: %+v, %+v", name, s.Pools, s.Prices)
		}
		if p := s.Prices[0]; p.PriceNanoUSD != 1_441_435_835 || traces.Stamp(p.T) != "2025-03-06T03:53:56.000Z" || p.SrcRow != 16 {
			t.Errorf("%s: %+v", name, p)
		}
		if p := s.Prices[2]; p.PriceNanoUSD != 1_500_000_000 || p.UncertainUs != 7*24*tracetest.HourUs || p.Heartbeat || !s.Prices[3].Heartbeat {
			t.Errorf("%s: %+v", name, p)
		}
		if s.Pools[1].OnDemandNano != nil || *s.Pools[0].OnDemandNano != 4_804_787_940 {
			t.Errorf("%s: pools %+v", name, s.Pools)
		}
		if note := strings.Join(r.Notes, "\n"); !strings.Contains(note, "1 Spot prices of 0") || !strings.Contains(note, "where a GPU is not sold") {
			t.Errorf("%s: notes %s", name, note)
		}
	}
}

func TestGCPErrors(t *testing.T) {
	const row = revisionsHeader + "\nc,2023-05-08T06:42:48Z,g,a2,us-central1,3.6,1.1\n"
	for name, c := range map[string]struct{ text, want string }{
		"prices time":     {row + "c,yesterday,g,a2,us-central1,3.6,1.1\n", `a:3:3: commit_time_utc "yesterday", expected RFC 3339`},
		"prices price":    {row + "c,2023-05-08T06:42:48Z,g,a2,us-central1,3.6,-1.1\n", `a:3:45: hour_spot_usd "-1.1", expected`},
		"prices exponent": {row + "c,2023-05-08T06:42:48Z,g,a2,us-central1,3.6,1e-5\n", `hour_spot_usd "1e-5", expected`},
		"prices type":     {row + "c,2023-05-08T06:42:48Z,g,,us-central1,3.6,1\n", `a:3:26: machine_type ""`},
		"prices header":   {revisionsHeader + "\n", "no row below the header"},
		"prices conflict": {row + "c,2023-05-08T06:42:48Z,g,a2,us-central1,3.6,1.2\n", "a:3:1: pool us-central1/a2 costs 1.200000"},
		"pricing price":   {strings.Replace(testutil.PricingYML, "1.441435835", "~", 1), `a:16:22: hour_spot "~" expected`},
		"pricing time":    {strings.Replace(testutil.PricingYML, "1741233236", "-1", 1), `a:7:14: timestamp "-1", expected seconds`},
		"pricing no time": {strings.Replace(testutil.PricingYML, "  timestamp", "  time", 1), "has no about.timestamp"},
		"pricing deep": {testutil.PricingYML + strings.Join([]string{"a:", " a:", "  a:", "   a:", "    a:", "     a:", "      a:", "       a:",
			"        a:", "         a:", "          a:", "           a:", "            a:", "             a:", "              a:", "               a:",
			"                a:"}, "\n"), "nested deeper than 16"},
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, "a", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}
