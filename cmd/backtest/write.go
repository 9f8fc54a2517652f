package backtest

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/plots"
)

// outputs are the files that --out writes.
func outputs() []string {
	return []string{"verdict.parquet", "ranks.parquet", "runs.parquet", "hours.parquet", "curves.parquet", "fit.parquet", "whatif.parquet"}
}

func (f *flags) checkOutputs(args []string) error {
	inputs := append([]string{f.load.fleet, f.load.bill, f.load.prices}, args...)
	if err := cli.CheckOutputs(inputs, f.model); err != nil {
		return err
	}
	if f.out == "" {
		return nil
	}
	return cli.CheckInto(inputs, f.out, append(outputs(), plots.Files("backtest-*")...)...)
}

// writeModel writes the model file, if it is asked for: before the spec is read, which may name it.
func (f *flags) writeModel(v *backtest.Verdict) error {
	if f.model == "" {
		return nil
	}
	return cli.Failed(v.Fitted.WriteFile(f.model, cli.Version()))
}

// write writes the tables and figures, if they are asked for.
func (f *flags) write(v *backtest.Verdict, others []backtest.WhatIf) error {
	if f.out == "" {
		return nil
	}
	drawn, err := figures(v)
	if err != nil {
		return cli.Failed(err)
	}
	if _, err := store.Files(context.Background(), f.out, outputs(), func(dir string) ([]string, error) { return tables(dir, v, others) }); err != nil {
		return cli.Failed(err)
	}
	_, err = plots.SaveFigures(f.out, drawn)
	return cli.Failed(err)
}

// tables writes all tables into a folder, and returns their names.
func tables(dir string, v *backtest.Verdict, others []backtest.WhatIf) ([]string, error) {
	names := outputs()
	err := cmp.Or(table(dir, "verdict", v.ScoreRows()), table(dir, "ranks", v.RankRows()), table(dir, "runs", v.RunRows()), table(dir, "hours", v.HourRows()),
		table(dir, "curves", v.CurveRows()), table(dir, "fit", v.FitRows()))
	if others == nil {
		return names[:len(names)-1], err
	}
	return names, cmp.Or(err, table(dir, "whatif", others))
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
	WhatIf  []backtest.WhatIf   `json:"what_if,omitempty"`
}

func answer(v *backtest.Verdict, others []backtest.WhatIf) answered {
	return answered{v.ScoreRows(), v.RankRows(), v.RunRows(), v.FitRows(), v.Fitted.Least, v.Fitted.Losses, v.Fitted.Rollbacks, v.Fitted.Notes,
		others}
}
