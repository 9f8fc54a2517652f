package judge

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// python writes policies into a folder beside marigram.py, and returns it; the test is skipped without
// Python.
func python(t *testing.T, policies map[string]string) string {
	t.Helper()
	testutil.Python(t)
	dir := t.TempDir()
	module, err := os.ReadFile("../../python/marigram/__init__.py")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "marigram.py"), string(module))
	for name, text := range policies {
		write(t, filepath.Join(dir, name), "import marigram\n\n\nclass P(marigram.Policy):\n    def decide(self, view, plan):\n        "+text+
			"\n\n\nmarigram.serve(P)\n")
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func entry(t *testing.T, path string) *loader.Plugin {
	t.Helper()
	g, err := loader.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// small is a set of two small studies; sets of tests are folders.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "set.yaml"), "name: small\nversion: 3\nstudies: [{spec: a.yaml}, {spec: b.yaml}]\n")
	const text = `name: %
seeds: 2
model:
  data_parallel:
    measured: [{type: p3.2xlarge, workers: 1, steps_per_s: 5}]
    batch_per_worker: 128
    samples: 9216000
    workers: {min: 1, max: 1}
    restart_s: 180
    save_s: 30
objectives: [{name: tight, time_s: 15000}]
market:
  synthetic: {regions: 1, zones: 2, machines: 2}
  pools: [{type: p3.2xlarge, quota: 1, on_demand_quota: 1, on_demand_usd_per_h: 3.06}]
`
	write(t, filepath.Join(dir, "a.yaml"), strings.Replace(text, "%", "a", 1))
	write(t, filepath.Join(dir, "b.yaml"), strings.Replace(text, "%", "b\nseed: 100", 1))
	return dir
}

func judged(t *testing.T, s *Set, entries ...*loader.Plugin) *Result {
	t.Helper()
	r, err := s.Judge(context.Background(), entries, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, name string) *Set {
	t.Helper()
	s, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rowOf(t *testing.T, r *Result, name string) *RankingRow {
	t.Helper()
	for i := range r.Policies {
		if r.Policies[i].Policy == name {
			return &r.Policies[i]
		}
	}
	t.Fatalf("no policy %s", name)
	return nil
}

const copyOfOnDemand = "plan.hold = [1 if p.on_demand else 0 for p in view.pools]"

// TestProgramsJudge judges a policy that does what ondemand does: all its numbers are those of ondemand. One that holds
// nothing misses everything and pays for it; one that fails, or answers by chance, is out. The result is the
// same on one core.
func TestProgramsJudge(t *testing.T) {
	check := near.Count(t)
	dir := python(t, map[string]string{
		"same.py":   copyOfOnDemand,
		"lazy.py":   "pass",
		"wrong.py":  "plan.hold = {'nowhere': 1}",
		"chance.py": "import random; plan.hold = [random.randrange(2) for p in view.pools]; plan.wake_s = 60",
	})
	s := open(t, small(t))
	entries := func() (all []*loader.Plugin) {
		for _, name := range []string{"same.py", "lazy.py", "wrong.py", "chance.py"} {
			all = append(all, entry(t, filepath.Join(dir, name)))
		}
		return all
	}
	r := judged(t, s, entries()...)
	own, base := rowOf(t, r, "same"), rowOf(t, r, onDemand)
	if own.Score != base.Score || own.Rank != base.Rank || own.Met != base.Met || base.Minus != 0 || own.Objectives != 2 {
		t.Errorf("a copy of ondemand: %+v %+v, want %+v %+v", own, own.Place, base, base.Place)
	}
	lazy := rowOf(t, r, "lazy")
	if lazy.Met != 0 || check.Off(lazy.Score, 2*base.OverBound, 1e-9) || lazy.OverBound != 0 {
		t.Errorf("who holds nothing: %+v %+v, want twice the score of ondemand", lazy, lazy.Place)
	}
	for name, want := range map[string]string{"wrong": "nowhere", "chance": "the same run twice is not the same"} {
		if p := rowOf(t, r, name); !strings.Contains(p.Failed, want) || p.Place != nil {
			t.Errorf("%s: %+v, want it out: %s", name, p, want)
		}
	}
	if r.With != "same" || len(r.Studies) != 2 || r.Studies[0].Runs != 2 {
		t.Errorf("%+v", r)
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	if once, again := text(t, r), text(t, judged(t, s, entries()...)); once != again { // also of those that are out
		t.Errorf("on one core the result differs: %s", difference(once, again))
	}
}

// difference shows where two texts begin to differ.
func difference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(i-60, 0)
	return a[from:min(i+60, len(a))] + " | " + b[from:min(i+60, len(b))]
}

func text(t *testing.T, r *Result) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSets opens the sets that come with marigram: every study that needs no download can be run.
func TestSets(t *testing.T) {
	for _, name := range Names() {
		s := open(t, name)
		if _, _, err := s.open(nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSetRefused(t *testing.T) {
	for text, want := range map[string]string{
		"name: x\nversion: 0\nstudies: [{spec: a.yaml}]":                   "set.yaml:2:10: version: 0, expected at least 1",
		"version: 1\nstudies: [{spec: a.yaml}]":                            "name is missing",
		"name: x\nversion: 1":                                              "studies is missing",
		"name: x\nversion: 1\nstudies: [{spec: ../a.yaml}]":                "a file in the folder of the set",
		"name: x\nversion: 1\nstudies: [{spec: /etc/passwd}]":              "a file in the folder of the set",
		"name: x\nversion: 1\nstudies: [{spec: a.yaml}, {spec: a.yaml}]":   "no other study names",
		"name: x\nversion: 1\nlate: -1\nstudies: [{spec: a.yaml}]":         "late: -1, expected 0 to 1000",
		"name: x\nversion: 1\nstudies: [{spec: a.yaml, every: fortnight}]": "every \"fortnight\"",
		"name: x\nversion: 1\nstudys: []":                                  "studys",
	} {
		if _, err := parse("set.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Open("nosuch"); err == nil || !strings.Contains(err.Error(), "spot-deadlines") {
		t.Errorf("%v, want the names of sets", err)
	}
}

func FuzzSet(f *testing.F) {
	f.Add([]byte("name: x\nversion: 1\nstudies: [{spec: a.yaml, every: 72h}]"))
	f.Fuzz(func(t *testing.T, text []byte) { _, _ = parse("set.yaml", text) })
}
