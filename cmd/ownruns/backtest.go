package ownruns

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// backtestFlags say which runs are judged, and how.
type backtestFlags struct {
	load
	Idle  []string `flag:"idle" split:"true" help:"instance <types> that are held and paid, and do not train: parameter servers"`
	Draws int      `flag:"draws" min:"20" max:"100000" help:"simulations of each run, 20 to 100000"`
	Seed  uint64   `flag:"seed" default:"1" help:"seed of the simulations"`
	Out   string   `flag:"out" help:"write tables and figures into this <folder>"`
	Model string   `flag:"model" writes:"true" help:"write the model that is fitted to all runs to this <file>"`
	whatIf
	JSON bool `flag:"json" help:"print JSON"`
}

// Backtest returns the command marigram backtest: simulated runs compared with those that really happened.
func Backtest() *cobra.Command {
	f := backtestFlags{Draws: backtest.DefaultDraws}
	return cli.Writes(cli.WithFlags(&cobra.Command{
		Use:   "backtest RUN... [SPEC]",
		Short: "Compare simulated runs with runs that really happened",
		Long: `Fits a model to past runs, predicts each run from all others, and says how far off the
predictions are and how often their intervals hold. Read this before you believe what
marigram says of runs to come.

A RUN is a file of records, a folder in which each file is a run, and each folder one whose
files are merged, or a set of published runs:

` + listSets() + `
Formats of records are told by their content:

` + listFormats() + `
plain-csv has the columns time,event,instance,type,zone,value. The others follow the
vendors' documentation and were tried on samples made after it only. --format names one
where the content does not tell. What one file does not say (machines, charges, prices)
can come from another: --fleet, --bill and --prices.

What is predicted is a replay: the instances that the run held, with their grants and
losses at the recorded times, the saves that it made, and its prices; the fitted model
says how fast they train, how long after their grant (gang start: the first instances
wait for the slowest), and how long training stands after a loss. boot is until an
instance is ready itself, where the records say when each was.
Each run is simulated many times: each time with parameters that the other runs allow, and
with what one run has by chance. An interval of 90 % holds 90 % of these simulations.

With a SPEC (a .yaml file, the last argument) the command goes on after the verdict: what
if each of its policies, intervals or regions had been used on the same days? Traces of
the spec begin where each run began; the bands are as wide as the errors of the verdict.
--used names the policy that was used, whose predictions are compared with what happened.

Runs that ended short of their goal are used for the fit, and not compared. With a single
run there are no others: the fit has seen it, and the output says so.`,
		Example: `  marigram backtest icac19-k80-spot --out verdict
  marigram backtest june/ july/ --prices prices.json --model model.json
  marigram backtest run.csv --fleet machines.csv --bill charges.csv
  marigram backtest june/ --model model.json whatif.yaml --used reactive -s policies.0.settings.instances=4`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}, &f), append(outputs(), plots.Files("backtest-*")...)...)
}

// listSets lists the published sets, for the help.
func listSets() (text string) {
	for _, set := range backtest.PublishedSets() {
		text += fmt.Sprintf("  %-20s %s\n", set.Name, set.About)
	}
	return text
}

// listFormats names the formats of records, for the help.
func listFormats() (text string) {
	line := " "
	for _, format := range formats.RunFormats() {
		if len(line)+len(format.Name) > 86 {
			text += line + "\n"
			line = " "
		}
		line += " " + format.Name
	}
	return text + line + "\n"
}

