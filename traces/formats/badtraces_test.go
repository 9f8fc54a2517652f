package formats_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// good are small traces, a line a row, by format.
var good = []struct {
	format, file, head, tail string
	rows                     [3]string // in order of the file
	opt                      traces.Options
}{
	{"aws-spot-price", "a.json", `{"NextToken": "", "SpotPriceHistory": [`, `]}`,
		[3]string{testutil.AWSRow("us-east-1b", "3.0", testutil.T2), testutil.AWSRow("us-east-1b", "2.0", testutil.T1),
			testutil.AWSRow("us-east-1b", "1.0", testutil.T0)}, traces.Options{}},
	{"aws-spot-text", "a.txt", "", "", [3]string{testutil.AWSTextLine("us-east-1b", "3.0", testutil.T2), testutil.AWSTextLine("us-east-1b", "2.0", testutil.T1),
		testutil.AWSTextLine("us-east-1b", "1.0", testutil.T0)}, traces.Options{}},
	{"aws-spot-lines", "a.jsonl", "", "", [3]string{testutil.AWSRow("us-east-1b", "3.0", testutil.T2), testutil.AWSRow("us-east-1b", "2.0", testutil.T1),
		testutil.AWSRow("us-east-1b", "1.0", testutil.T0)}, traces.Options{}},
	{"prices-csv", "a.csv", "timestamp,zone,instance_type,price\n", "", [3]string{testutil.T0 + ",us-east-1b,p3.2xlarge,1", testutil.T1 +
		",us-east-1b,p3.2xlarge,2", testutil.T2 + ",us-east-1b,p3.2xlarge,3"}, traces.Options{}},
	{"counts-json", "a.json", `{"metadata": {"gap_seconds": 300}, "data": [`, `]}`, [3]string{"1", "0", "1"}, traces.Options{Polarity: traces.OneIsAvailable}},
	{"availability-csv", "a.csv", "date,availability\n", "", [3]string{"2023-02-15 22:00:00,1", "2023-02-15 22:05:00,0", "2023-02-15 22:10:00,1"},
		traces.Options{Polarity: traces.OneIsAvailable, MaxHole: 10 * time.Minute}},
	{"node-events", "a.csv", "", "", [3]string{"0,add,a", "60000,add,b", "120000,remove,a"}, traces.Options{}},
}

// traceText joins rows as the format does.
func traceText(format, head, tail string, rows ...string) string {
	if strings.HasSuffix(format, "-json") || format == "aws-spot-price" {
		return head + strings.Join(rows, ",\n") + tail
	}
	for i := range rows {
		rows[i] = strings.TrimSuffix(rows[i], "\n")
	}
	return head + strings.Join(rows, "\n") + "\n" + tail
}

// TestBadTraces: a gap, a page that comes twice, a step back in time, CRLF and
// a byte order mark are each repaired and counted, or refused with their line;
// there is no third way. (Another order of keys is in TestAWSForms, a cut page of
// 1,000 rows in TestAWSSuspectPage.) A want of an error is a part of it, one of a
// report is its counts; only polls have a gap that shows.
func TestBadTraces(t *testing.T) {
	for _, g := range good {
		whole := traceText(g.format, g.head, g.tail, g.rows[:]...)
		crlf := strings.ReplaceAll(whole, "\n", "\r\n")
		wants := badWants[g.format]
		for what, c := range map[string]struct{ text, want string }{
			"as it is":        {whole, fine},
			"CRLF":            {crlf, fine},
			"byte order mark": {"\xef\xbb\xbf" + crlf, fine},
			"page twice":      {whole + "\n" + strings.TrimPrefix(whole, headerOf(g.format, g.head)), wants.twice},
			"step back":       {traceText(g.format, g.head, g.tail, g.rows[1], g.rows[0], g.rows[2]), wants.back},
			"gap":             {whole + wants.later, cmp.Or(wants.gap, fine)},
			"cut":             {whole[:len(whole)-8], wants.cut},
		} {
			_, r, err := formats.Import("", []string{tracetest.File(t, g.file, c.text)}, g.opt)
			got := fmt.Sprintf("%d rows, %d kept, %d twice, %d late, %d gaps", r.Rows, r.Unique, r.Duplicates, r.OutOfOrder, r.Gaps)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) || c.want == "" {
				t.Errorf("%s, %s: %s\n\texpected %s", g.format, what, got, c.want)
			}
		}
	}
}

// headerOf is what does not come again when the rows of a file do.
func headerOf(format, head string) string {
	if format == "availability-csv" || format == "prices-csv" {
		return head
	}
	return ""
}

const fine = "3 rows, 3 kept, 0 twice, 0 late, 0 gaps"

// badWants is what becomes of a bad trace, by format.
var badWants = map[string]struct{ twice, back, cut, later, gap string }{
	"aws-spot-price": {"6 rows, 3 kept, 3 twice, 0 late", "3 rows, 3 kept, 0 twice, 1 late", "a.json:3:", "", ""},
	"aws-spot-text":  {"6 rows, 3 kept, 3 twice, 1 late", "3 rows, 3 kept, 0 twice, 1 late", "a.txt:3:", "", ""},
	"aws-spot-lines": {"6 rows, 3 kept, 3 twice", "3 rows, 3 kept, 0 twice", "a.jsonl:3:", "", ""},
	"prices-csv":     {"6 rows, 3 kept, 3 twice, 1 late", "3 rows, 3 kept, 0 twice, 1 late", "a.csv:4:", "", ""},
	"counts-json":    {"a.json:3:3: more text follows", fine, "a.json:", "", ""},
	"availability-csv": {"a.csv:6:1: time 2023-02-15T22:00:00.000Z is not after", "a.csv:3:1: time 2023-02-15T22:00:00.000Z is not after", "a.csv:4:",
		"2023-02-15 23:10:00,1\n", "4 rows, 4 kept, 0 twice, 0 late, 1 gaps"},
	"node-events": {"a.csv:5:1: time \"0\" goes back from 120000 (line 3)", "a.csv:2:1: time \"0\" goes back from 60000 (line 1)", "a.csv:3:", "", ""},
}
