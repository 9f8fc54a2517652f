package sweep

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/stats"
)

// Blocks hold all units once, and give many units the width of the normal law.
func TestBootstrapOfMany(t *testing.T) {
	check := near.Count(t)
	luck := rand.New(rand.NewPCG(8, 8))
	var all trained
	units := make([]trained, 123_457)
	for i := range units {
		units[i] = trained{luck.ExpFloat64(), 1, 1, 1}
		all.add(units[i])
	}
	var sum trained
	for _, b := range blocks(units) {
		sum.add(b)
	}
	if n := len(blocks(units)); n > maxBlocks || sum.samples != all.samples || check.OffRel(sum.usd, all.usd, 1e-12) {
		t.Errorf("%d blocks hold %+v, want %+v", n, sum, all)
	}
	ci := bootstrap(units, len(units), (*trained).perSample)
	if want := 2 * 1.96 / math.Sqrt(float64(len(units))); check.OffRel(ci.High-ci.Low, want, 0.1) || ci.Low > 1 || ci.High < 1 || ci.Units != len(units) {
		t.Errorf("%+v, want about 1 with a width of %v", ci, want)
	}
	if bootstrap(units, len(units), (*trained).perSample) != ci {
		t.Error("the same numbers have another interval")
	}
}

func TestQuantile(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for share, want := range map[float64]float64{0: 1, 0.5: 5, 0.95: 10, 0.9: 9, 0.91: 10, 1: 10} {
		if got := stats.NearestRank(x, share); got != want {
			t.Errorf("%v: %v, want %v", share, got, want)
		}
	}
}

