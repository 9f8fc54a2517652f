package backtest

import (
	"cmp"
	"path/filepath"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/internal/columnar"
)

// outputs are the files that --out writes.
func outputs() []string {
	return []string{"verdict.parquet", "ranks.parquet", "runs.parquet", "hours.parquet", "curves.parquet", "fit.parquet"}
}

func (f *flags) checkOutputs(args []string) error {
	inputs := append([]string{f.load.fleet, f.load.bill, f.load.prices}, args...)
	if err := cli.CheckOutputs(inputs, f.model); err != nil {
		return err
	}
	if f.out == "" {
		return nil
	}
	return cli.CheckInto(inputs, f.out, outputs()...)
}

// write writes the model file and the tables, as far as they are asked for.
func (f *flags) write(v *backtest.Verdict) error {
	if f.model != "" {
		if err := v.Fitted.WriteFile(f.model, cli.Version()); err != nil {
			return cli.Failed(err)
		}
	}
	if f.out == "" {
		return nil
	}
	_, err := atomicfile.Files(f.out, outputs(), func(dir string) ([]string, error) { return outputs(), tables(dir, v) })
	return cli.Failed(err)
}

// tables writes all tables into a folder.
func tables(dir string, v *backtest.Verdict) error {
	return cmp.Or(table(dir, "verdict", v.ScoreRows()), table(dir, "ranks", v.RankRows()), table(dir, "runs", v.RunRows()), table(dir, "hours", v.HourRows()),
		table(dir, "curves", v.CurveRows()), table(dir, "fit", v.FitRows()))
}

func table[T any](dir, name string, rows []T) error {
	return columnar.Write(filepath.Join(dir, name+".parquet"), map[string]string{"marigram": cli.Version()}, rows)
}

// answered is what --json prints.
type answered struct {
	Verdict []backtest.ScoreRow `json:"verdict"`
	Ranks   []backtest.RankRow  `json:"ranks"`
	Runs    []backtest.RunRow   `json:"runs"`
	Fit     []fromruns.Row      `json:"fit"`
	Least   int                 `json:"least_instances"`
	Losses  int                 `json:"losses"`
	Back    int                 `json:"losses_with_steps_redone"`
	Notes   []string            `json:"notes"`
}

func answer(v *backtest.Verdict) answered {
	return answered{v.ScoreRows(), v.RankRows(), v.RunRows(), v.FitRows(), v.Fitted.Least, v.Fitted.Losses, v.Fitted.Rollbacks, v.Fitted.Notes}
}
