package cmd

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
)

// Results with a met run below its bound, which an earlier version may have written, are an error
// of all that reads both numbers: they name the run and a command that does it again, exit with 1
// and write nothing.
func TestResultsBelowTheirBound(t *testing.T) {
	dir := t.TempDir()
	file, out, study := filepath.Join(dir, "below.yaml"), filepath.Join(dir, "out"), filepath.Join(dir, "sweep")
	write(t, filepath.Join(dir, "sweep.yaml"), "base: below.yaml\nseeds: 2\nbound: true\nmatrix: {market.replay.notice_s: [30, 120]}\n")
	write(t, file, strings.Replace(good, "time_s: 2400", "time_s: 36000", 1))
	for _, line := range [][]string{{"run", file, "--bound", "--no-plots", "--out", out}, {"sweep", filepath.Join(dir, "sweep.yaml"), "--out", study}} {
		if code, _, stderr := marigram(line...); code != 0 {
			t.Fatalf("%v: exit %d\n%s", line, code, stderr)
		}
	}
	spoilRun(t, out)
	spoilSweep(t, study)
	page := filepath.Join(dir, "page.html")
	for name, x := range map[string]struct {
		lines [][]string
		run   string
		again string
	}{
		"run": {[][]string{{"compare", out, "--baseline", "spotdnn"}, {"report", out, "-o", page}, {"plot", "bound", out, "-o", filepath.Join(dir, "bound.svg")}},
			"run 1 (policy spotdnn, objective loss-0.8-in-36000s, start 0 s, seed 2)", "marigram run below.yaml --bound --policy spotdnn --seed 2 --seeds 1"},
		"sweep": {[][]string{{"compare", study, "--baseline", "spotdnn"}, {"report", study, "-o", page},
			{"plot", "bound", study, "-o", filepath.Join(dir, "bound.svg")}},
			"run 3 (cell 1, policy spotdnn, objective loss-0.8-in-36000s, start 0 s, seed 2)", "marigram explain " + study + " --run 3 --at 0:00"},
	} {
		for _, line := range x.lines {
			code, stdout, stderr := marigram(line...)
			if code != 1 || stdout != "" || !strings.Contains(stderr, x.run+" is below its bound: it met") || !strings.Contains(stderr, "repeat it with: "+x.again) {
				t.Errorf("%s, %v: exit %d\n%s%s", name, line, code, stdout, stderr)
			}
		}
	}
	if pages, _ := filepath.Glob(filepath.Join(dir, "*.[hs]*")); pages != nil {
		t.Errorf("left behind: %v", pages)
	}
}

// spoilRun raises the bound of the second run of a folder above its cost.
func spoilRun(t *testing.T, dir string) {
	t.Helper()
	set, err := results.ReadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	spoil(t, &set.Summaries[1])
	if err := results.WriteAll(dir, set); err != nil {
		t.Fatal(err)
	}
}

// spoilSweep does it to the last run of a sweep.
func spoilSweep(t *testing.T, dir string) {
	t.Helper()
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	rows, part, err := results.ReadPart(context.Background(), folder.Part(0))
	if err != nil {
		t.Fatal(err)
	}
	rows = slices.Clone(rows)
	spoil(t, &rows[3].Summary)
	var w results.PartWriter
	if err := w.Write(context.Background(), folder.Part(0), part, rows); err != nil {
		t.Fatal(err)
	}
}

func spoil(t *testing.T, s *results.Summary) {
	t.Helper()
	if !s.Met || s.BoundUSD == nil {
		t.Fatalf("run %d: met %v, bound %v", s.Run, s.Met, s.BoundUSD)
	}
	bound := 1.2 * s.CostUSD
	s.BoundUSD = &bound
}
