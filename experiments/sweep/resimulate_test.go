package sweep

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Runs of a sweep that are run again are those of the sweep, with what happened in
// them; of another spec they are not.
func TestResimulate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sweep.yaml")
	if err := os.WriteFile(file, []byte(synthetic), 0o644); err != nil {
		t.Fatal(err)
	}
	p := planFile(t, file)
	f := begin(t, p)
	if _, err := f.Run(context.Background(), Options{Workers: 2, Shard: Whole}); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFolder(f.Dir) // as another process does
	if err != nil {
		t.Fatal(err)
	}
	for run := range f.Plan.Runs() {
		if back := f.Plan.Run(f.Plan.Place(run)); back != run {
			t.Fatalf("run %d is %+v, which is run %d", run, f.Plan.Place(run), back)
		}
	}
	runs := []int64{3, 4, 40, f.Plan.Runs() - 1}
	set, err := f.Resimulate(context.Background(), runs)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, s := range set.Summaries {
		got = append(got, s.Run)
	}
	last := set.Spans[len(set.Spans)-1]
	if !slices.Equal(got, runs) || last.Run != runs[3] || last.CostUSD != set.Summaries[3].CostUSD || len(set.Decisions) == 0 {
		t.Errorf("runs %v, the last span is %+v of a run that cost %v", got, last, set.Summaries[3].CostUSD)
	}
	if _, err := f.Resimulate(context.Background(), []int64{f.Plan.Runs()}); err == nil || !strings.Contains(err.Error(), "the sweep has runs 0 to") {
		t.Errorf("a run that there is not: %v", err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(synthetic, "seeds: 9", "seeds: 8", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Resimulate(context.Background(), runs); err == nil || !strings.Contains(err.Error(), "is not what it was when the sweep was begun") {
		t.Errorf("of a spec that was changed: %v", err)
	}
	os.Remove(file)
	if _, err := f.Resimulate(context.Background(), runs); !os.IsNotExist(err) {
		t.Errorf("of a spec that is gone: %v", err)
	}
}

// A run that comes out otherwise, of a base that was changed, is not shown as that of
// the sweep.
func TestResimulateChanged(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const base = `name: base
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.8, time_s: 3600}]
policies: [{name: reactive}]
market:
  synthetic: {zones: 1}
  pools: [{type: p3.2xlarge, quota: 2, on_demand_usd_per_h: 3.06}]
`
	write("base.yaml", base)
	f := begin(t, planFile(t, write("sweep.yaml", "base: base.yaml\nseeds: 2\n")))
	if _, err := f.Run(context.Background(), Options{Workers: 1, Shard: Whole}); err != nil {
		t.Fatal(err)
	}
	write("base.yaml", strings.Replace(base, "per_h: 3.06", "per_h: 4", 1))
	if _, err := f.Resimulate(context.Background(), []int64{0}); err == nil || !strings.Contains(err.Error(), "comes out otherwise than in the sweep") {
		t.Errorf("%v", err)
	}
}
