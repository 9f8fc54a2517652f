package formats_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// Every format of tables reads the same of its example when all fields are quoted, with
// ends of lines as on Windows and a byte order mark; and its errors name the place.
func TestQuotedTables(t *testing.T) {
	options := traces.Options{Polarity: traces.OneIsAvailable, Unit: time.Second, InstanceType: "x", Zone: "us-east-1a"}
	tables := 0
	for _, f := range formats.Formats() {
		if !strings.Contains(f.Example, ",") || strings.ContainsAny(f.Example, "{\t") || f.Name == "dime-launches" { // JSON, tabs, sentences
			continue
		}
		tables++
		name := "us-east-1a_v100_1.csv"
		text := strings.TrimSuffix(f.Example, "\n") + "\n"
		want, err := content(t, &f, tracetest.File(t, name, text), options)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		found, err := formats.Recognised(textSource(t, name, []byte(quotedTable(t, text)), read.WindowBytes))
		if err != nil || found != f.Name {
			t.Errorf("%s, quoted, is recognised as %s, %v", f.Name, found, err)
		}
		got, err := content(t, &f, tracetest.File(t, name, quotedTable(t, text)), options)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: quoted it says something else: %+v, expected %+v, %v", f.Name, got, want, err)
		}
		last := text[strings.LastIndex(text[:len(text)-1], "\n")+1:]
		broken := quotedTable(t, text) + "\"" + strings.Replace(last, ",", "\n,", 1)
		at := strings.Count(text, "\n") + 1
		if _, err := content(t, &f, tracetest.File(t, name, broken), options); err == nil ||
			!strings.Contains(err.Error(), "a field in quotes that does not end before a comma or the end of a line") ||
			!strings.Contains(err.Error(), fmt.Sprintf("the record begins in line %d)", at)) {
			t.Errorf("%s without an end: %v, expected it at line %d", f.Name, err, at)
		}
	}
	if tables < 15 {
		t.Errorf("%d tables", tables)
	}
}

// content is what a file says in a format, whatever its kind, without what follows the bytes.
func content(t *testing.T, f *formats.Format, path string, opt traces.Options) (any, error) {
	t.Helper()
	if f.Kind == formats.Run {
		r, err := formats.ImportRun(f.Name, []string{path}, opt)
		if err != nil {
			return nil, err
		}
		return said(t, r.Events, r.Relative), nil
	}
	s, _, err := formats.Import(f.Name, []string{path}, opt)
	if err != nil {
		return nil, err
	}
	if s.Counts().Events() == 0 {
		t.Errorf("%s: no events", f.Name)
	}
	s.Manifest.Source, s.Manifest.TraceID, s.Manifest.Notes = traces.Source{}, "", nil
	return s, nil
}

// A field of several lines moves the places of what follows it, and no record is lost.
func TestPlaceBehindLines(t *testing.T) {
	const head = "note,timestamp,zone,instance_type,price\n"
	text := head + "\"a\r\n\r\nb\",2020-02-20T22:06:16Z,us-east-1b,p3.2xlarge,1\r\n\"c,\"\"\n\",2020-02-20T22:07:16Z,us-east-1b,\"p3\"\"\",x\n"
	_, _, err := formats.Import("prices-csv", []string{tracetest.File(t, "a.csv", text)}, traces.Options{})
	if err == nil || !strings.Contains(err.Error(), `a.csv:6:42: price "x"`) {
		t.Errorf("%v, expected line 6, column 42", err)
	}
	s, _ := tracetest.Import(t, "prices-csv", traces.Options{}, tracetest.File(t, "a.csv", strings.Replace(text, ",x\n", ",2\n", 1)))
	if len(s.Prices) != 2 || s.Prices[1].SrcRow != 5 || s.PoolNamed(`us-east-1b/p3"`) < 0 {
		t.Errorf("%+v, %+v", s.Pools, s.Prices)
	}
}

// quotedTable quotes all fields of a table.
func quotedTable(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\xef\xbb\xbf")
	for line := range strings.Lines(text) {
		row, bad := csvtext.NewReader(strings.NewReader(line)).Next()
		if bad != nil {
			t.Fatal(bad)
		}
		for i, f := range row.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.ReplaceAll(f, `"`, `""`) + `"`)
		}
		b.WriteString("\r\n")
	}
	return b.String()
}
