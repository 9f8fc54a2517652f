package cmd

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/plots"
)

var updateFigures = flag.Bool("figures", false, "write the figures under docs")

// systemRuns runs the spec of five systems on Bamboo's recorded p3 machines, from a
// start every quarter of an hour.
func systemRuns(t *testing.T) (rows []results.Summary) {
	t.Helper()
	pulled.Dir(t, "bamboo-aws-p3")
	sp, err := spec.Open("systems-p3")
	if err != nil {
		t.Fatal(err)
	}
	const recorded = 40920 // s
	for ; sp.Market.Traces[0].FromS+sp.HorizonS <= recorded; sp.Market.Traces[0].FromS += 900 {
		study, err := experiments.NewStudy(sp)
		if err != nil {
			t.Fatal(err)
		}
		set, err := study.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, set.Summaries...)
	}
	return rows
}

// The figure that no paper has: the systems side by side, on one trace with one
// network and one set of books.
func TestSystemsFigure(t *testing.T) {
	rows := systemRuns(t)
	for _, s := range rows {
		sum := s.UsefulH + s.RedundantH + s.CheckpointingH + s.RestoringH + s.ReconfiguringH + s.LostH + s.WaitingH + s.StartingH
		if d := sum - s.InstanceH; !(d <= 1e-6 && d >= -1e-6) {
			t.Errorf("%s, run %d: activities sum to %v of %v instance-hours", s.Policy, s.Run, sum, s.InstanceH)
		}
	}
	f, err := plots.Activities(rows)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("docs", "systems-p3.png")
	if *updateFigures {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOARCH == "amd64" && !bytes.Equal(got, want) { // others round otherwise
		t.Errorf("%s differs: look at it, and write it again with -figures if it is right", path)
	}
}
