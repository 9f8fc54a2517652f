package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// synthetic is a small sweep of a market that every seed has another of.
const synthetic = `base: quickstart
name: small
matrix:
  market.replay.notice_s: [30, 120]
zip:
  objectives.0.time_s: [2400, 3600]
  objectives.0.name: [short, long]
exclude:
  - {market.replay.notice_s: 30, objectives.0.name: long}
include:
  - {policy: reactive, policy.patience_s: 60}
seeds: 9
chunk_runs: 12
`

func planOf(t *testing.T, text string) *Plan {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return planFile(t, file)
}

func planFile(t *testing.T, file string) *Plan {
	t.Helper()
	spec, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Plan(context.Background(), "v0", "c0")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func begin(t *testing.T, p *Plan) *Folder {
	t.Helper()
	f, err := p.Begin(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func runAll(t *testing.T, f *Folder, o Options) Report {
	t.Helper()
	r, err := f.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func merged(t *testing.T, f *Folder) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "merged.parquet")
	if _, err := f.Merge(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return results.SHA256(b)
}

func rowsOf(t *testing.T, f *Folder) (all []results.SweepRow) {
	t.Helper()
	if err := f.Rows(func(rows []results.SweepRow) error { all = append(all, rows...); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// Whoever makes the chunks, the merged bytes are the same.
func TestSameBytes(t *testing.T) {
	one := begin(t, planOf(t, synthetic))
	if r := runAll(t, one, Options{Workers: 1, Shard: Whole}); r.Made != r.Chunks || r.Chunks < 10 {
		t.Fatalf("%+v, want all chunks made, and ten at least", r)
	}
	want := merged(t, one)

	file := one.Plan.Made.File
	shards := begin(t, planFile(t, file))
	for _, i := range []int{2, 0, 3, 1} {
		runAll(t, shards, Options{Workers: 4, Shard: Shard{i, 4}})
	}
	if got := merged(t, shards); got != want {
		t.Errorf("4 shards of 4 workers: %s, want %s", got, want)
	}

	// On a busy machine a sweep may be done before it is told to stop.
	stopped, times := begin(t, planFile(t, file)), 0
	for tries := 0; times < 2 && tries < 50; tries++ {
		stopped, times = begin(t, planFile(t, file)), 0
		for ; stopsAfter(t, stopped, 20); times++ {
		}
	}
	if got := merged(t, stopped); got != want || times < 2 {
		t.Errorf("stopped %d times: %s, want %s", times, got, want)
	}
	if s, err := stopped.Status(); err != nil || s.Done != s.Chunks || len(s.Strays) > 0 {
		t.Errorf("%+v, %v, want all done and nothing beside it", s, err)
	}
}

// stopsAfter tells a sweep to stop after n runs, and reports whether it did.
func stopsAfter(t *testing.T, f *Folder, runs int64) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &Progress{}
	go func() {
		for p.Made.Load() < runs && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err := f.Run(ctx, Options{Workers: 2, Shard: Whole, Progress: p})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return err != nil
}

// The rows are those of marigram run, cell by cell.
func TestRowsAreRuns(t *testing.T) {
	f := begin(t, planOf(t, synthetic))
	runAll(t, f, Options{Workers: 2, Shard: Whole})
	rows := rowsOf(t, f)
	if int64(len(rows)) != f.Plan.Runs() {
		t.Fatalf("%d rows, want %d", len(rows), f.Plan.Runs())
	}
	byCell := map[string]map[string]results.Summary{}
	for i, r := range rows {
		if r.Run != int64(i) {
			t.Fatalf("row %d is run %d", i, r.Run)
		}
		if byCell[r.Parameters] == nil {
			byCell[r.Parameters] = map[string]results.Summary{}
		}
		r.Run, r.Scenario = 0, ""
		byCell[r.Parameters][fmt.Sprint(r.Objective, r.Policy, r.Seed)] = r.Summary
	}
	if len(byCell) != len(f.Plan.Settings) {
		t.Fatalf("%d cells, want %d", len(byCell), len(f.Plan.Settings))
	}
	for _, settings := range f.Plan.Settings {
		s, err := spec.Open("quickstart", settings...)
		if err != nil {
			t.Fatal(err)
		}
		s.Seeds = 9
		study, err := experiments.NewStudy(s)
		if err != nil {
			t.Fatal(err)
		}
		set, err := study.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		cell := byCell[spec.Parameters(settings)]
		if len(cell) != len(set.Summaries) {
			t.Errorf("cell %s has %d runs, want %d", spec.Parameters(settings), len(cell), len(set.Summaries))
		}
		for _, want := range set.Summaries {
			key := fmt.Sprint(want.Objective, want.Policy, want.Seed)
			want.Run, want.Scenario = 0, ""
			if got := cell[key]; !reflect.DeepEqual(got, want) {
				t.Errorf("cell %s, %s: %+v, want %+v", spec.Parameters(settings), key, got, want)
			}
		}
	}
}

// recorded writes a trace of ten hours, of which a run takes two, and a sweep
// with starts in it.
func recorded(t testing.TB, starts string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var prices, counts strings.Builder
	for h := 10; h >= 0; h-- {
		fmt.Fprintf(&prices, `{"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": `+
			`"%d.5", "Timestamp": "2024-01-01T%02d:00:00+00:00"},`, 1+h%3, h)
	}
	counts.WriteString("date,availability\n")
	for m := 0; m <= 600; m += 20 {
		fmt.Fprintf(&counts, "2024-01-01 %02d:%02d:00,%d\n", m/60, m%60, (m/20*7)%5)
	}
	write("prices.json", `{"SpotPriceHistory": [`+strings.TrimSuffix(prices.String(), ",")+`]}`)
	write("counts.csv", counts.String())
	write("base.yaml", `name: recorded
seeds: 2
horizon_s: 7200
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.6, time_s: 7200}]
policies: [{name: reactive, settings: {instances: 3}}, {name: spotdnn}]
market:
  traces:
    - {name: prices, path: prices.json}
    - {name: counts, path: counts.csv, polarity: 1=available}
  pools:
    - {type: p3.2xlarge, quota: 4, prices: {trace: prices}, capacity: {trace: counts}}
`)
	write("sweep.yaml", "base: base.yaml\nstarts: {"+starts+"}\n")
	return filepath.Join(dir, "sweep.yaml")
}

// A run that starts later sees the trace from there: the same as when the
// trace begins there.
func TestStarts(t *testing.T) {
	check := near.Count(t)
	f := begin(t, planFile(t, recorded(t, "every: 1h")))
	if want := []float64{0, 3600, 7200, 10800, 14400, 18000, 21600, 25200, 28800}; !reflect.DeepEqual(f.Plan.StartsS, want) {
		t.Fatalf("starts %v, want %v", f.Plan.StartsS, want)
	}
	runAll(t, f, Options{Workers: 2, Shard: Whole})
	base := filepath.Join(filepath.Dir(f.Plan.Made.File), "base.yaml")
	costs := map[float64]bool{}
	for _, r := range rowsOf(t, f) {
		if r.Error != "" {
			t.Fatal(r.Error)
		}
		costs[r.CostUSD] = true
		s, err := spec.Open(base, spec.Setting{Path: "market.traces.0.from_s", Value: r.StartS},
			spec.Setting{Path: "market.traces.1.from_s", Value: r.StartS})
		if err != nil {
			t.Fatal(err)
		}
		study, err := experiments.NewStudy(s)
		if err != nil {
			t.Fatal(err)
		}
		policy := 0
		if r.Policy == "spotdnn" {
			policy = 1
		}
		want, err := study.Worker().Run(experiments.Case{Run: r.Run, Policy: policy, Seed: r.Seed})
		if err != nil {
			t.Fatal(err)
		}
		// The sums are made in another order of prefix integrals.
		if check.Off(want.CostUSD, r.CostUSD, 1e-9) || want.Preemptions != r.Preemptions || want.Decisions != r.Decisions || want.HorizonS != r.HorizonS ||
			r.HorizonS != 7200 {
			t.Errorf("start %v, %s, seed %d: %+v, want %+v", r.StartS, r.Policy, r.Seed, r.Summary, want)
		}
	}
	all, err := f.Compare(By{Baseline: "reactive"})
	if err != nil || len(all) != 2 || all[1].N != 18 || !strings.Contains(strings.Join(all[1].Warnings, " "), "count 5 of 9 starts") {
		t.Fatalf("%+v, %v, want a warning that runs of up to two hours from every hour overlap", all, err)
	}
	if c := all[1]; c.SamplingUnit != results.ByStart || c.MissedCI.Units != 5 || c.DiffCI == nil || c.DiffCI.Units != 5 || c.PerSample.CI.Units != 5 {
		t.Errorf("%+v, want intervals of 5 starts that share no part of the trace, not of 9 starts or 18 runs", c)
	}
	if len(costs) < 9 {
		t.Errorf("%d costs, expected starts to differ", len(costs))
	}
}

func TestRandomStarts(t *testing.T) {
	file := recorded(t, "random: 50")
	p := planFile(t, file)
	distinct := map[float64]bool{}
	for _, s := range p.StartsS {
		if distinct[s] = true; s < 0 || s > 28800 || s != math.Trunc(s) {
			t.Errorf("start %v, expected whole seconds from 0 to 28800", s)
		}
	}
	if len(p.StartsS) != 50 || len(distinct) < 45 {
		t.Errorf("%d starts, %d different, want 50", len(p.StartsS), len(distinct))
	}
	if again := planFile(t, file); again.Hash != p.Hash {
		t.Error("the same sweep has another plan")
	}
}

// Everything that results depend on changes the hash.
func TestHash(t *testing.T) {
	file := recorded(t, "every_s: 7200")
	p := planFile(t, file)
	spec, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	other, err := spec.Plan(context.Background(), "v1", "c0")
	if err != nil {
		t.Fatal(err)
	}
	hashes := map[string]bool{p.Hash: true, other.Hash: true}
	counts := filepath.Join(filepath.Dir(file), "counts.csv")
	b, err := os.ReadFile(counts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(counts, []byte(strings.Replace(string(b), "00:20:00,2", "00:20:00,1", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	hashes[planFile(t, file).Hash] = true
	if err := spec.Override("policy.patience_s=7"); err != nil {
		t.Fatal(err)
	}
	if other, err = spec.Plan(context.Background(), "v0", "c0"); err != nil {
		t.Fatal(err)
	}
	hashes[other.Hash] = true
	if len(hashes) != 4 {
		t.Errorf("%d hashes, want 4: of the plan, another version, another trace, another setting", len(hashes))
	}
	f := begin(t, p)
	if _, err := other.Begin(f.Dir); err == nil || !strings.Contains(err.Error(), "inputs differ") && !strings.Contains(err.Error(), "spec or overrides differ") {
		t.Errorf("another plan in the folder: %v", err)
	}
}

// A folder knows how its plan was made, wherever the process is: from a sweep, a
// plain spec and one that comes with marigram.
func TestReopen(t *testing.T) {
	file := recorded(t, "random: 3")
	dir := filepath.Dir(file)
	t.Chdir(dir)
	for _, name := range []string{"sweep.yaml", "base.yaml", "quickstart"} {
		spec, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := spec.Override("policy.patience_s=60,90"); err != nil {
			t.Fatal(err)
		}
		spec.Seeds, spec.Chunk = 3, 5
		p, err := spec.Plan(context.Background(), "v0", "c0")
		if err != nil {
			t.Fatal(err)
		}
		f := begin(t, p)
		t.Chdir(t.TempDir())
		old, err := OpenFolder(f.Dir)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Reopen(old.Plan)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := again.Plan(context.Background(), "v0", "c0"); err != nil || p.Hash != old.Plan.Hash || p.Runs() != old.Plan.Runs() {
			t.Errorf("%s: %v, want the same plan again", name, err)
		}
		t.Chdir(dir)
	}
}
