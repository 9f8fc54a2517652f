package ownruns

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

func (f *backtestFlags) checkOutputs(args []string) error {
	inputs := append([]string{f.Fleet, f.Bill, f.Prices}, args...)
	if err := cli.CheckOutputs(inputs, f.Model); err != nil {
		return err
	}
	if f.Out == "" {
		return nil
	}
	return cli.CheckInto(inputs, f.Out, append(outputs(), plots.Files("backtest-*")...)...)
}

// writeModel writes the model file, if it is asked for: before the spec is read, which may name it.
func (f *backtestFlags) writeModel(v *backtest.Verdict) error {
	if f.Model == "" {
		return nil
	}
	return cli.Failed(v.Fitted.WriteFile(f.Model, cli.Version()))
}

// write writes the tables and figures, if they are asked for.
func (f *backtestFlags) write(v *backtest.Verdict, others []backtest.WhatIf) error {
	if f.Out == "" {
		return nil
	}
	drawn, err := figures(v)
	if err != nil {
		return cli.Failed(err)
	}
	if _, err := store.Files(context.Background(), f.Out, outputs(), func(dir string) ([]string, error) { return tables(dir, v, others) }); err != nil {
		return cli.Failed(err)
	}
	_, err = plots.SaveFigures(f.Out, drawn)
	return cli.Failed(err)
}

// tables writes all tables into a folder, and returns their names.
func tables(dir string, v *backtest.Verdict, others []backtest.WhatIf) ([]string, error) {
	names := outputs()
	err := cmp.Or(parquet(dir, "verdict", v.ScoreRows()), parquet(dir, "ranks", v.RankRows()), parquet(dir, "runs", v.RunRows()), parquet(dir, "hours", v.HourRows()),
		parquet(dir, "curves", v.CurveRows()), parquet(dir, "fit", v.FitRows()))
	if others == nil {
		return names[:len(names)-1], err
	}
	return names, cmp.Or(err, parquet(dir, "whatif", others))
}

func parquet[T any](dir, name string, rows []T) error {
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