// compareBy compares rows that are made by hand: four seeds of two policies in
// cells of their own.
func compareBy(t *testing.T, costs map[string][]float64) []Comparison {
	t.Helper()
	p := planOf(t, "base: quickstart\nseeds: 4\nmatrix: {policy: [reactive, ondemand, spotdnn], objectives: [[{loss: 0.8, time_s: 2400}]]}\n")
	f := begin(t, p)
	r := &runner{plan: p, progress: &Progress{}}
	for chunk := range p.Chunks() {
		if _, err := r.chunk(t.Context(), chunk); err != nil {
			t.Fatal(err)
		}
		for i := range r.rows {
			row := &r.rows[i]
			k := int(row.Seed - p.Seed)
			row.Error, row.CostUSD, row.Finished = "", costs[row.Policy][k], true
			row.Met = !strings.HasPrefix(row.Policy, "r") || k > 0
			if math.IsNaN(row.CostUSD) {
				row.Error = "broken"
			}
		}
		if err := results.WritePart(context.Background(), f.Part(chunk), results.Part{Provenance: p.Provenance(), Plan: p.Hash, Chunk: chunk}, r.rows); err != nil {
			t.Fatal(err)
		}
	}
	all, err := f.Compare(By{Baseline: "reactive"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Compare(By{Baseline: "fixed"}); err == nil || !strings.Contains(err.Error(), "there are ondemand, reactive, spotdnn") {
		t.Errorf("a baseline that is not there: %v", err)
	}
	return all
}

// Cells that differ in the policy only are compared, seed by seed.
func TestCompare(t *testing.T) {
	check := near.Count(t)
	all := compareBy(t, map[string][]float64{"reactive": {1, 2, 3, 4}, "ondemand": {5, 2, 2, math.NaN()}, "spotdnn": {6, 6, 6, 6}})
	if len(all) != 3 {
		t.Fatalf("%d comparisons, want one group of three", len(all))
	}
	base, on, spot := all[0], all[1], all[2]
	if base.Policy != "reactive" || base.Missed != 0.25 || base.Diff != 0 || base.WinRate != 0.5 || base.Value != 2.5 || !base.Front {
		t.Errorf("baseline %+v", base)
	}
	if on.N != 3 || on.Failed != 1 || on.Pairs != 3 || on.Diff != 1 || on.WinRate != 0.5 || on.Value != 3 || on.P99 != 5 || !on.Front {
		t.Errorf("ondemand %+v, want differences of 4, 0 and -1, and the failed run left out", on)
	}
	// Hall's for three numbers: a standard error of sqrt(14/6), a skewness of 18/7^1.5 x 3/2, Student's quantile
	// 4.3027.
	low, high := -2.5465, 14.0627
	if on.DiffCI == nil || check.Off(on.DiffCI.Low, low, 1e-3) || check.Off(on.DiffCI.High, high, 1e-3) || on.DiffCI.Units != 3 ||
		on.SamplingUnit != results.BySeed {
		t.Errorf("interval %+v of units %s, want %v to %v of three seeds", on.DiffCI, on.SamplingUnit, low, high)
	}
	if spot.Front || spot.Missed != 0 {
		t.Errorf("spotdnn %+v, want it off the front: it costs more than ondemand and misses no less", spot)
	}
	for _, c := range all {
		if text := strings.Join(c.Warnings, "\n"); !strings.Contains(text, "seeds: too few for confidence intervals") || !strings.Contains(text, "99th percentile") {
			t.Errorf("%s: warnings %q", c.Policy, text)
		}
	}
}

// The runs of one study are compared seed by seed, wherever they stand, and those
// that are kept alone; what all runs of a policy warn of is said.
func TestCompareRuns(t *testing.T) {
	var rows []results.Summary
	for i, policy := range []string{"ondemand", "varuna", "bamboo"} {
		for k, seed := range []int64{7, 3, 5} {
			r := results.Summary{Unit: results.BySeed, Objective: "a day", Policy: policy, Seed: seed, CostUSD: float64(10*i) + float64(seed), Samples: 1,
				Finished: true, Met: true, Warnings: "one window"}
			if k > 0 {
				r.Warnings = "one window; another"
			}
			if policy == "varuna" {
				rows = append([]results.Summary{r}, rows...)
			} else {
				rows = append(rows, r)
			}
		}
	}
	all, err := CompareRuns(rows, By{Baseline: "ondemand", Keep: func(r *results.SweepRow) (bool, error) { return r.Policy != "bamboo", nil }})
	if err != nil || len(all) != 2 {
		t.Fatalf("%d comparisons, %v, want those of two policies", len(all), err)
	}
	if v := all[0]; v.Policy != "varuna" || v.Parameters != "{}" || v.Pairs != 3 || v.Diff != 10 || v.DiffCI.Low != 10 || v.DiffCI.High != 10 ||
		v.PerSample == nil {
		t.Errorf("%+v, want each of three runs 10 USD more expensive", v)
	}
	if text := strings.Join(all[0].Warnings, "\n"); !strings.Contains(text, "one window") || strings.Contains(text, "another") {
		t.Errorf("warnings %q", text)
	}
	only := func(r *results.SweepRow) (bool, error) { return r.Policy == "bamboo", nil }
	if _, err := CompareRuns(rows, By{Baseline: "ondemand", Keep: only}); err == nil || !strings.Contains(err.Error(), "among the selected runs") {
		t.Errorf("a baseline that was not kept: %v", err)
	}
	if _, err := CompareRuns(rows, By{Baseline: "reactive"}); err == nil || !strings.Contains(err.Error(), "there are bamboo, ondemand, varuna") {
		t.Errorf("a baseline that is not there: %v", err)
	}
}

func TestCells(t *testing.T) {
	for text, want := range map[string]string{
		"matrix: {seeds: [1]}":                                            "seeds cannot be swept",
		"matrix: {policy: reactive}":                                      "expected a list of values",
		"matrix: {policy: []}":                                            "expected a list of values",
		"matrix: {policy: [reactive, reactive]}":                          "is given twice",
		"matrix: {policy: [reactive]}\nzip: {policy: [reactive]}":         "policy is given twice",
		"matrix: {market.boot.sigma: [0]}\nzip: {market.boot.sigma: [0]}": "market.boot.sigma is given twice",
		"matrix: {market.boot.spread: [0]}":                               "spread is gone: write sigma",
		"zip: {horizon_s: [1, 2], policy: [reactive]}":                    "policy has 1 values, expected 2",
		"exclude: [{policy: reactive}]":                                   "exclude[0]: no cell",
		"matrix: {policy: [x]}\nexclude: [{policy: x}]":                   "no cell is left",
		"matrix: {market.replay.notice: [1]}":                             `cell 0 {"market.replay.notice":1}: market.replay.notice: no key "notice"`,
		"matrix: {policy: [ondemand, mdp], policy.regret: [0.1]}":         "policy: [[a, b]] puts both into each cell",
		"matrx: {}":                                "unknown field",
		"chunk_runs: 70000":                        "expected 1 to 65536",
		"starts: {every_s: 0}":                     "starts.every_s: 0, expected 1 to 632448000",
		"chunk_runs: 0":                            "chunk_runs: 0, expected 1 to 65536; leave it out for the default",
		"starts: {every_s: 0.5}":                   "expected 1 to 632448000",
		"starts: {every_s: 10, random: 3}":         "not both",
		"starts: {every: \"6\"}":                   "expected a duration such as 6h",
		"starts: {every: 1h, every_s: 3600}":       "starts.every: expected every or every_s, not both",
		"starts: {every: 1h}":                      "starts need a recorded trace",
		"starts: {every_s: 3600}":                  "starts need a recorded trace",
		"---\nbase: quickstart":                    "more than one YAML document",
		"matrix: {market.replay.notice_s: [.nan]}": "finite",
	} {
		_, err := parseAndPlan("base: quickstart\nseeds: 1\n" + text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func parseAndPlan(text string) (*Plan, error) {
	s, err := parse("sweep.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return s.Plan(context.Background(), "", "")
}

// Overrides take the place of an axis or add one, behind the others.
func TestOverride(t *testing.T) {
	s, err := parse("sweep.yaml", []byte("base: quickstart\nmatrix: {policy.patience_s: [1, 2]}\nzip: {horizon_s: [9000]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []string{"policy.patience_s=5,10", "policy=[reactive, spotdnn],spotdnn"} {
		if err := s.Override(x); err != nil {
			t.Fatal(err)
		}
	}
	cells, err := s.cells()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cells {
		got = append(got, spec.Parameters(c))
	}
	want := `{"horizon_s":9000,"policy":["reactive","spotdnn"],"policy.patience_s":5} {"horizon_s":9000,"policy":"spotdnn","policy.patience_s":5} ` +
		`{"horizon_s":9000,"policy":["reactive","spotdnn"],"policy.patience_s":10} {"horizon_s":9000,"policy":"spotdnn","policy.patience_s":10}`
	if strings.Join(got, " ") != want {
		t.Errorf("cells %s, want %s", strings.Join(got, " "), want)
	}
	for text, want := range map[string]string{"policy": "expected path=value", "=1": "expected path=value", "horizon_s=1": "zipped", "policy={": "not YAML"} {
		if err := s.Override(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Numbering goes there and back.
func TestNumbers(t *testing.T) {
	p := planOf(t, "base: quickstart\nseeds: 7\nchunk_runs: 20\nmatrix: {policy: [reactive, [ondemand, spotdnn, reactive]]}\n")
	run := int64(0)
	for point := range p.perCell() * int64(len(p.Cells)) {
		cell, _, _, first := p.place(point)
		if first != run {
			t.Fatalf("point %d begins with run %d, want %d", point, first, run)
		}
		for range p.Cells[cell].runs() {
			if got := p.pointOf(run); got != point {
				t.Errorf("run %d is of point %d, want %d", run, got, point)
			}
			run++
		}
	}
	sum := int64(0)
	for chunk := range p.Chunks() {
		sum += p.ChunkRuns(chunk)
	}
	if run != p.Runs() || sum != run || p.Runs() != 7*2*4 {
		t.Errorf("%d runs, chunks have %d, the plan says %d, want 56", run, sum, p.Runs())
	}
}

// The JSON of a comparison names its unit once.
func TestComparisonJSON(t *testing.T) {
	in := Comparison{Metric: "jct_h", Unit: "h", Value: 4.5, P50: 4, Diff: -1}
	text, err := json.Marshal(in)
	if err != nil || strings.Contains(string(text), "usd") || !strings.Contains(string(text), `"metric":"jct_h","unit":"h"`) {
		t.Errorf("%s, %v", text, err)
	}
	in.Metric, in.Unit = results.Cost, results.USD
	text, err = json.Marshal([]Comparison{in})
	if err != nil || strings.Contains(string(text), "_usd") || !strings.Contains(string(text), `"unit":"USD"`) {
		t.Errorf("%s, %v", text, err)
	}
	var out []Comparison
	if err := json.Unmarshal(text, &out); err != nil || !reflect.DeepEqual(out, []Comparison{in}) {
		t.Errorf("%+v, %v, want %+v", out, err, in)
	}
}
