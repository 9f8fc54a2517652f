package backtest_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

var only = flag.String("format", "", "TestTable: only this format")

var fits = flag.Int("fits", 0, "TestTable: fits to runs of each format; docs/backtest.md says how many its table has")

// through exports a run in a format, and what that format does not keep as the plain CSV, and reads both: as a team
// would have its machines from one source and its steps from another.
func through(dir string, f formats.Format) Through {
	return func(r *ownruns.Run) (*ownruns.Run, error) {
		kept := map[ownruns.Kind]bool{}
		for _, e := range f.Records.Keep(r) {
			kept[e.Kind] = true
		}
		var rest []ownruns.Event
		for _, e := range r.Events {
			if !kept[e.Kind] {
				rest = append(rest, e)
			}
		}
		paths := []string{filepath.Join(dir, "records-"+f.Name)}
		if err := write(paths[0], func(w io.Writer) error { _, err := formats.ExportRun(f.Name, r, w); return err }); err != nil {
			return nil, err
		}
		if len(rest) > 0 {
			other, err := ownruns.New(r.Name, false, r.Files, rest)
			if err != nil {
				return nil, err
			}
			paths = append(paths, filepath.Join(dir, "rest.csv"))
			if err := write(paths[1], func(w io.Writer) error { return ownruns.WriteCSV(w, other) }); err != nil {
				return nil, err
			}
		}
		return formats.ImportRun("", paths, traces.Options{TraceID: r.Name, InstanceType: Usual().Type, Zone: Zone})
	}
}

func write(path string, fill func(io.Writer) error) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := fill(out); err != nil {
		return err
	}
	return out.Close()
}

// TestTable prints how often the truth is found again, by the format that the runs went through. It runs where -fits is
// given.
func TestTable(t *testing.T) {
	if *fits == 0 {
		t.Skip("without -fits")
	}
	for _, format := range formats.RunFormats() {
		if *only != "" && format.Name != *only {
			continue
		}
		u := Usual()
		f, err := u.Find(context.Background(), *fits, 8, through(t.TempDir(), format), backtest.Options{Draws: 200})
		if err != nil {
			fmt.Printf("| %s | %v |\n", format.Name, err)
			continue
		}
		fmt.Printf("| %s |", format.Name)
		for _, p := range f.Parameters {
			fmt.Printf(" %s %.4g (%.4g) %.0f %% |", p.Name, p.Mean, p.Truth, 100*float64(p.Inside)/float64(max(p.Fits, 1)))
		}
		of50, of90 := f.Finish.Coverage()
		usd50, usd90 := f.USD.Coverage()
		fmt.Printf(" all %.1f %% | finish %d runs: %.1f, %.1f %%, median error %.2f %% | dollars %d: %.1f, %.1f %% |\n", 100*f.Inside(), f.Finish.Runs,
			100*of50, 100*of90, 100*f.Finish.Median, f.USD.Runs, 100*usd50, 100*usd90)
	}
}
