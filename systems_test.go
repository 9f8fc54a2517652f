package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

var updateFigures = flag.Bool("figures", false, "write the figures under docs")

// systemRuns puts the five systems on Bamboo's recorded p3 machines.
func systemRuns(t *testing.T) []results.Summary {
	t.Helper()
	from := filepath.Join("..", "shared", "traces")
	if _, err := os.Stat(from); err != nil {
		t.Skipf("the recorded histories are not here: %v", err)
	}
	e, err := traces.EntryNamed("bamboo-aws-p3")
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	pulled, err := traces.Pull(context.Background(), e, traces.PullOptions{From: from, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	set, err := traces.Read(pulled.Dir)
	if err != nil {
		t.Fatal(err)
	}
	study := experiments.Systems{Network: "BERT-Large", USDPerH: 0.91, Notice: sim.DefaultNotice("aws"), Boot: 45 * time.Second,
		Every: 15 * time.Minute, Span: 4 * time.Hour, Interval: 10 * time.Minute, Prior: time.Hour, Settle: 30 * time.Second, Snapshot: 0.1}
	rows, err := study.Run(set)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The figure that no paper has: the systems side by side, on one history with one
// network and one set of books.
func TestSystemsFigure(t *testing.T) {
	rows := systemRuns(t)
	for _, s := range rows {
		sum := s.UsefulH + s.RedundantH + s.CheckpointingH + s.RestoringH + s.ReconfiguringH + s.RedoneH + s.WaitingH + s.StartingH
		if d := sum - s.InstanceH; d > 1e-6 || d < -1e-6 {
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