func (f *backtestFlags) run(cmd *cobra.Command, args []string) error {
	args, err := f.take(args)
	if err != nil {
		return err
	}
	runs, idle, err := f.runs(args)
	if err != nil {
		return err
	}
	opt := backtest.Options{Idle: append(f.Idle, idle...), Draws: f.Draws, Seed: f.Seed}
	f.warn(cmd, runs)
	observed := make([]backtest.Observed, len(runs))
	for i, observedRun := range runs {
		observed[i] = backtest.From(observedRun)
	}
	verdict, err := backtest.Judge(cmd.Context(), observed, opt)
	if err != nil {
		return err
	}
	if err := f.writeModel(verdict); err != nil {
		return err
	}
	if !f.JSON { // the verdict before anything else
		printVerdict(cmd.OutOrStdout(), verdict)
	}
	others, err := f.simulate(cmd.Context(), verdict, observed, opt)
	if err != nil {
		return err
	}
	if err := f.write(verdict, others); err != nil {
		return err
	}
	if f.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), answer(verdict, others))
	}
	f.print(cmd.OutOrStdout(), others)
	return nil
}

// warn says what the records leave open, once.
func (f *backtestFlags) warn(cmd *cobra.Command, runs []*ownruns.Run) {
	said := map[string]bool{}
	for _, run := range runs {
		for _, note := range run.Notes {
			if !said[note] {
				said[note] = true
				term.Warn(cmd.ErrOrStderr(), "%s: %s", run.Name, note)
			}
		}
	}
}

// outputs are the files that --out writes.
func outputs() []string {
	return []string{"verdict.parquet", "ranks.parquet", "runs.parquet", "hours.parquet", "curves.parquet",
		"fit.parquet", "whatif.parquet"}
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
	fill := func(dir string) ([]string, error) { return tables(dir, v, others) }
	if _, err := store.Files(context.Background(), f.Out, outputs(), fill); err != nil {
		return cli.Failed(err)
	}
	_, err = plots.SaveFigures(f.Out, drawn)
	return cli.Failed(err)
}

// tables writes all tables into a folder, and returns their names.
func tables(dir string, v *backtest.Verdict, others []backtest.WhatIf) ([]string, error) {
	names := outputs()
	err := cmp.Or(
		parquet(dir, "verdict", v.ScoreRows()),
		parquet(dir, "ranks", v.RankRows()),
		parquet(dir, "runs", v.RunRows()),
		parquet(dir, "hours", v.HourRows()),
		parquet(dir, "curves", v.CurveRows()),
		parquet(dir, "fit", v.FitRows()),
	)
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
	Min     int                 `json:"least_instances"`
	Losses  int                 `json:"losses"`
	Back    int                 `json:"losses_with_steps_redone"`
	Notes   []string            `json:"notes"`
	WhatIf  []backtest.WhatIf   `json:"what_if,omitempty"`
}

func answer(v *backtest.Verdict, others []backtest.WhatIf) answered {
	return answered{
		Verdict: v.ScoreRows(),
		Ranks:   v.RankRows(),
		Runs:    v.RunRows(),
		Fit:     v.FitRows(),
		Min:     v.Fitted.Min,
		Losses:  v.Fitted.Losses,
		Back:    v.Fitted.Rollbacks,
		Notes:   v.Fitted.Notes,
		WhatIf:  others,
	}
}

// figures draws what was predicted against what was observed, the rank histograms, and the curves of the runs in
// which they are farthest apart.
func figures(v *backtest.Verdict) (all []plots.Named, err error) {
	add := func(name string, figure *canvas.Figure, wrong error) {
		err = cmp.Or(err, wrong)
		if figure != nil && wrong == nil {
			all = append(all, plots.Named{Name: name, Figure: figure})
		}
	}
	for _, number := range numbers(v) {
		if number.score.Runs > 0 {
			figure, wrong := plots.Calibration("backtest, "+number.name, number.about(), number.name, number.unit,
				number.points(v))
			add("backtest-"+number.name, figure, wrong)
		}
	}
	if v.Finish.Runs > 0 {
		figure, wrong := ranks(v)
		add("backtest-ranks", figure, wrong)
	}
	if panels := farthest(v); len(panels) > 0 {
		figure, wrong := plots.Curves("backtest: progress",
			"the runs whose curves are farthest apart; the interval of 90 %", panels)
		add("backtest-curves", figure, wrong)
	}
	return all, err
}

