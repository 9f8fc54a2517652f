package clouds

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestAWSForms(t *testing.T) {
	newest, oldest := testutil.AWSRow("us-east-1b", "1.067100", testutil.T1), testutil.AWSRow("us-east-1b", "1.000000", testutil.T0)
	page := testutil.AWSPage("", newest, oldest)
	want, _ := tracetest.Import(t, "aws-spot-price", traces.Options{}, tracetest.File(t, "a.json", page))
	if len(want.Prices) != 2 || want.Prices[0].PriceNanoUSD != 1_000_000_000 || want.Prices[1].PriceNanoUSD != 1_067_100_000 {
		t.Fatalf("prices %+v", want.Prices)
	}
	if p := want.Pools[0]; p.Name != "us-east-1b/p3.2xlarge" || p.Region != "us-east-1" || p.GPUType != "V100" || p.GPUCount != 1 ||
		*p.OnDemandNano != 3_060_000_000 {
		t.Errorf("pool %+v", p)
	}
	for name, text := range map[string]string{
		"CRLF": strings.ReplaceAll(strings.ReplaceAll(page, ",\n", ",\r\n"), "{", "{\r\n"),
		"BOM":  "\xef\xbb\xbf" + page,
		"other key order": `{"SpotPriceHistory": [{"Timestamp": "` + testutil.T1 + `", "SpotPrice": "1.0671", "InstanceType": "p3.2xlarge", ` +
			`"ProductDescription": "Linux/UNIX", "AvailabilityZone": "us-east-1b"},` + oldest + `], "NextToken": null}`,
		"offset":         strings.ReplaceAll(page, "00.000Z", "00+00:00"),
		"other offset":   strings.ReplaceAll(page, "T23:00:00.000Z", "T18:00:00-05:00"),
		"two pages":      testutil.AWSPage("", newest) + "\n" + testutil.AWSPage("", oldest),
		"continued page": testutil.AWSPage("more", newest) + "\n" + testutil.AWSPage("", oldest),
		"duplicate page": page + page,
		"unknown fields": strings.Replace(page, `{"Next`, `{"ResponseMetadata": {"a": [1, {"b": null}]}, "Next`, 1),
		"oldest first":   testutil.AWSPage("", oldest, newest),
	} {
		got, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", text))
		if n := len(got.Prices); n != 2 {
			t.Errorf("%s: %d prices", name, n)
			continue
		}
		for i := range got.Prices {
			g, w := got.Prices[i], want.Prices[i]
			g.SrcRow, w.SrcRow = 0, 0
			if g != w {
				t.Errorf("%s: price %d is %+v, expected %+v", name, i, g, w)
			}
		}
		if wantDup := map[bool]int{true: 2}[name == "duplicate page"]; r.Duplicates != wantDup {
			t.Errorf("%s: %d duplicates", name, r.Duplicates)
		}
		if wantLate := map[bool]int{true: 1}[name == "oldest first"]; r.OutOfOrder != wantLate {
			t.Errorf("%s: %d rows out of order", name, r.OutOfOrder)
		}
		if name == "unknown fields" && !strings.Contains(strings.Join(r.Notes, ""), "ResponseMetadata") {
			t.Errorf("unknown field not reported: %v", r.Notes)
		}
	}
}

func TestAWSZoneID(t *testing.T) {
	row := strings.Replace(testutil.AWSRow("us-east-1b", "1", testutil.T0), `{`, `{"AvailabilityZoneId": "use1-az2", `, 1)
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", testutil.AWSPage("", row)))
	if s.Pools[0].ZoneID != "use1-az2" || s.Pools[0].Zone != "us-east-1b" {
		t.Errorf("pool %+v", s.Pools[0])
	}
	alone := strings.Replace(row, `"AvailabilityZone": "us-east-1b", `, "", 1)
	s, _ = tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", testutil.AWSPage("", alone)))
	if s.Pools[0].Zone != "" || s.Pools[0].Name != "use1-az2/p3.2xlarge" {
		t.Errorf("pool %+v", s.Pools[0])
	}
}

