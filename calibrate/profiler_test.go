package calibrate_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/calibrate/gpu"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/calibrate/stalls"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// python returns an interpreter that has torch, and skips the test without one.
func python(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the profiler takes too long for -short")
	}
	program := os.Getenv("MARIGRAM_PYTHON")
	if program == "" {
		program = testutil.Python(t)
	}
	if out, err := exec.Command(program, "-c", "import torch").CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Skipf("%s (or MARIGRAM_PYTHON) has no torch: %v: %s", program, err, lines[len(lines)-1])
	}
	return program
}

// profile runs the profiler on the tiny network and the processor.
func profile(t *testing.T, out string, more ...string) (said string, err error) {
	t.Helper()
	arguments := append([]string{"profiler/profiler.py", "--quick", "--device", "cpu", "--models", "tiny", "--only", "steps,layers", "--out", out}, more...)
	text, err := exec.Command(python(t), arguments...).CombinedOutput()
	return string(text), err
}

// What the profiler writes is a profile of runs, which fits, and layers. A run
// that was cut off goes on where it was, and one under other rules is refused.
func TestProfiler(t *testing.T) {
	check := near.Count(t)
	out := t.TempDir()
	const loose = "--max-spread=1000"
	if said, err := profile(t, out, loose); err != nil {
		t.Fatal(err, said)
	}
	p, err := fit.OpenMeasured(filepath.Join(out, "fp32.runs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Rows[0]; len(p.Rows) != 5 || r.Model != "tiny" || r.GPU != "CPU" || r.GPUs != 1 || r.Batch != 2 || !(r.GradientMB > .29 && r.GradientMB < .31) {
		t.Errorf("%d rows, the first %+v", len(p.Rows), r)
	}
	if _, err := fit.Fit(gpu.StepTimeLinear, p, []string{"model=tiny"}, "test"); err != nil {
		t.Error(err)
	}
	layers, err := pipeline.OpenLayers(filepath.Join(out, "tiny-fp32-4.layers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	weights := 0.
	for _, l := range layers {
		weights += l.WeightBytes
	}
	if got := p.Rows[0].GradientMB * 1e6; check.Outside(weights, got*.999, got*1.001) {
		t.Errorf("the layers have %v bytes of weights, the network %v", weights, got)
	}
	list, err := stalls.OpenSummaries(out)
	if err != nil || len(list) != 1 || list[0].Step == nil || list[0].Memory != nil || len(list[0].Layers) != 1 || !(list[0].Layers[0].Ratio > 0) {
		t.Errorf("%+v, %v", list, err)
	}
	checkResume(t, out, loose)
}

func checkResume(t *testing.T, out, loose string) {
	t.Helper()
	path := filepath.Join(out, "resume.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	kept := strings.Join(lines[:3], "")
	if err := os.WriteFile(path, []byte(kept+lines[3][:20]), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := profile(t, out, loose); err != nil {
		t.Fatal(err, said)
	}
	again, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(again), kept) || strings.Count(string(again), "\n") != len(lines)-1 {
		t.Errorf("%v; resumed from\n%s\nto\n%s", err, kept, again)
	}
	if said, err := profile(t, out, "--max-spread=999"); err == nil || !strings.Contains(said, "resume.jsonl:1: measured under") {
		t.Errorf("went on under other rules: %v %s", err, said)
	}
}

// A figure whose spread is over the bound has no value anywhere.
func TestProfilerRefuses(t *testing.T) {
	out := t.TempDir()
	if said, err := profile(t, out, "--max-spread=0"); err != nil {
		t.Fatal(err, said)
	}
	if _, err := os.Stat(filepath.Join(out, "fp32.runs.csv")); err == nil {
		t.Error("a profile of refused runs")
	}
	file, err := os.Open(filepath.Join(out, "measurements.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	value, note, refused := slices.Index(rows[0], "value"), slices.Index(rows[0], "note"), 0
	for _, r := range rows[1:] {
		if strings.HasSuffix(r[0], "_s") && (r[value] != "" || !strings.HasPrefix(r[note], "refused: spread")) {
			t.Errorf("%v, expected a refusal", r)
		}
		if strings.HasPrefix(r[note], "refused") {
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("%d refusals", refused)
	}
	data, err := os.ReadFile(filepath.Join(out, "profile.json"))
	var all struct {
		Provenance struct {
			Torch, Commit, Date string
			Line                string `json:"command_line"`
		}
	}
	if err != nil || json.Unmarshal(data, &all) != nil || all.Provenance.Torch == "" || all.Provenance.Date == "" ||
		!strings.Contains(all.Provenance.Line, "--max-spread=0") {
		t.Errorf("%v: %s", err, data)
	}
}

// The way through a GPU, on a stand-in whose time and memory follow laws: what was
// measured fits them, layers add up to the whole, and the largest batch is the last
// that has memory.
func TestProfilerOnStandIn(t *testing.T) {
	check := near.Count(t)
	out := t.TempDir()
	run := exec.Command(python(t), "profiler/profiler.py", "--quick", "--models", "tiny",
		"--only", "steps,layers,largest,copies", "--max-spread-wall", "1000", "--budget", "1000", "--out", out)
	run.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "PYTHONPATH="+filepath.Join("profiler", "testdata", "standin"))
	if said, err := run.CombinedOutput(); err != nil || !strings.Contains(string(said), "refused 0, absent 0, failed 0, out of memory 0; 0 tasks left") {
		t.Fatalf("%v %s", err, said)
	}
	list, err := stalls.OpenSummaries(out)
	if err != nil || len(list) != 1 || len(list[0].Layers) != 1 || list[0].GPU != "Stand-in" {
		t.Fatalf("%+v, %v", list, err)
	}
	s := list[0]
	for _, l := range s.Layers {
		if check.Off(l.Ratio, 1, 1e-6) {
			t.Errorf("%s: layers make %v of the whole", l.File, l.Ratio)
		}
	}
	if check.Above(s.Step.Worst, 1e-6) || check.Above(s.Memory.Worst, 1e-6) {
		t.Errorf("step %+v, memory %+v", s.Step, s.Memory)
	}
	// 2 GB, of which 0.1 and 1000 times an image of 32 by 32 in three colours and floats are in use
	if want := (2_000_000_000 - 100_000_000) / (1000 * 32 * 32 * 3 * 4); s.Largest.Measured != want || s.Largest.Predicted != want {
		t.Errorf("%+v, expected %d", s.Largest, want)
	}
}