// number is finish or dollars.
type number struct {
	name, unit string
	score      *backtest.Score
	of         func(*backtest.Judged) *backtest.Compared
}

func numbers(v *backtest.Verdict) []number {
	return []number{
		{"finish", "s", &v.Finish, func(j *backtest.Judged) *backtest.Compared { return &j.Finish }},
		{"dollars", "USD", &v.USD, func(j *backtest.Judged) *backtest.Compared { return &j.USD }},
	}
}

func (x *number) about() string {
	of50, of90 := x.score.Coverage()
	return fmt.Sprintf("%d runs; median |error| %s; within the intervals of 50 %% and 90 %%: %s and %s",
		x.score.Runs, units.Percent(x.score.Median), units.Percent(of50), units.Percent(of90))
}

// points are the runs that are compared.
func (x *number) points(v *backtest.Verdict) (points []plots.Prediction) {
	for i := range v.Runs {
		judged := &v.Runs[i]
		compared := x.of(judged)
		if judged.Skipped != "" || !(compared.Observed > 0) || !(compared.Median < 1e12) {
			continue
		}
		point := plots.Prediction{Measured: compared.Observed, Predicted: compared.Median, Kind: plots.HeldOutOfFit}
		if !judged.LeftOut {
			point.Kind = plots.FittedTo
		}
		points = append(points, point)
	}
	return points
}

// ranks draws the rank histograms as outlines, with the level that right intervals have.
func ranks(v *backtest.Verdict) (*canvas.Figure, error) {
	var panels []plots.CurvePanel
	for _, number := range numbers(v) {
		if number.score.Runs == 0 {
			continue
		}
		curve := plots.Curve{Name: "runs in each tenth"}
		for k, count := range number.score.Ranks {
			curve.X = append(curve.X, float64(k)/backtest.Bins, float64(k+1)/backtest.Bins)
			curve.Y = append(curve.Y, float64(count), float64(count))
		}
		panels = append(panels, plots.CurvePanel{
			Title:  number.name,
			X:      "share of simulations below what was observed",
			Y:      "runs",
			Level:  float64(number.score.Runs) / backtest.Bins,
			Curves: []plots.Curve{curve},
		})
	}
	return plots.Curves("backtest: ranks", "all tenths alike (grey) where the intervals are right", panels)
}

// maxCurves is how many runs are drawn.
const maxCurves = 3

// farthest returns panels of the runs whose curves are farthest apart.
func farthest(v *backtest.Verdict) (panels []plots.CurvePanel) {
	var list []*backtest.Judged
	for i := range v.Runs {
		judged := &v.Runs[i]
		if judged.Skipped == "" && len(judged.Curve) > 1 {
			list = append(list, judged)
		}
	}
	slices.SortStableFunc(list, func(a, b *backtest.Judged) int { return cmp.Compare(b.CurveError, a.CurveError) })
	for _, j := range list[:min(len(list), maxCurves)] {
		line := func(name string, of func(*backtest.CurvePoint) float64) plots.Curve {
			curve := plots.Curve{Name: name}
			for i := range j.Curve {
				curve.X = append(curve.X, j.Curve[i].AtS/3600)
				curve.Y = append(curve.Y, of(&j.Curve[i]))
			}
			return curve
		}
		panels = append(panels, plots.CurvePanel{Title: j.Name, X: "hours", Y: "steps", Curves: []plots.Curve{
			line("observed", func(p *backtest.CurvePoint) float64 { return p.Observed }),
			line("predicted", func(p *backtest.CurvePoint) float64 { return p.Median }),
			line("low, 90 %", func(p *backtest.CurvePoint) float64 { return p.Low90 }),
			line("high, 90 %", func(p *backtest.CurvePoint) float64 { return p.High90 }),
		}})
	}
	return panels
}
