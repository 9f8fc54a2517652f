package sweep

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

// A study whose spec has starts makes the runs of a sweep with them, also in parts; a
// sweep without starts has those of its base, and its own where it has any.
func TestStudyStarts(t *testing.T) {
	sweep := recorded(t, "every: 1h")
	f := begin(t, planFile(t, sweep))
	runAll(t, f, Options{Workers: 2, Shard: Whole})
	type key struct {
		policy string
		startS float64
		seed   int64
	}
	want := map[key]results.Summary{}
	for _, r := range rowsOf(t, f) {
		r.Run = 0
		want[key{r.Policy, r.StartS, r.Seed}] = r.Summary
	}

	base := filepath.Join(filepath.Dir(sweep), "base.yaml")
	appendTo(t, base, "starts: {every: 1h}\ntimelines: 3\n")
	s := open(t, base)
	if s.Points() != 18 || s.Runs() != 36 || s.Runs() != len(want) {
		t.Fatalf("%d points, %d runs, expected those of the sweep, %d", s.Points(), s.Runs(), len(want))
	}
	whole, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var parts []results.Summary
	for part := range 2 {
		set, err := open(t, base).RunPart(context.Background(), part, 2)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, set.Summaries...)
	}
	byRun := make([]results.Summary, len(parts))
	for _, r := range parts {
		byRun[r.Run] = r
	}
	for i, r := range whole.Summaries {
		if r.Run != int64(i) || !reflect.DeepEqual(r, byRun[i]) {
			t.Errorf("run %d: %+v, in parts %+v", i, r, byRun[i])
		}
		if r.Run = 0; !reflect.DeepEqual(r, want[key{r.Policy, r.StartS, r.Seed}]) {
			t.Errorf("run %d: %+v, in the sweep %+v", i, r, want[key{r.Policy, r.StartS, r.Seed}])
		}
	}
	timelines := map[int64]bool{}
	for _, x := range whole.Spans {
		timelines[x.Run] = true
	}
	if len(timelines) != 6 { // of three points, two policies each
		t.Errorf("timelines of %d runs", len(timelines))
	}

	for starts, n := range map[string]int{"": 9, "starts: {every: 2h}\n": 5} {
		if err := os.WriteFile(sweep, []byte("base: base.yaml\n"+starts), 0o644); err != nil {
			t.Fatal(err)
		}
		if p := planFile(t, sweep); len(p.StartsS) != n {
			t.Errorf("%q: starts %v, expected %d", starts, p.StartsS, n)
		}
	}
}

// What starts cannot mean is an error at its place in the spec.
func TestBadStarts(t *testing.T) {
	base := filepath.Join(filepath.Dir(recorded(t, "")), "base.yaml")
	text, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	for starts, want := range map[string]string{
		"{every: \"6\"}":      "starts.every: \"6\", expected a duration such as 6h",
		"{count: 3}":          "starts.count: 3, expected only with every",
		"{every_s: 0}":        "starts.every_s: 0, expected 1 to",
		"{random: 0}":         "starts.random: 0, expected 1 to",
		"{every_s: 1e-300}":   "starts.every_s: 1e-300, expected 1 to",
		"{every: 1h, from: 2": "",
	} {
		appendTo(t, base, "starts: "+starts+"\n")
		_, err := spec.Open(base)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "base.yaml:") {
			t.Errorf("%s: %v, expected %s", starts, err, want)
		}
		if err := os.WriteFile(base, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"quickstart", "cluster-gavel"} {
		_, err := spec.Open(name, spec.Setting{Path: "starts", Value: map[string]any{"every": "1h"}})
		if err == nil || !strings.Contains(err.Error(), "starts: starts need a recorded trace") {
			t.Errorf("starts of %s: %v", name, err)
		}
	}
	long, err := spec.Open(base, spec.Setting{Path: "horizon_s", Value: 360000}, spec.Setting{Path: "starts", Value: map[string]any{"every": "1h"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := experiments.NewStudy(long); err == nil || !strings.Contains(err.Error(), "no start leaves enough trace") {
		t.Errorf("starts with a horizon beyond the traces: %v", err)
	}
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	old, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(old, text...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, file string) *experiments.Study {
	t.Helper()
	sp, err := spec.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := experiments.NewStudy(sp)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
