package cmd

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

const parcaeTraces = "papers/ours/parcae"

// Every spec of a study of our own can be read, as a sweep and its base as a spec.
func TestStudySpecs(t *testing.T) {
	bases, err := filepath.Glob("papers/ours/*/base.yaml")
	if err != nil || len(bases) < 3 {
		t.Fatalf("%q, %v, expected the bases of three studies or more", bases, err)
	}
	for _, base := range bases {
		if _, err := spec.Open(base); err != nil {
			t.Error(err)
		}
		files, err := filepath.Glob(filepath.Join(filepath.Dir(base), "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if _, err := sweep.Open(file); err != nil {
				t.Error(err)
			}
		}
	}
}

// On traces on which it was not tuned a sample costs at least 5 % less under
// parcae-robust than under parcae and parcae-reactive, in the geometric mean over
// traces and networks, and 4 % without the network that uses least of what it
// holds; training is at most 5 % slower. papers/ours/parcae/README.md has all traces.
func TestDocumentsUnseenTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("replays recorded traces")
	}
	const wasteful = "gpt-6.7b"
	all, others := &gains{max: 0.95}, &gains{max: 0.96}
	for file, set := range map[string]string{"aws-2020": "bamboo-aws-2020", "gcp-v100": "bamboo-gcp-v100",
		"v100-16": "skynomad-aws-v100-16node"} {
		pulled.Dir(t, set)
		for _, c := range compareTrace(t, file) {
			all.add(c)
			if !strings.Contains(c[0].Parameters, wasteful) {
				others.add(c)
			}
		}
	}
	all.check(t, "all networks", 20)
	others.check(t, "all but "+wasteful, 16)
}

// compareTrace sweeps one trace and returns parcae, parcae-reactive and
// parcae-robust of each cell.
func compareTrace(t *testing.T, file string) (cells [][]sweep.Comparison) {
	t.Helper()
	out := filepath.Join(t.TempDir(), file)
	var stdout string
	for _, args := range [][]string{
		{"sweep", filepath.Join(parcaeTraces, file+".yaml"), "-s", "policy=[parcae,parcae-reactive,parcae-robust]",
			"--out", out},
		{"compare", out, "--baseline", "parcae", "--json"},
	} {
		code, said, stderr := marigram(args...)
		if code != 0 {
			t.Fatalf("%q: exit %d, %s", args, code, stderr)
		}
		stdout = said
	}
	var rows []sweep.Comparison
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	for ; len(rows) > 0; rows = rows[3:] {
		cells = append(cells, rows[:3])
	}
	return cells
}

// gains are logarithms of ratios of parcae-robust to others, summed over cells.
type gains struct {
	max                         float64 // that a sample may cost
	cells                       int
	toParcae, toReactive, speed float64
}

func (g *gains) add(c []sweep.Comparison) {
	reactive, robust := c[1].PerSample.Ratio, c[2].PerSample.Ratio
	g.cells++
	g.toParcae += math.Log(robust)
	g.toReactive += math.Log(robust / reactive)
	g.speed += math.Log(c[2].Samples.Ratio)
}

func (g *gains) check(t *testing.T, what string, cells int) {
	t.Helper()
	mean := func(x float64) float64 { return math.Exp(x / float64(g.cells)) }
	toParcae, toReactive, speed := mean(g.toParcae), mean(g.toReactive), mean(g.speed)
	t.Logf("%s: a sample costs %.3f of parcae's, %.3f of parcae-reactive's; %.3f of the samples", what, toParcae,
		toReactive, speed)
	if g.cells != cells || !(max(toParcae, toReactive) <= g.max) || !(speed >= 0.95) {
		t.Errorf("%s, %d cells: a sample costs %.3f and %.3f, want at most %v in %d cells; %.3f of the samples, "+
			"want at least 0.95",
			what, g.cells, toParcae, toReactive, g.max, cells, speed)
	}
}
