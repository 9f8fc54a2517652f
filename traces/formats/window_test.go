package formats_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// textSource is a source of which a window of n bytes is in memory.
func textSource(t testing.TB, name string, data []byte, window int) *read.Source {
	t.Helper()
	s, err := read.New(t.Context(), name, io.NopCloser(bytes.NewReader(data)), window)
	if err != nil {
		t.Skip(err) // packed, and cut
	}
	return s
}

// imported imports one text with a window and a number of rows at which prices
// are spilled, 0 for none.
func imported(t testing.TB, format, text string, opt traces.Options, window, spill int) (*traces.Set, traces.Report, error) {
	t.Helper()
	return formats.ImportText(t.Context(), format, textSource(t, "text", []byte(text), window), opt, formats.Memory{Spill: spill, Dir: t.TempDir()})
}

// errorText is the text of an error, "" for none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// However little of a text is in memory, and whatever waits on disk, the same is
// read, or the same said of what cannot be.
func TestWindows(t *testing.T) {
	page := testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1.5", testutil.T2), testutil.AWSRow("us-east-1c", "1.5", testutil.T1),
		testutil.AWSRow("us-east-1b", "1.25", testutil.T1), testutil.AWSRow("us-east-1b", "1.5", testutil.T0), testutil.AWSRow("us-east-1a", "1.5", testutil.T0))
	ndjson := strings.ReplaceAll(testutil.AWSRow("us-east-1b", "1.5", testutil.T1)+"\n"+testutil.AWSRow("us-east-1b", "1.5", testutil.T0)+"\n", "\n", "\r\n")
	text := testutil.AWSTextLine("us-east-1b", "1.231800", testutil.T1) + testutil.AWSTextLine("us-east-1b", "1.25", testutil.T0)
	long := strings.Repeat("x", read.MaxText+1)
	for name, c := range map[string]struct{ format, text string }{
		"page":      {"aws-spot-price", page},
		"page, BOM": {"aws-spot-price", "\xef\xbb\xbf" + page},
		"far apart": {"aws-spot-price", strings.ReplaceAll(page, ": ", ":"+strings.Repeat(" \n", 300))},
		"escapes":   {"aws-spot-price", strings.ReplaceAll(page, "Linux/UNIX", `L\u0069nux\/UNIX`)},
		"unknown field": {"aws-spot-price", strings.ReplaceAll(page, `{"Ava`, `{"n": [1.25e-3, null, {"`+strings.Repeat("k", 500)+`": "`+
			strings.Repeat("é", 700)+`"}], "Ava`)},
		"two pages":          {"aws-spot-price", page + strings.Repeat("\n", 200) + page},
		"conflict":           {"aws-spot-price", page + strings.ReplaceAll(page, `"1.5"`, `"1.75"`)},
		"bad price":          {"aws-spot-price", strings.Replace(page, `"1.25"`, `"-1.25"`, 1)},
		"missing field":      {"aws-spot-price", strings.Replace(page, `"SpotPrice": "1.25"`, `"a": `+strings.Repeat(" ", 300)+`1`, 1)},
		"cut":                {"aws-spot-price", page[:len(page)-200]},
		"cut number":         {"aws-spot-price", `{"a": 12345`},
		"bad literal":        {"aws-spot-price", `{"a": ` + strings.Repeat("1", 400) + `x}`},
		"bad escape":         {"aws-spot-price", `{"a": "` + strings.Repeat("b", 300) + `\x"}`},
		"more behind":        {"counts-json", `{"metadata": {"gap_seconds": 60}, "data": [1, 2]}` + strings.Repeat("\n", 500) + "x"},
		"token too long":     {"aws-spot-price", `{"a": "` + long + `"}`},
		"odd token too long": {"aws-spot-price", `{"a": "é` + long + `"}`},
		"number too long":    {"aws-spot-price", `{"a": ` + strings.Repeat("1", read.MaxText+1) + `}`},
		"lines":              {"aws-spot-lines", ndjson},
		"text":               {"aws-spot-text", text},
		"text, no end":       {"aws-spot-text", strings.TrimRight(text, "\n")},
		"line too long":      {"aws-spot-text", text[:len(text)/2] + "\n" + long + "\n"},
		"last line too long": {"aws-spot-text", text[:len(text)/2] + "\n" + long},
	} {
		opt := traces.Options{Polarity: traces.OneIsAvailable}
		want, wantReport, wantErr := imported(t, c.format, c.text, opt, 4*read.MaxText, 0)
		for _, window := range []int{1, 64, 100, 1000, read.WindowBytes} {
			if window < 64 && len(c.text) > read.MaxText {
				continue // a byte at a time takes long
			}
			for _, spill := range []int{0, 1, 2} {
				got, report, err := imported(t, c.format, c.text, opt, window, spill)
				if errorText(err) != errorText(wantErr) {
					t.Errorf("%s, %d bytes at a time, spill at %d: %v, expected %v", name, window, spill, err, wantErr)
				}
				if err == nil && (!reflect.DeepEqual(got, want) || !reflect.DeepEqual(report, wantReport)) {
					t.Errorf("%s, %d bytes at a time, spill at %d:\n%+v\n%+v, expected\n%+v\n%+v", name, window, spill, got, report, want, wantReport)
				}
			}
		}
	}
}

