package clouds

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// onlyPrices returns what is the same in every form of the same prices.
func onlyPrices(s *traces.Set) []traces.PriceRow {
	rows := append([]traces.PriceRow{}, s.Prices...)
	for i := range rows {
		rows[i].SrcRow = 0
	}
	return rows
}

// The same prices in every form make the same rows.
func TestAWSFormsAgree(t *testing.T) {
	newest, oldest := testutil.AWSRow("us-east-1b", "1.067100", testutil.T1), testutil.AWSRow("us-east-1b", "1.000000", testutil.T0)
	want, _ := tracetest.Import(t, "aws-spot-price", traces.Options{}, tracetest.File(t, "a.json", testutil.AWSPage("", newest, oldest)))
	text := testutil.AWSTextLine("us-east-1b", "1.067100", testutil.T1) + testutil.AWSTextLine("us-east-1b", "1.0", testutil.T0)
	orf := `{"region": "us-east-1", "availability_zone": "us-east-1b", "instance_type": "p3.2xlarge", "product_description": "Linux/UNIX", ` +
		`"spot_price": 1.0671, "timestamp": "2020-02-20 23:00:00"}` + "\n" +
		`{"timestamp": "2020-02-20T22:00:00Z", "spot_price": "1.0000", "instance_type": "p3.2xlarge", "product_description": "Linux/UNIX", ` +
		`"availability_zone": "us-east-1b", "region": "us-east-1"}` + "\n"
	for name, c := range map[string]struct{ format, text string }{
		"text":            {"aws-spot-text", text},
		"text with token": {"aws-spot-text", "NEXTTOKEN\tNone\n" + text},
		"text, pages": {"aws-spot-text", "tok\n" + testutil.AWSTextLine("us-east-1b", "1.067100", testutil.T1) + "None\n" +
			testutil.AWSTextLine("us-east-1b", "1.0", testutil.T0)},
		"text, tagged page": {"aws-spot-text", testutil.AWSTextLine("us-east-1b", "1.067100", testutil.T1) + "NEXTTOKEN\ttok\n" +
			testutil.AWSTextLine("us-east-1b", "1.0", testutil.T0)},
		"text CRLF":       {"aws-spot-text", strings.ReplaceAll(text, "\n", "\r\n")},
		"text BOM":        {"aws-spot-text", "\xef\xbb\xbf" + text},
		"text twice":      {"aws-spot-text", text + text},
		"NDJSON":          {"aws-spot-lines", newest + "\n" + oldest + "\n"},
		"NDJSON CRLF BOM": {"aws-spot-lines", "\xef\xbb\xbf" + newest + "\r\n" + oldest + "\r\n"},
		"NDJSON twice":    {"aws-spot-lines", newest + "\n" + oldest + "\n" + newest + "\n" + oldest},
		"small letters":   {"aws-spot-lines", orf},
	} {
		for packing, packed := range map[string]string{"": c.text, ".gz": testutil.Gzipped(t, c.text), ".zst": testutil.Zstded(t, c.text),
			"two streams": testutil.Gzipped(t, c.text[:5]) + testutil.Gzipped(t, c.text[5:])} {
			got, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "prices"+packing, packed))
			if r.Format != c.format || !reflect.DeepEqual(onlyPrices(got), onlyPrices(want)) {
				t.Errorf("%s%s (%s): %+v, expected %+v", name, packing, r.Format, got.Prices, want.Prices)
			}
			if !reflect.DeepEqual(got.Pools, want.Pools) {
				t.Errorf("%s: pools %+v, expected %+v", name, got.Pools, want.Pools)
			}
			if twice := strings.HasSuffix(name, "twice"); twice != (r.Duplicates == 2) {
				t.Errorf("%s: %d duplicates", name, r.Duplicates)
			}
		}
	}
}

func TestAWSTextZoneID(t *testing.T) {
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.txt", "SPOTPRICEHISTORY\tus-east-1b\tuse1-az2\tp3.2xlarge\tWindows\t4.5\t"+testutil.T0))
	if p := s.Pools[0]; p.ZoneID != "use1-az2" || p.Zone != "us-east-1b" || p.Name != "us-east-1b/p3.2xlarge/Windows" {
		t.Errorf("pool %+v", p)
	}
}

func TestAWSLinesWithoutProduct(t *testing.T) {
	s, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.jsonl", `{"availability_zone": "eu-west-1a", "instance_type": `+
		`"p3.2xlarge", "spot_price": 1.5, "timestamp": "2024-01-13T00:00:00Z"}`))
	if s.Pools[0].Product != "" || !strings.Contains(strings.Join(r.Notes, " "), "without a product") {
		t.Errorf("pool %+v, notes %v: the product was made up", s.Pools[0], r.Notes)
	}
}

