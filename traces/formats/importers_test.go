package formats_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	_ "github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// TestErrors holds every complaint to its place and its words.
func TestErrors(t *testing.T) {
	ok := testutil.AWSRow("us-east-1b", "1.0", testutil.T0)
	const header = "date,availability\n"
	polar := traces.Options{Polarity: traces.OneIsAvailable}
	for name, c := range map[string]struct {
		file, text string
		opt        traces.Options
		want       string
	}{
		"a column lacks": {"j.csv", "job_id;submit_s;gpus;duration_s\n", traces.Options{},
			"j.csv: has no known format (its fields are separated by semicolons, expected commas: save it as CSV with commas, " +
				"and numbers with points); name the format, or see traces/FORMATS.md\n" +
				"the nearest is jobs-minimal, with a header such as job_id,submit_s,gpus,duration_s,kind"},
		"unknown format": {"a.bin", "hello\n", traces.Options{}, "a.bin: has no known format; name the format, or see traces/FORMATS.md"},
		"empty file":     {"a.json", " \n", traces.Options{}, "a.json: is empty"},
		"too large":      {"a.json", testutil.AWSPage("", ok), traces.Options{MaxFileBytes: 100}, "more than 100 bytes of text"},
		"negative price": {"a.json", testutil.AWSPage("", ok, testutil.AWSRow("us-east-1b", "-1.0", testutil.T1)), traces.Options{},
			`a.json:2:115: SpotPrice "-1.0", expected a decimal number`},
		"nan price":      {"a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "NaN", testutil.T1)), traces.Options{}, `SpotPrice "NaN", expected`},
		"absurd price":   {"a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "10000.1", testutil.T1)), traces.Options{}, `"10000.1" is out of range`},
		"too fine price": {"a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1.0000000001", testutil.T1)), traces.Options{}, "10 decimals"},
		"number price": {"a.json", testutil.AWSPage("", strings.Replace(ok, `"1.0"`, `1.0`, 1)), traces.Options{},
			"SpotPrice is the number 1.0, expected a string"},
		"bad time":    {"a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1", "2020-02-20 22:06:16")), traces.Options{}, "Timestamp"},
		"absurd time": {"a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1", "0020-02-20T22:06:16Z")), traces.Options{}, "is out of range"},
		"too fine time": {"a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1", "2020-02-20T22:06:16.0000001Z")), traces.Options{},
			"finer than a microsecond"},
		"missing field":    {"a.json", testutil.AWSPage("", strings.Replace(ok, `"InstanceType": "p3.2xlarge", `, "", 1)), traces.Options{}, "without InstanceType"},
		"field twice":      {"a.json", testutil.AWSPage("", strings.Replace(ok, `{`, `{"SpotPrice": "2", `, 1)), traces.Options{}, `"SpotPrice" is given twice`},
		"truncated page":   {"a.json", testutil.AWSPage("", ok)[:90], traces.Options{}, "a.json:1:91: the JSON ends in the middle"},
		"truncated string": {"a.json", "{\n\"NextToken\": \"ab", traces.Options{}, "a.json:2:17: the JSON ends in the middle"},
		"broken JSON":      {"a.json", "{\"NextToken\": \"\",\n!\"SpotPriceHistory\": []}", traces.Options{}, "a.json:2:1: not JSON"},
		"no trace":         {"a.json", `{"NextToken": ""}`, traces.Options{}, "no SpotPriceHistory"},
		"trace is object":  {"a.json", `{"SpotPriceHistory": {}}`, traces.Options{}, "a.json:1:22: SpotPriceHistory is an object, expected an array"},
		"deep JSON":        {"a.json", `{"NextToken": "", "x": ` + strings.Repeat("[", 50), traces.Options{}, "nested deeper than 16"},
		"cut page":         {"a.json", testutil.AWSPage("tok", ok), traces.Options{}, `a.json:1:15: NextToken "tok" is not empty: the page was cut`},
		"cut, not continued": {"a.json", testutil.AWSPage("tok", ok) + testutil.AWSPage("", testutil.AWSRow("us-east-1b", "2", testutil.T1)), traces.Options{},
			`NextToken "tok"`},
		"conflict": {"a.json", testutil.AWSPage("", ok, testutil.AWSRow("us-east-1b", "2.0", testutil.T0)), traces.Options{},
			"costs 2.000000 USD/h at 2020-02-20T22:00:00.000Z here and 1.000000"},
		"zone IDs": {"a.json", testutil.AWSPage("", strings.Replace(ok, `{`, `{"AvailabilityZoneId": "use1-az1", `, 1),
			strings.Replace(ok, `{`, `{"AvailabilityZoneId": "use1-az2", `, 1)), traces.Options{}, "different accounts"},
		"control character": {"a.json", testutil.AWSPage("", testutil.AWSRow(`us\u0000`, "1", testutil.T0)), traces.Options{}, "that can be printed"},

		"lines null price": {"a.jsonl", strings.Replace(ok, `"1.0"`, `null`, 1), traces.Options{}, "a.jsonl:1:115: SpotPrice is null, expected a decimal number"},
		"lines fine price": {"a.jsonl", strings.Replace(ok, `"1.0"`, `0.10000000000000001`, 1), traces.Options{}, "has 17 decimals"},

		"polarity csv": {"z.csv", header + "2023-02-15 22:00:00,1\n", traces.Options{}, "z.csv:1:1: does not say whether 1 means"},
		"csv time back": {"z.csv", header + "2023-02-15 22:00:00,1\n2023-02-15 21:00:00,1\n", polar,
			"z.csv:3:1: time 2023-02-15T21:00:00.000Z is not after 2023-02-15T22:00:00.000Z of line 2"},
		"csv time twice":   {"z.csv", header + "2023-02-15 22:00:00,1\n2023-02-15 22:00:00,0\n", polar, "z.csv:3:1"},
		"csv date":         {"z.csv", header + "15.2.2023 22:00,1\n", polar, `z.csv:2:1: date "15.2.2023 22:00"`},
		"csv value":        {"z.csv", header + "2023-02-15 22:00:00, -1\n", polar, `z.csv:2:22: availability "-1", expected a whole number`},
		"csv no value":     {"z.csv", header + "2023-02-15 22:00:00,\n", polar, `z.csv:2:21: availability ""`},
		"csv above cap":    {"z.csv", header + "2023-02-15 22:00:00,5\n", traces.Options{Polarity: traces.OneIsAvailable, Cap: 4}, `"5" is above the stated cap 4`},
		"csv fields":       {"z.csv", header + "2023-02-15 22:00:00\n", polar, "1 fields in"},
		"csv only header":  {"z.csv", header, polar, "no row below the header"},
		"csv long line":    {"z.csv", header + strings.Repeat("x", 70_000) + "\n", polar, "a record of more than 65536 bytes"},
		"preempted counts": {"z.csv", header + "2023-02-15 22:00:00,2\n", traces.Options{Polarity: traces.OneIsPreempted}, "expected 0 or 1"},

		"polarity json": {"z.json", `{"metadata": {"gap_seconds": 300}, "data": [1]}`, traces.Options{}, "both are published in this layout"},
		"no gap":        {"z.json", `{"metadata": {}, "data": [1]}`, polar, "gap_seconds is missing"},
		"zero gap":      {"z.json", `{"metadata": {"gap_seconds": 0}, "data": [1]}`, polar, "gap_seconds \"0\""},
		"negative gap":  {"z.json", `{"metadata": {"gap_seconds": -5}, "data": [1]}`, polar, `gap_seconds "-5"`},
		"no data":       {"z.json", `{"metadata": {"gap_seconds": 5}}`, polar, "data is missing"},
		"fraction":      {"z.json", "{\"metadata\": {\"gap_seconds\": 5},\n \"data\": [1, 1.5]}", polar, `z.json:2:14: count "1.5"`},
		"trailing":      {"z.json", `{"metadata": {"gap_seconds": 5}, "data": [1]} {}`, polar, "more text follows"},
		"far future":    {"z.json", `{"metadata": {"gap_seconds": 9999999}, "data": [1` + strings.Repeat(",1", 900) + `]}`, polar, "after the year 2199"},

		"node time back":    {"n.csv", "5,add,a\r\n4,add,b\r\n", traces.Options{}, "n.csv:2:1: time \"4\" goes back from 5 (line 1)"},
		"node added twice":  {"n.csv", "5,add,a\n6,add,a\n", traces.Options{}, `n.csv:2:7: node "a" is added, but is there since line 1`},
		"node not there":    {"n.csv", "5,add,a\n6,remove,b\n", traces.Options{}, `n.csv:2:10: node "b" is removed, but is not there`},
		"node other kind":   {"n.csv", "5,add,a\n6,migrate,b\n", traces.Options{}, `n.csv:2:3: event "migrate", expected add or remove`},
		"node time":         {"n.csv", "5,add,a\n-6,remove,a\n", traces.Options{}, `n.csv:2:1: time "-6"`},
		"node time huge":    {"n.csv", "99999999999999999,add,a\n", traces.Options{}, "expected a whole number from 0 to"},
		"node without name": {"n.csv", "5,add,a\n6,add,\n", traces.Options{}, `n.csv:2:7: node ""`},

		"steps disorder": {"g.txt", "2021-12-10, 13:08:45, 80\n2021-12-10, 13:07:45, 80\n", traces.Options{},
			"g.txt:2:1: time goes back from 2021-12-10T13:08:45.000Z (line 1)"},
		"steps date":  {"g.txt", "2021-12-10, 13:08:45, 80\n2021-13-10, 13:07:45, 80\n", traces.Options{}, `g.txt:2:1: date "2021-13-10", expected`},
		"steps count": {"g.txt", "2021-12-10, 13:08:45, 80\n2021-12-10, 13:09:45, x\n", traces.Options{}, `g.txt:2:23: count "x"`},

		"options polarity": {"a.json", testutil.AWSPage("", ok), traces.Options{Polarity: "yes"}, `polarity "yes", expected`},
		"options disorder": {"a.json", testutil.AWSPage("", ok), traces.Options{Disorder: "any"}, `disorder "any", expected`},
		"options end":      {"a.json", testutil.AWSPage("", ok), traces.Options{End: time.Unix(5, 0)}, "is before the last row"},
	} {
		_, _, err := formats.Import("", []string{tracetest.File(t, c.file, c.text)}, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
		var data *traces.DataError
		if err != nil && !errors.As(err, &data) && !strings.HasPrefix(name, "options") {
			t.Errorf("%s: a %T, expected a *DataError", name, err)
		}
	}
}