// Prices in any order, spilled at any number of rows, come to be the same set.
func TestSpillAnywhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var rows []string
		for range rapid.IntRange(1, 60).Draw(rt, "rows") {
			zone := rapid.SampledFrom([]string{"us-east-1a", "us-east-1b", "us-east-1c", "eu-west-1a"}).Draw(rt, "zone")
			price := rapid.SampledFrom([]string{"1", "1.5", "2"}).Draw(rt, "price")
			at := traces.Stamp(1_600_000_000_000_000 + 3_600_000_000*rapid.Int64Range(0, 12).Draw(rt, "hour"))
			rows = append(rows, testutil.AWSRow(zone, price, at))
		}
		opt := traces.Options{Disorder: rapid.SampledFrom([]traces.Disorder{traces.Strict, traces.SortLastWins}).Draw(rt, "disorder")}
		text := testutil.AWSPage("", rows...)
		want, wantReport, wantErr := imported(t, "aws-spot-price", text, opt, read.WindowBytes, 0)
		got, report, err := imported(t, "aws-spot-price", text, opt, rapid.IntRange(1, 300).Draw(rt, "window"), rapid.IntRange(1, 70).Draw(rt, "spill"))
		if errorText(err) != errorText(wantErr) || err == nil && (!reflect.DeepEqual(got, want) || !reflect.DeepEqual(report, wantReport)) {
			rt.Fatalf("%v\n%+v\nexpected %v\n%+v", err, got, wantErr, want)
		}
	})
}

// A text of white space and one whose reading fails are told apart.
func TestWindowReadError(t *testing.T) {
	page := testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1.5", testutil.T0))
	ctx, cancel := context.WithCancel(context.Background())
	s, err := read.New(ctx, "text", io.NopCloser(strings.NewReader(strings.Repeat(" ", 1<<20)+page)), 64)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, _, err := formats.ImportText(ctx, "aws-spot-price", s, traces.Options{}, formats.Memory{}); err != context.Canceled {
		t.Errorf("%v, expected the reading's own error and none about the JSON", err)
	}
}

// ImportTo writes what Import and Write do, byte for byte, and leaves nothing
// else.
func TestImportTo(t *testing.T) {
	for name, opt := range map[string]traces.Options{"all": {AllowTruncated: true}, "last wins": {AllowTruncated: true, Disorder: traces.SortLastWins}} {
		paths := []string{tracetest.Recorded(t, "dime-aws-spot-prices", "cost", "us-east-1"), tracetest.Recorded(t, "dime-aws-spot-prices", "cost", "us-west-2")}
		set, wantReport := tracetest.Import(t, "", opt, paths...)
		want := t.TempDir()
		if err := set.Write(want); err != nil {
			t.Fatal(err)
		}
		for _, spill := range []int{100, formats.SpillRows, 4000}[:testutil.Size(2, 3)] {
			dir := filepath.Join(t.TempDir(), "trace")
			report, err := formats.ImportToSpilling(t.Context(), spill, paths, opt, dir)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(report, wantReport) {
				t.Errorf("%s: report %+v, expected %+v", name, report, wantReport)
			}
			sameFiles(t, dir, want)
		}
	}
}

// sameFiles compares two folders.
func sameFiles(t *testing.T, got, want string) {
	t.Helper()
	files := func(dir string) map[string]string {
		texts := map[string]string{}
		list, err := os.ReadDir(dir)
		for _, f := range list {
			text, bad := os.ReadFile(filepath.Join(dir, f.Name()))
			texts[f.Name()], err = string(text), bad
		}
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(list), err)
		}
		return texts
	}
	g, w := files(got), files(want)
	for name := range w {
		if g[name] != w[name] {
			t.Errorf("%s: %d bytes, expected %d others", name, len(g[name]), len(w[name]))
		}
	}
	if len(g) != len(w) {
		t.Errorf("%d files, expected %d", len(g), len(w))
	}
}

