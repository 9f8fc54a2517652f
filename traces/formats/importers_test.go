package formats

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

// File writes a file into a folder of its own and returns its path.
func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func awsRowJSON(zone, price, at string) string {
	return `{"AvailabilityZone": "` + zone + `", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "` + price + `", "Timestamp": "` + at + `"}`
}

const (
	t0 = "2020-02-20T22:00:00.000Z"
	t1 = "2020-02-20T23:00:00.000Z"
	t2 = "2020-02-21T00:00:00.000Z"
)

func awsPageJSON(token string, rows ...string) string {
	return `{"NextToken": "` + token + `", "SpotPriceHistory": [` + strings.Join(rows, ",\n") + `]}`
}

func TestAWSForms(t *testing.T) {
	newest, oldest := awsRowJSON("us-east-1b", "1.067100", t1), awsRowJSON("us-east-1b", "1.000000", t0)
	page := awsPageJSON("", newest, oldest)
	want, _ := mustImport(t, "aws-spot-price", traces.Options{}, file(t, "a.json", page))
	if len(want.Prices) != 2 || want.Prices[0].PriceNanoUSD != 1_000_000_000 || want.Prices[1].PriceNanoUSD != 1_067_100_000 {
		t.Fatalf("prices %+v", want.Prices)
	}
	if p := want.Pools[0]; p.Name != "us-east-1b/p3.2xlarge" || p.Region != "us-east-1" || p.GPUType != "V100" || p.GPUCount != 1 || *p.OnDemandNano != 3_060_000_000 {
		t.Errorf("pool %+v", p)
	}
	for name, text := range map[string]string{
		"CRLF":            strings.ReplaceAll(strings.ReplaceAll(page, ",\n", ",\r\n"), "{", "{\r\n"),
		"BOM":             "\xef\xbb\xbf" + page,
		"other key order": `{"SpotPriceHistory": [{"Timestamp": "` + t1 + `", "SpotPrice": "1.0671", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "AvailabilityZone": "us-east-1b"},` + oldest + `], "NextToken": null}`,
		"offset":          strings.ReplaceAll(page, "00.000Z", "00+00:00"),
		"other offset":    strings.ReplaceAll(page, "T23:00:00.000Z", "T18:00:00-05:00"),
		"two pages":       awsPageJSON("", newest) + "\n" + awsPageJSON("", oldest),
		"continued page":  awsPageJSON("more", newest) + "\n" + awsPageJSON("", oldest),
		"duplicate page":  page + page,
		"unknown fields":  strings.Replace(page, `{"Next`, `{"ResponseMetadata": {"a": [1, {"b": null}]}, "Next`, 1),
		"oldest first":    awsPageJSON("", oldest, newest),
	} {
		got, r := mustImport(t, "", traces.Options{}, file(t, "a.json", text))
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
	row := strings.Replace(awsRowJSON("us-east-1b", "1", t0), `{`, `{"AvailabilityZoneId": "use1-az2", `, 1)
	s, _ := mustImport(t, "", traces.Options{}, file(t, "a.json", awsPageJSON("", row)))
	if s.Pools[0].ZoneID != "use1-az2" || s.Pools[0].Zone != "us-east-1b" {
		t.Errorf("pool %+v", s.Pools[0])
	}
	alone := strings.Replace(row, `"AvailabilityZone": "us-east-1b", `, "", 1)
	s, _ = mustImport(t, "", traces.Options{}, file(t, "a.json", awsPageJSON("", alone)))
	if s.Pools[0].Zone != "" || s.Pools[0].Name != "use1-az2/p3.2xlarge" {
		t.Errorf("pool %+v", s.Pools[0])
	}
}

func TestAWSHeartbeatsAndCarryIn(t *testing.T) {
	start, _ := time.Parse(time.RFC3339, t1)
	s, r := mustImport(t, "", traces.Options{Start: start}, file(t, "a.json",
		awsPageJSON("", awsRowJSON("us-east-1b", "2", t2), awsRowJSON("us-east-1b", "2", t1), awsRowJSON("us-east-1b", "2", t0))))
	if r.Heartbeats != 2 || r.Changes != 1 || !s.Prices[1].Heartbeat || s.Prices[0].Heartbeat {
		t.Errorf("report %+v, rows %+v", r, s.Prices)
	}
	if !s.Prices[0].CarryIn || s.Prices[1].CarryIn || s.Manifest.TStartUs != start.UnixMicro() {
		t.Errorf("carried in: %+v, start %s", s.Prices, traces.Stamp(s.Manifest.TStartUs))
	}
	empty := file(t, "empty.json", awsPageJSON(""))
	_, r = mustImport(t, "", traces.Options{}, empty, file(t, "a.json", awsPageJSON("", awsRowJSON("us-east-1b", "2", t0))))
	if r.EmptyFiles != 1 || r.Rows != 1 {
		t.Errorf("no prices in one of two: %+v", r)
	}
	if _, _, err := Import("", []string{empty}, traces.Options{}); err == nil || !strings.Contains(err.Error(), "no rows in 1 files") {
		t.Errorf("no prices at all: %v", err)
	}
}

func TestAWSAllowTruncated(t *testing.T) {
	_, r := mustImport(t, "", traces.Options{AllowTruncated: true}, file(t, "a.json", awsPageJSON("x", awsRowJSON("us-east-1b", "2", t1))))
	if r.FilesWithNextToken != 1 || r.TruncatedAccepted != 1 {
		t.Errorf("report %+v", r)
	}
}

func TestPolarity(t *testing.T) {
	const text = "date,availability\r\n2023-02-15 22:00:00,0\r\n2023-02-15 22:03:00,1\r\n"
	s, _ := mustImport(t, "", traces.Options{Polarity: traces.OneIsPreempted}, file(t, "zone.csv", text))
	if s.Capacity[0].Available != 1 || s.Capacity[1].Available != 0 || s.Pools[0].Name != "zone" {
		t.Errorf("1 = preempted reads %+v in %+v", s.Capacity, s.Pools)
	}
	s, r := mustImport(t, "", traces.Options{}, file(t, "us-east-1a_v100_1.csv", text))
	if s.Capacity[0].Available != 0 || s.Pools[0].InstanceType != "p3.2xlarge" || s.Manifest.Polarity != string(traces.OneIsAvailable) || len(r.Notes) == 0 {
		t.Errorf("the known layout reads %+v, %v", s.Capacity, r.Notes)
	}
}

func TestAvailabilityGap(t *testing.T) {
	var b strings.Builder
	b.WriteString("date,availability\n")
	at := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 20 {
		if at = at.Add(time.Minute); i == 10 {
			at = at.Add(time.Hour)
		}
		b.WriteString(at.Format(dateTime) + ",1\n")
	}
	s, r := mustImport(t, "", traces.Options{Polarity: traces.OneIsAvailable}, file(t, "z.csv", b.String()))
	if r.Gaps != 1 || s.Gaps[0].TEnd-s.Gaps[0].TStart != time.Hour.Microseconds() {
		t.Errorf("gaps %+v", s.Gaps)
	}
	p := describe.Stats(s).Pools[0]
	if p.Hours != 20./60 || *p.Availability != 1 {
		t.Errorf("%v h known, availability %v; the gap is not known", p.Hours, *p.Availability)
	}
	if p.Gaps != 1 || p.GapHours != 1 || r.Bridged != 0 {
		t.Errorf("%d gaps of %v h, %d silences bridged", p.Gaps, p.GapHours, r.Bridged)
	}

	// The same silence under another limit is bridged, which the report says.
	s, r = mustImport(t, "", traces.Options{Polarity: traces.OneIsAvailable, MaxHole: 2 * time.Hour}, file(t, "z.csv", b.String()))
	if r.Gaps != 0 || r.Bridged != 1 || r.LongestBridged != 61*time.Minute || describe.Stats(s).Pools[0].GapHours != 0 {
		t.Errorf("%d gaps, %d silences of up to %v bridged", r.Gaps, r.Bridged, r.LongestBridged)
	}
	if !strings.Contains(r.String(), "1 silences of up to 1h1m0s between polls, bridged") {
		t.Errorf("%s", r)
	}
}

func TestCountsOptions(t *testing.T) {
	a := file(t, "us-east-1a_v100_1.json", `{"data": [4, 0, 2], "metadata": {"gap_seconds": 300, "cloud": "aws"}}`)
	b := file(t, "us-east-1b_v100_1.json", `{"metadata": {"gap_seconds": 300.5}, "data": [1]}`)
	s, r := mustImport(t, "", traces.Options{Polarity: traces.OneIsAvailable, Cap: 8, Sampling: 183 * time.Second,
		Offsets: map[string]time.Duration{"us-east-1b_v100_1": time.Hour}}, a, b)
	if got := s.Capacity[2].T; got != 366e6 || s.Capacity[0].Cap != 8 || s.Capacity[3].T != 3600e6 {
		t.Errorf("rows %+v", s.Capacity)
	}
	if len(s.Gaps) != 1 || s.Gaps[0].PoolID != 0 || s.Gaps[0].TStart != 3*183e6 || s.Gaps[0].TEnd != 3783e6 {
		t.Errorf("gaps %+v: the first pool ends before the second", s.Gaps)
	}
	if !strings.Contains(strings.Join(r.Notes, " "), "metadata.cloud") {
		t.Errorf("notes %v", r.Notes)
	}
}

func TestNodeEventsUnit(t *testing.T) {
	s, _ := mustImport(t, "", traces.Options{Unit: time.Second, Start: time.Unix(1000, 0)}, file(t, "n.csv", "\xef\xbb\xbf0,add,a\r\n30,add,b\r\n61,remove,a\r\n"))
	if e := s.InstanceEvents[2]; e.T != 1061e6 || e.Kind != traces.KindTerminate || e.Reason != "unknown" || e.NoticeUs != nil || e.InstanceID != "a" {
		t.Errorf("event %+v", e)
	}
	if s.Manifest.ClockKind != traces.ClockUTC || s.Manifest.TEndUs != 1061e6 {
		t.Errorf("manifest %+v", s.Manifest)
	}
}

// TestErrors holds every complaint to its place and its words.
func TestErrors(t *testing.T) {
	ok := awsRowJSON("us-east-1b", "1.0", t0)
	const header = "date,availability\n"
	polar := traces.Options{Polarity: traces.OneIsAvailable}
	for name, c := range map[string]struct {
		file, text string
		opt        traces.Options
		want       string
	}{
		"unknown format":     {"a.bin", "hello\n", traces.Options{}, "a.bin: has no known format; name the format, or see traces/FORMATS.md"},
		"empty file":         {"a.json", " \n", traces.Options{}, "a.json: is empty"},
		"too large":          {"a.json", awsPageJSON("", ok), traces.Options{MaxFileBytes: 100}, "more than 100 bytes of text"},
		"negative price":     {"a.json", awsPageJSON("", ok, awsRowJSON("us-east-1b", "-1.0", t1)), traces.Options{}, `a.json:2:115: SpotPrice "-1.0" expected a decimal number`},
		"nan price":          {"a.json", awsPageJSON("", awsRowJSON("us-east-1b", "NaN", t1)), traces.Options{}, `SpotPrice "NaN" expected`},
		"absurd price":       {"a.json", awsPageJSON("", awsRowJSON("us-east-1b", "10000.1", t1)), traces.Options{}, `"10000.1" is not believable`},
		"too fine price":     {"a.json", awsPageJSON("", awsRowJSON("us-east-1b", "1.0000000001", t1)), traces.Options{}, "10 decimals"},
		"number price":       {"a.json", awsPageJSON("", strings.Replace(ok, `"1.0"`, `1.0`, 1)), traces.Options{}, "SpotPrice is the number 1.0, expected a string"},
		"bad time":           {"a.json", awsPageJSON("", awsRowJSON("us-east-1b", "1", "2020-02-20 22:06:16")), traces.Options{}, "Timestamp"},
		"absurd time":        {"a.json", awsPageJSON("", awsRowJSON("us-east-1b", "1", "0020-02-20T22:06:16Z")), traces.Options{}, "is not believable"},
		"too fine time":      {"a.json", awsPageJSON("", awsRowJSON("us-east-1b", "1", "2020-02-20T22:06:16.0000001Z")), traces.Options{}, "finer than a microsecond"},
		"missing field":      {"a.json", awsPageJSON("", strings.Replace(ok, `"InstanceType": "p3.2xlarge", `, "", 1)), traces.Options{}, "without InstanceType"},
		"field twice":        {"a.json", awsPageJSON("", strings.Replace(ok, `{`, `{"SpotPrice": "2", `, 1)), traces.Options{}, `"SpotPrice" is given twice`},
		"truncated page":     {"a.json", awsPageJSON("", ok)[:90], traces.Options{}, "a.json:1:91: the JSON ends in the middle"},
		"truncated string":   {"a.json", "{\n\"NextToken\": \"ab", traces.Options{}, "a.json:2:17: the JSON ends in the middle"},
		"broken JSON":        {"a.json", "{\"NextToken\": \"\",\n!\"SpotPriceHistory\": []}", traces.Options{}, "a.json:2:1: not JSON"},
		"no history":         {"a.json", `{"NextToken": ""}`, traces.Options{}, "no SpotPriceHistory"},
		"history is object":  {"a.json", `{"SpotPriceHistory": {}}`, traces.Options{}, "a.json:1:22: SpotPriceHistory is an object, expected an array"},
		"deep JSON":          {"a.json", `{"NextToken": "", "x": ` + strings.Repeat("[", 50), traces.Options{}, "nested deeper than 16"},
		"cut page":           {"a.json", awsPageJSON("tok", ok), traces.Options{}, `a.json:1:15: NextToken "tok" is not empty: the page was cut`},
		"cut, not continued": {"a.json", awsPageJSON("tok", ok) + awsPageJSON("", awsRowJSON("us-east-1b", "2", t1)), traces.Options{}, `NextToken "tok"`},
		"conflict":           {"a.json", awsPageJSON("", ok, awsRowJSON("us-east-1b", "2.0", t0)), traces.Options{}, "costs 2.000000 USD/h at 2020-02-20T22:00:00.000Z here and 1.000000"},
		"zone IDs":           {"a.json", awsPageJSON("", strings.Replace(ok, `{`, `{"AvailabilityZoneId": "use1-az1", `, 1), strings.Replace(ok, `{`, `{"AvailabilityZoneId": "use1-az2", `, 1)), traces.Options{}, "different accounts"},
		"control character":  {"a.json", awsPageJSON("", awsRowJSON(`us\u0000`, "1", t0)), traces.Options{}, "that can be printed"},

		"lines null price": {"a.jsonl", strings.Replace(ok, `"1.0"`, `null`, 1), traces.Options{}, "a.jsonl:1:115: SpotPrice is null, expected a decimal number"},
		"lines fine price": {"a.jsonl", strings.Replace(ok, `"1.0"`, `0.10000000000000001`, 1), traces.Options{}, "has 17 decimals"},

		"polarity csv":     {"z.csv", header + "2023-02-15 22:00:00,1\n", traces.Options{}, "z.csv:1:1: does not say whether 1 means"},
		"csv time back":    {"z.csv", header + "2023-02-15 22:00:00,1\n2023-02-15 21:00:00,1\n", polar, "z.csv:3:1: time 2023-02-15T21:00:00.000Z is not after 2023-02-15T22:00:00.000Z of line 2"},
		"csv time twice":   {"z.csv", header + "2023-02-15 22:00:00,1\n2023-02-15 22:00:00,0\n", polar, "z.csv:3:1"},
		"csv date":         {"z.csv", header + "15.2.2023 22:00,1\n", polar, `z.csv:2:1: date "15.2.2023 22:00"`},
		"csv value":        {"z.csv", header + "2023-02-15 22:00:00, -1\n", polar, `z.csv:2:22: availability "-1": expected a whole number`},
		"csv no value":     {"z.csv", header + "2023-02-15 22:00:00,\n", polar, `z.csv:2:21: availability ""`},
		"csv above cap":    {"z.csv", header + "2023-02-15 22:00:00,5\n", traces.Options{Polarity: traces.OneIsAvailable, Cap: 4}, `"5": is above the stated cap 4`},
		"csv fields":       {"z.csv", header + "2023-02-15 22:00:00\n", polar, "1 fields in"},
		"csv only header":  {"z.csv", header, polar, "no row below the header"},
		"csv long line":    {"z.csv", header + strings.Repeat("x", 5000) + "\n", polar, "line of 5000 bytes"},
		"preempted counts": {"z.csv", header + "2023-02-15 22:00:00,2\n", traces.Options{Polarity: traces.OneIsPreempted}, "expected 0 or 1"},

		"polarity json": {"z.json", `{"metadata": {"gap_seconds": 300}, "data": [1]}`, traces.Options{}, "both are published in this layout"},
		"no gap":        {"z.json", `{"metadata": {}, "data": [1]}`, polar, "gap_seconds is missing"},
		"zero gap":      {"z.json", `{"metadata": {"gap_seconds": 0}, "data": [1]}`, polar, "gap_seconds is 0"},
		"negative gap":  {"z.json", `{"metadata": {"gap_seconds": -5}, "data": [1]}`, polar, `gap_seconds "-5"`},
		"no data":       {"z.json", `{"metadata": {"gap_seconds": 5}}`, polar, "data is missing"},
		"fraction":      {"z.json", "{\"metadata\": {\"gap_seconds\": 5},\n \"data\": [1, 1.5]}", polar, `z.json:2:14: count "1.5"`},
		"trailing":      {"z.json", `{"metadata": {"gap_seconds": 5}, "data": [1]} {}`, polar, "more text follows"},
		"far future":    {"z.json", `{"metadata": {"gap_seconds": 9999999}, "data": [1` + strings.Repeat(",1", 900) + `]}`, polar, "after the year 2199"},

		"node time back":    {"n.csv", "5,add,a\r\n4,add,b\r\n", traces.Options{}, "n.csv:2:1: time goes back from 5 to 4 (line 1)"},
		"node added twice":  {"n.csv", "5,add,a\n6,add,a\n", traces.Options{}, `n.csv:2:7: node "a" is added, but is there since line 1`},
		"node not there":    {"n.csv", "5,add,a\n6,remove,b\n", traces.Options{}, `n.csv:2:10: node "b" is removed, but is not there`},
		"node other kind":   {"n.csv", "5,add,a\n6,migrate,b\n", traces.Options{}, `n.csv:2:3: event "migrate", expected add or remove`},
		"node time":         {"n.csv", "5,add,a\n-6,remove,a\n", traces.Options{}, `n.csv:2:1: time "-6"`},
		"node time huge":    {"n.csv", "99999999999999999,add,a\n", traces.Options{}, "expected a whole number from 0 to"},
		"node without name": {"n.csv", "5,add,a\n6,add,\n", traces.Options{}, `n.csv:2:7: node ""`},

		"steps disorder": {"g.txt", "2021-12-10, 13:08:45, 80\n2021-12-10, 13:07:45, 80\n", traces.Options{}, "g.txt:2:1: time goes back from 2021-12-10T13:08:45.000Z (line 1)"},
		"steps date":     {"g.txt", "2021-12-10, 13:08:45, 80\n2021-13-10, 13:07:45, 80\n", traces.Options{}, `g.txt:2:1: date and time "2021-13-10 13:07:45"`},
		"steps count":    {"g.txt", "2021-12-10, 13:08:45, 80\n2021-12-10, 13:09:45, x\n", traces.Options{}, `g.txt:2:23: count "x"`},

		"options polarity": {"a.json", awsPageJSON("", ok), traces.Options{Polarity: "yes"}, `polarity "yes", expected`},
		"options disorder": {"a.json", awsPageJSON("", ok), traces.Options{Disorder: "any"}, `disorder "any", expected`},
		"options end":      {"a.json", awsPageJSON("", ok), traces.Options{End: time.Unix(5, 0)}, "is before the last row"},
	} {
		_, _, err := Import("", []string{file(t, c.file, c.text)}, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\texpected %s", name, err, c.want)
		}
		var data *traces.DataError
		if err != nil && !errors.As(err, &data) && !strings.HasPrefix(name, "options") {
			t.Errorf("%s: a %T, expected a *DataError", name, err)
		}
	}
}

func TestOptionsCheck(t *testing.T) {
	for want, o := range map[string]traces.Options{
		"cap -1":          {Cap: -1},
		"gpus 2000":       {GPUs: 2000},
		"at least 0":      {Sampling: -1},
		"whole micro":     {Unit: 1500},
		"start or end":    {Start: time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)},
		"offset -1s of z": {Offsets: map[string]time.Duration{"z": -time.Second}},
		"on-demand price": {OnDemandNano: map[string]int64{"t": -1}},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

func TestPriceArrays(t *testing.T) {
	zone := file(t, "us-east-1a_v100_1.csv", "date,availability\n2023-02-15 22:00:00,1\n2023-02-15 22:03:00,0\n2023-02-15 22:06:00,0\n")
	s, _ := mustImport(t, "", traces.Options{PriceArrays: file(t, "p.json", `{"us-east-1a_v100_1": [1.67, 1.67, 1.7]}`)}, zone)
	if len(s.Prices) != 2 || s.Prices[1].PriceNanoUSD != 1_700_000_000 || s.Prices[1].T != s.Capacity[2].T || s.Prices[1].SrcRow != 2 || s.Prices[1].UncertainUs != 180e6 {
		t.Errorf("prices %+v", s.Prices)
	}
	if s.Manifest.Importer.Options.PriceArrays != "p.json" {
		t.Errorf("the manifest says where the file lay: %s", s.Manifest.Importer.Options.PriceArrays)
	}
	for text, want := range map[string]string{
		`{"us-east-1a_v100_1": [1, 2]}`:         "has 3 rows, and",
		`{"other": [1, 2, 3]}`:                  "has 0 prices for us-east-1a_v100_1",
		`{"us-east-1a_v100_1": [1, 2, -3]}`:     `p.json:1:30: price "-3" expected`,
		`{"us-east-1a_v100_1": [1, 2, "3"]}`:    "expected a number",
		`{"us-east-1a_v100_1": [1, 2, 3]} true`: "more text follows",
	} {
		if _, _, err := Import("", []string{zone}, traces.Options{PriceArrays: file(t, "p.json", text)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}

func TestImportWhatIsThere(t *testing.T) {
	if _, _, err := Import("aws-spot-prices", nil, traces.Options{}); err == nil || !strings.Contains(err.Error(), `unknown format "aws-spot-prices", expected one of: availability-csv, aws-events, `) {
		t.Errorf("unknown format: %v", err)
	}
	if _, _, err := Import("", []string{t.TempDir()}, traces.Options{}); err == nil {
		t.Error("an empty folder was imported")
	}
	if _, _, err := Import("", []string{filepath.Join(t.TempDir(), "none")}, traces.Options{}); err == nil {
		t.Error("a file that is not there was imported")
	}
	a := file(t, "us-east-1a_v100_1.csv", "date,availability\n2023-02-15 22:00:00,1\n")
	b := file(t, "us-east-1a_v100_1.csv", "date,availability\n2023-02-15 22:00:00,1\n")
	if _, _, err := Import("", []string{a, b}, traces.Options{}); err == nil || !strings.Contains(err.Error(), "second file of pool us-east-1a/p3.2xlarge") {
		t.Errorf("two files of one pool: %v", err)
	}
	n := file(t, "n.csv", "0,add,a\n")
	if _, _, err := Import("", []string{a, n}, traces.Options{}); err == nil {
		t.Error("files of two formats were imported as one trace")
	}
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "README"), []byte("about\n"), 0o666)
	if _, _, err := Import("", []string{dir}, traces.Options{}); err == nil || !strings.Contains(err.Error(), "no file of a known format") {
		t.Errorf("folder without a trace: %v", err)
	}
}

func TestManifest(t *testing.T) {
	path := file(t, "a.json", awsPageJSON("", awsRowJSON("us-east-1b", "1.5", t0)))
	s, r := mustImport(t, "", traces.Options{Repo: "https://example.org/r", Commit: "c0ffee", Licence: "MIT"}, path)
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
	again, _ := mustImport(t, "", traces.Options{Repo: "https://example.org/r", Commit: "c0ffee", Licence: "MIT"}, path)
	if !reflect.DeepEqual(s, again) {
		t.Error("two imports differ")
	}
}

func TestParseUSD(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1e9, "1.067100": 1_067_100_000, "0.000000001": 1, "007.5": 7_500_000_000, "10000": traces.MaxPriceNano, "1.5000000000000": 1_500_000_000,
	} {
		if got, err := traces.ParseUSD(text); err != nil || got != want {
			t.Errorf("%s: %d, %v, expected %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "NaN", "Inf", "1,5", " 1", "1 ", "0x1", "10000.000000001", "99999999999999999999", "0.0000000001", "1.2.3"} {
		if got, err := traces.ParseUSD(text); err == nil {
			t.Errorf("%q: read as %d", text, got)
		}
	}
	for nano, want := range map[int64]string{1_067_100_000: "1.067100", 1: "0.000000001", 12: "0.000000012", 3_060_000_000: "3.060000"} {
		if got := traces.FormatUSD(nano); got != want {
			t.Errorf("%d: %s, expected %s", nano, got, want)
		}
	}
}