func TestImportWhatIsThere(t *testing.T) {
	if _, _, err := formats.Import("aws-spot-prices", nil, traces.Options{}); err == nil ||
		err.Error() != `unknown format "aws-spot-prices"; did you mean "aws-spot-price"?` {
		t.Errorf("unknown format: %v", err)
	}
	if _, _, err := formats.Import("somebody-elses", nil, traces.Options{}); err == nil ||
		!strings.Contains(err.Error(), `unknown format "somebody-elses", expected one of: adrs-trace, availability-csv, aws-cloudtrail, aws-cost-report, `) {
		t.Errorf("unknown format: %v", err)
	}
	if _, _, err := formats.Import("", []string{t.TempDir()}, traces.Options{}); err == nil {
		t.Error("an empty folder was imported")
	}
	if _, _, err := formats.Import("", []string{filepath.Join(t.TempDir(), "none")}, traces.Options{}); err == nil {
		t.Error("a file that is not there was imported")
	}
	a := tracetest.File(t, "us-east-1a_v100_1.csv", "date,availability\n2023-02-15 22:00:00,1\n")
	b := tracetest.File(t, "us-east-1a_v100_1.csv", "date,availability\n2023-02-15 22:00:00,1\n")
	if _, _, err := formats.Import("", []string{a, b}, traces.Options{}); err == nil ||
		!strings.Contains(err.Error(), "second file of pool us-east-1a/p3.2xlarge") {
		t.Errorf("two files of one pool: %v", err)
	}
	n := tracetest.File(t, "n.csv", "0,add,a\n")
	if _, _, err := formats.Import("", []string{a, n}, traces.Options{}); err == nil {
		t.Error("files of two formats were imported as one trace")
	}
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "README"), []byte("about\n"), 0o666)
	if _, _, err := formats.Import("", []string{dir}, traces.Options{}); err == nil || !strings.Contains(err.Error(), "no file of a known format") {
		t.Errorf("folder without a trace: %v", err)
	}
}

