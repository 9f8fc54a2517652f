package ownruns_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

const sample = `time,event,instance,type,zone,value
2026-01-02T00:00:00Z,start,,,,
2026-01-02T00:00:10Z,requested,,p3.2xlarge,us-east-2b,2
2026-01-02T00:01:00Z,launched,i-1,p3.2xlarge,us-east-2b,
2026-01-02T01:01:00+01:00,launched,i-2,p3.2xlarge:on-demand,us-east-2b,
2026-01-02T00:03:00.25Z,ready,i-1,p3.2xlarge,us-east-2b,
2026-01-02T00:10:00Z,step,,,,100
2026-01-02T01:00:00Z,notice,i-1,,,120
2026-01-02T01:02:00Z,preempted,"i-1",,,
2026-01-02T00:20:00Z,step,,,,200
2026-01-02T00:00:00Z,charge,i-1,,,1.25
2026-01-02T00:00:00Z,charge,i-1,,,1.25
2026-01-02T02:00:00Z,end,,,,
`

func file(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readCSV reads a run from a file.
func readCSV(path string) (*ownruns.Run, error) {
	s, err := read.Open(context.Background(), path, read.WindowBytes)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return scanned(s, path)
}

// scanned reads a run.
func scanned(s *read.Source, path string) (*ownruns.Run, error) {
	var events []ownruns.Event
	relative, err := ownruns.ScanCSV(s, func(e *ownruns.Event) error { events = append(events, *e); return nil })
	if err != nil {
		return nil, err
	}
	return ownruns.New(s.Stem(), relative, []string{path}, events)
}

func parsed(t testing.TB, text string) *ownruns.Run {
	t.Helper()
	r, err := readCSV(file(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t testing.TB, r *ownruns.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := ownruns.WriteCSV(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCSV(t *testing.T) {
	r := parsed(t, sample)
	if len(r.Events) != 12 || r.Relative || r.Name != "run" || r.Events[0].Kind != ownruns.Start {
		t.Fatalf("%+v", r)
	}
	if at, done := r.Finish(); r.Since(at) != 7200 || !done {
		t.Errorf("ends after %v s, %v", r.Since(at), done)
	}
	i := slices.IndexFunc(r.Events, func(e ownruns.Event) bool { return e.Instance == "i-2" })
	if e := r.Events[i]; !e.OnDemand || e.Type != "p3.2xlarge" || e.Line != 5 || r.Since(e.T) != 60 || !math.IsNaN(e.Value) {
		t.Errorf("%+v", e)
	}
	text := written(t, r)
	if again := written(t, parsed(t, text)); again != text {
		t.Errorf("%s\nread and written again is\n%s", text, again)
	}
	if !strings.Contains(text, "2026-01-02T00:03:00.25Z,ready,i-1,p3.2xlarge,us-east-2b,\n") {
		t.Error(text)
	}
}

func TestRelativeCSV(t *testing.T) {
	r := parsed(t, ownruns.Header+"\n0.5,step,,,,1\n99999999.999999,step,,,,\"2.5\"\n0.5,step,,,,1\n")
	if !r.Relative || r.Zero != 500_000 || len(r.Events) != 2 || r.Notes[0] != "1 events that were recorded twice count once" {
		t.Errorf("%+v", r)
	}
	if text := written(t, r); text != ownruns.Header+"\n0.5,step,,,,1\n99999999.999999,step,,,,2.5\n" {
		t.Error(text)
	}
	r.StartAt(1e15)
	if r.Relative || r.Events[0].T != 1e15+500_000 || r.Zero != r.Events[0].T {
		t.Errorf("%+v", r)
	}
	if r = parsed(t, ownruns.Header+"\n1767312000,step,,,,1\n"); r.Relative || r.Zero != 1767312000e6 {
		t.Errorf("%+v", r)
	}
}

func TestCSVErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "1:1: \"\", expected the header",
		"a,b\n":                          `1:1: "a,b", expected the header time,event`,
		"@":                              "has no row below the header",
		"@2026-01-02,step,,,,1":          `2:1: time "2026-01-02", expected RFC 3339 with a zone`,
		"@2026-01-02T00:00:00,step,,,,1": `2:1: time "2026-01-02T00:00:00", expected RFC 3339 with a zone`,
		"@-1,step,,,,1":                  `2:1: time "-1", expected`,
		"@1e3,step,,,,1":                 `2:1: time "1e3", expected`,
		"@9999999999,step,,,,1":          `2:1: time "9999999999", expected`,
		"@5,step,,,,1\n2026-01-02T00:00:00Z,end,,,,": `3:1: time "2026-01-02T00:00:00Z" counts from another beginning`,
		"@5,steps,,,,1":        `2:3: event "steps", expected an event of the plain CSV; did you mean "step"?`,
		"@5,zzzzzzz,,,,1":      "expected one of: requested, refused",
		"@5,step,,,,":          `2:11: value "" of step, expected number of steps done`,
		"@5,step,,,,-1":        `2:11: value "-1" of step, expected number of steps done, from 0 to 1e+15`,
		"@5,step,,,,NaN":       `2:11: value "NaN", expected a decimal number, or nothing`,
		"@5,step,,,,0x10":      `2:11: value "0x10", expected a decimal number`,
		"@5,ready,i,,,3":       `2:13: value "3" of ready, expected none`,
		"@5,ready,,,,":         `2:3: event "ready" without a machine`,
		"@5,price,,,z,3":       `2:3: event "price" without an instance type`,
		"@5,price,,p3,z,30000": "USD per hour, from 0 to 10000",
		"@5,step,,,1":          `2:1: 5 fields in "5,step,,,1", expected 6`,
		"@5,step,\"a,,,1":      `2:14: a field in quotes that does not end`,
		"@5,ready,a\x01,,,":    `2:9: instance "a\x01", expected a name of characters`,
	} {
		_, err := readCSV(file(t, strings.Replace(text, "@", ownruns.Header+"\n", 1)))
		var bad *traces.DataError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", text, err, want)
		}
	}
}

func TestMerge(t *testing.T) {
	fleet := parsed(t, ownruns.Header+"\n2026-01-02T00:01:00Z,launched,i-1,,,\n")
	steps := parsed(t, ownruns.Header+"\n2026-01-02T00:02:00Z,step,,,,1\n2026-01-02T00:00:30Z,step,,,,0\n")
	r, err := ownruns.Merge("both", steps, fleet, steps)
	if err != nil || len(r.Events) != 3 || r.Name != "both" || r.Since(r.Events[1].T) != 30 || r.Events[1].Kind != ownruns.Launched ||
		!strings.HasSuffix(r.Files[r.Events[1].File], "run.csv") || r.Events[1].File != 1 || r.Events[1].Line != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = ownruns.Merge("", steps, parsed(t, ownruns.Header+"\n5,step,,,,1\n"))
	if err == nil || !strings.Contains(err.Error(), "--start") {
		t.Error(err)
	}
	if _, err := ownruns.Merge(""); err == nil {
		t.Error("nothing was merged")
	}
}

func TestKinds(t *testing.T) {
	for _, i := range ownruns.Kinds() {
		back, ok := ownruns.KindNamed(i.Name)
		if !ok || back != i.Kind || i.Kind.String() != i.Name || i.What == "" || (i.Need == ownruns.NoValue) != (i.Value == "") {
			t.Errorf("%+v", i)
		}
	}
	if _, err := ownruns.New("r", false, nil, []ownruns.Event{{T: 1, Kind: ownruns.Step, Value: math.NaN()}}); err == nil {
		t.Error("a step without its number")
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(ownruns.Header + "\n5,step,,,,1\n"))
	f.Add([]byte(ownruns.Header + "\n5,ready,\"a\"\"b , c\",\" \",x:on-demand,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := read.New(t.Context(), "f", io.NopCloser(bytes.NewReader(data)), 64)
		if err != nil {
			return
		}
		r, err := scanned(s, "f")
		if err != nil {
			if bad := (*traces.DataError)(nil); !errors.As(err, &bad) {
				t.Fatalf("a %T: %v", err, err)
			}
			return
		}
		sound(t, r)
		text := written(t, r)
		if again := written(t, parsed(t, text)); again != text {
			t.Fatalf("%s\nread and written again is\n%s", text, again)
		}
	})
}

// BenchmarkCSV reads a million events.
func BenchmarkCSV(b *testing.B) {
	var text strings.Builder
	text.WriteString(ownruns.Header + "\n")
	for i := range 1_000_000 {
		fmt.Fprintf(&text, "%d,step,,,,%d\n", i, i)
	}
	path := file(b, text.String())
	for b.Loop() {
		if r, err := readCSV(path); err != nil || len(r.Events) != 1_000_000 {
			b.Fatal(err)
		}
	}
}