// What is held in memory is bounded: rows but those of prices, pools, the text of
// formats that hold it, and the keys of an object that is read over.
func TestHeld(t *testing.T) {
	events := "0,add,a\n1,add,b\n2,add,c\n"
	if _, _, err := formats.ImportText(t.Context(), "node-events", textSource(t, "n.csv", []byte(events), 64), traces.Options{},
		formats.Memory{Max: 3}); err == nil || !strings.Contains(err.Error(), "n.csv: with it the trace has more than 3 rows") {
		t.Errorf("three rows and a pool: %v", err)
	}
	bad := events + "3,add,d\n4,bad,e\n" // which is not read
	if _, _, err := formats.ImportText(t.Context(), "node-events", textSource(t, "n.csv", []byte(bad), 64), traces.Options{},
		formats.Memory{Max: 3}); err == nil || !strings.Contains(err.Error(), "n.csv: with it the trace has more than 3 rows") {
		t.Errorf("refused at the end: %v", err)
	}
	var pools []string
	for i := range 5 {
		pools = append(pools, testutil.AWSRow("us-east-1"+string(rune('a'+i)), "1", testutil.T0))
	}
	if _, _, err := formats.ImportText(t.Context(), "aws-spot-price", textSource(t, "a.json", []byte(testutil.AWSPage("", pools...)), 64), traces.Options{},
		formats.Memory{Spill: 4, Dir: t.TempDir(), Max: 3}); err == nil || !strings.Contains(err.Error(), "more than 3 rows (prices aside) and names") {
		t.Errorf("four pools: %v", err)
	}
	large := tracetest.File(t, "n.csv", strings.Repeat(" \n", 100)+events)
	if _, err := formats.ImportTo(t.Context(), "node-events", []string{large}, traces.Options{MaxFileBytes: 200}, t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "n.csv: is more than 200 bytes of text") {
		t.Errorf("a text that is held: %v", err)
	}
	page := tracetest.File(t, "a.json", testutil.AWSPage("", pools...))
	if _, err := formats.ImportTo(t.Context(), "", []string{page}, traces.Options{MaxFileBytes: 200}, t.TempDir()); err != nil {
		t.Errorf("a text that is not held: %v", err)
	}
	var keys strings.Builder
	for i := range 40 {
		fmt.Fprintf(&keys, "%q: 1, ", fmt.Sprint(i)+strings.Repeat("k", 16<<20/40))
	}
	if _, _, err := imported(t, "aws-spot-price", `{"a": {`+keys.String()+`"b": 1}}`, traces.Options{}, read.WindowBytes, 0); err == nil ||
		!strings.Contains(err.Error(), "the keys of a have more than 16777216 bytes") {
		t.Errorf("keys: %.200v", err)
	}
}

// An import that fails leaves no folder, and an older trace as it was.
func TestImportToFails(t *testing.T) {
	good := tracetest.File(t, "good.json", testutil.AWSPage("", testutil.AWSRow("us-east-1b", "1.5", testutil.T0)))
	twice := tracetest.File(t, "twice.json", testutil.AWSPage("",
		testutil.AWSRow("us-east-1b", "1.5", testutil.T0), testutil.AWSRow("us-east-1b", "2.5", testutil.T0)))
	dir := filepath.Join(t.TempDir(), "trace")
	ctx := context.Background()
	if _, err := formats.ImportTo(ctx, "", []string{twice}, traces.Options{}, dir); err == nil ||
		!strings.Contains(err.Error(), "twice.json:2:1: pool us-east-1b/p3.2xlarge costs") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder without a trace was left behind")
	}
	if _, err := formats.ImportTo(ctx, "", []string{good}, traces.Options{}, dir); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := formats.ImportTo(ctx, "", []string{twice}, traces.Options{}, dir); err == nil {
		t.Error("two prices at one instant were taken")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := formats.ImportTo(cancelled, "", []string{good}, traces.Options{}, dir); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	after, _ := os.ReadDir(dir)
	if len(after) != len(before) {
		t.Errorf("%v, before %v", after, before)
	}
	if _, err := traces.Read(dir); err != nil {
		t.Errorf("the older trace: %v", err)
	}
	var write *traces.WriteError
	if _, err := formats.ImportTo(ctx, "", []string{good}, traces.Options{}, good); !errors.As(err, &write) {
		t.Errorf("a folder that is a file: %v, expected a *WriteError", err)
	}
}