func TestManifest(t *testing.T) {
	path := tracetest.File(t, "a.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1.5", testutil.T0)))
	s, r := tracetest.Import(t, "", traces.Options{Repo: "https://example.org/r", Commit: "c0ffee", Licence: "MIT"}, path)
	m := s.Manifest
	if f := m.Source.Files; len(f) != 1 || f[0].Path != "a.json" || len(f[0].SHA256) != 64 || f[0].Bytes == 0 {
		t.Errorf("files %+v, expected a path without the folder, a size and a hash", f)
	}
	if m.Source.Licence != "MIT" || m.Importer.Name != "aws-spot-price" || m.Importer.Options.Commit != "c0ffee" || m.Semantics != traces.SemanticsPrices {
		t.Errorf("manifest %+v", m)
	}
	if m.TStartUs != s.Prices[0].T || m.TEndUs != s.Prices[0].T || m.Rows.Prices != 1 || !strings.HasPrefix(m.TraceID, "aws-spot-price-") {
		t.Errorf("manifest %+v", m)
	}
	if text := r.String(); !strings.Contains(text, "1 files, 1 rows, 1 kept, in 1 pools, from 2020-02-20T22:00:00.000Z") {
		t.Errorf("report %s", text)
	}
	again, _ := tracetest.Import(t, "", traces.Options{Repo: "https://example.org/r", Commit: "c0ffee", Licence: "MIT"}, path)
	if !reflect.DeepEqual(s, again) {
		t.Error("two imports differ")
	}
}