// 1,000 rows are one page of the service, which may have been cut.
func TestAWSSuspectPage(t *testing.T) {
	line := func(i int) string {
		return testutil.AWSTextLine("us-east-1b", "1.5", traces.Stamp(1_600_000_000_000_000-int64(i)*60e6))
	}
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(line(i))
	}
	_, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.txt", b.String()))
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "a.txt has exactly 1000 rows") {
		t.Errorf("notes %v", r.Notes)
	}
	b.WriteString(line(1000))
	if _, r = tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.txt", b.String())); len(r.Notes) != 0 {
		t.Errorf("1001 rows are no page: %v", r.Notes)
	}
	_, _, err := formats.Import("", []string{tracetest.File(t, "a.txt", b.String()+"NEXTTOKEN\tabc\n")}, traces.Options{})
	if err == nil || !strings.Contains(err.Error(), `a.txt:1002:1: NextToken "abc" is not empty`) {
		t.Errorf("cut page: %v", err)
	}
}

func TestAWSFormErrors(t *testing.T) {
	text := testutil.AWSTextLine("us-east-1b", "1.5", testutil.T0)
	lines := testutil.AWSRow("us-east-1b", "1.5", testutil.T0) + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"text price":     {testutil.AWSTextLine("us-east-1b", "-1", testutil.T0), `a:1:51: price "-1", expected a decimal number`},
		"text time":      {text + testutil.AWSTextLine("us-east-1b", "1.5", "yesterday"), `a:2:55: timestamp "yesterday", expected RFC 3339`},
		"text old":       {testutil.AWSTextLine("us-east-1b", "1.5", "1020-01-01T00:00:00Z"), "is out of range"},
		"text zone":      {testutil.AWSTextLine("", "1.5", testutil.T0), `a:1:18: zone "", expected a name`},
		"text fields":    {"SPOTPRICEHISTORY\tx\n", "a:1:1: 2 fields in"},
		"text zone ID":   {"SPOTPRICEHISTORY\tus-east-1b\tp3\tp3.2xlarge\tLinux/UNIX\t1\t" + testutil.T0, `a:1:29: zone ID "p3", expected the ID of a zone`},
		"text token":     {"tok\n" + text, `a:1:1: NextToken "tok" is not empty`},
		"text not go on": {"tok\n" + text + "None\n" + testutil.AWSTextLine("us-east-1b", "1.5", testutil.T1), `a:1:1: NextToken "tok" is not empty`},
		"text other":     {text + "a\tb\n", `a:2:1: line begins with "a\tb", expected SPOTPRICEHISTORY`},
		"text accounts": {"SPOTPRICEHISTORY\tus-east-1b\tuse1-az1\tp3\tL\t1\t" + testutil.T0 + "\nSPOTPRICEHISTORY\tus-east-1b\tuse1-az2\tp3\tL\t1\t" +
			testutil.T0, "a:2:1: zone us-east-1b has the ID use1-az2 here"},
		"lines price":      {lines + strings.Replace(lines, `"1.5"`, "true", 1), "a:2:115: SpotPrice is the truth value true"},
		"lines small":      {`{"spot_price": [1]}`, "spot_price is an array, expected a decimal number"},
		"lines small fine": {`{"spot_price": 1e-3}`, `spot_price "1e-3", expected a decimal number`},
		"lines cut":        {lines + lines[:50], "a:2:51: the JSON ends in the middle"},
		"lines missing":    {lines + "{}\n", "a:2:2: the price ends without AvailabilityZone"},
		"lines time":       {`{"spot_price": 1, "timestamp": "2020-13-13 00:00:00"}`, `timestamp "2020-13-13 00:00:00", expected for instance 2020`},
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, "a", c.text)}, traces.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
	}
}

// The recorded pages, written in the other forms, make the same rows.
func TestAWSFormsOfRecordedPrices(t *testing.T) {
	page := tracetest.Recorded(t, "dime-aws-spot-prices", "cost", "us-east-1", "2020-02-27.p3.2xlarge.json")
	want, _ := tracetest.Import(t, "", traces.Options{}, page)
	var text, lines strings.Builder
	for _, r := range want.Prices {
		p := want.Pools[r.PoolID]
		text.WriteString(strings.Join([]string{textTag, p.Zone, p.InstanceType, p.Product, traces.FormatUSD(r.PriceNanoUSD), traces.Stamp(r.T)}, "\t") + "\n")
		lines.WriteString(testutil.AWSRow(p.Zone, traces.FormatUSD(r.PriceNanoUSD), traces.Stamp(r.T)) + "\n")
	}
	dir := t.TempDir()
	for name, data := range map[string]string{"a.txt.gz": testutil.Gzipped(t, text.String()), "a.jsonl.zst": testutil.Zstded(t, lines.String())} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		got, _ := tracetest.Import(t, "", traces.Options{}, path)
		if len(got.Prices) == 0 || !reflect.DeepEqual(onlyPrices(got), onlyPrices(want)) {
			t.Errorf("%s: other rows than the page", name)
		}
	}
}

// A price in AWS's lines may be a number.
func TestAWSLinesNumbers(t *testing.T) {
	row := testutil.AWSRow("us-east-1b", "1.067100", testutil.T0)
	want, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.jsonl", row))
	got, r := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.jsonl", strings.Replace(row, `"1.067100"`, "1.0671", 1)))
	if r.Format != "aws-spot-lines" || !reflect.DeepEqual(got.Prices, want.Prices) {
		t.Errorf("%s: %+v, expected %+v", r.Format, got.Prices, want.Prices)
	}
}