func TestAWSHeartbeatsAndCarryIn(t *testing.T) {
	start, _ := time.Parse(time.RFC3339, testutil.T1)
	s, r := tracetest.Import(t, "", traces.Options{Start: start}, tracetest.File(t, "a.json",
		testutil.AWSPage("", testutil.AWSRow("us-east-1b", "2", testutil.T2),
			testutil.AWSRow("us-east-1b", "2", testutil.T1), testutil.AWSRow("us-east-1b", "2", testutil.T0))))
	if r.Heartbeats != 2 || r.Changes != 1 || !s.Prices[1].Heartbeat || s.Prices[0].Heartbeat {
		t.Errorf("report %+v, rows %+v", r, s.Prices)
	}
	if !s.Prices[0].CarryIn || s.Prices[1].CarryIn || s.Manifest.TStartUs != start.UnixMicro() {
		t.Errorf("carried in: %+v, start %s", s.Prices, traces.Stamp(s.Manifest.TStartUs))
	}
	empty := tracetest.File(t, "empty.json", testutil.AWSPage(""))
	_, r = tracetest.Import(t, "", traces.Options{}, empty, tracetest.File(t, "a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "2", testutil.T0))))
	if r.EmptyFiles != 1 || r.Rows != 1 {
		t.Errorf("no prices in one of two: %+v", r)
	}
	if _, _, err := formats.Import("", []string{empty}, traces.Options{}); err == nil || !strings.Contains(err.Error(), "no rows in 1 files") {
		t.Errorf("no prices at all: %v", err)
	}
}

func TestAWSAllowTruncated(t *testing.T) {
	_, r := tracetest.Import(t, "", traces.Options{AllowTruncated: true},
		tracetest.File(t, "a.json", testutil.AWSPage("x", testutil.AWSRow("us-east-1b", "2", testutil.T1))))
	if r.FilesWithNextToken != 1 || r.TruncatedAccepted != 1 {
		t.Errorf("report %+v", r)
	}
}

func TestGoldenAWSPrices(t *testing.T) {
	check := near.Count(t)
	var dirs []string
	for _, region := range []string{"eu-central-1", "eu-north-1", "eu-west-3", "us-east-1", "us-west-1", "us-west-2"} { // of which golden.json is
		dirs = append(dirs, tracetest.Recorded(t, "dime-aws-spot-prices", "cost", region))
	}
	var want map[string]any
	tracetest.Golden(t, "dime-aws-spot-prices", &want)
	s, r := tracetest.Import(t, "", traces.Options{AllowTruncated: true}, dirs...)
	tracetest.Same(t, want, r)
	if len(r.Skipped) != 0 {
		t.Errorf("skipped %v, expected nothing", r.Skipped)
	}
	if r.OutOfOrder != 0 {
		t.Errorf("%d rows out of order, the command prints newest first", r.OutOfOrder)
	}
	st := describe.Stats(s)
	changes, beats := 0, 0
	for _, p := range st.Pools {
		changes += p.Price.Changes
		beats += p.Price.Heartbeats
		if r := p.Price.OverOnDemand; r != nil && check.Outside(*r, .29, 1.01) {
			t.Errorf("%s: mean price is %.3f of on-demand, published .300 to 1", p.Pool, *r)
		}
	}
	if float64(changes) != want["effective_changes_incl_first"] || float64(beats) != want["heartbeats"] {
		t.Errorf("statistics count %d changes and %d heartbeats, golden %v and %v", changes, beats, want["effective_changes_incl_first"], want["heartbeats"])
	}
	if st.PriceSame == nil || st.PriceCross == nil || !(*st.PriceSame > *st.PriceCross) {
		t.Errorf("price correlation within %v and across regions %v, expected the former to be larger", st.PriceSame, st.PriceCross)
	} else {
		t.Logf("price correlation within regions %.2f, across %.2f", *st.PriceSame, *st.PriceCross)
	}
}

func TestGoldenAWSTruncated(t *testing.T) {
	page := tracetest.Recorded(t, "dime-aws-spot-prices", "cost", "us-east-1", "p2.xlarge.json")
	_, _, err := formats.Import("aws-spot-price", []string{page}, traces.Options{})
	if err == nil || !strings.Contains(err.Error(), "p2.xlarge.json:2:18: NextToken") {
		t.Errorf("cut page: %v, expected a refusal that names file, line and NextToken", err)
	}
}
