package ownruns

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// figures draws what was predicted against what was observed, the rank histograms, and the curves of the runs in which they are farthest apart.
func figures(v *backtest.Verdict) (all []plots.Named, err error) {
	add := func(name string, f *canvas.Figure, wrong error) {
		if err = cmp.Or(err, wrong); f != nil && wrong == nil {
			all = append(all, plots.Named{Name: name, Figure: f})
		}
	}
	for _, x := range numbers(v) {
		if x.score.Runs > 0 {
			f, wrong := plots.Calibration("backtest, "+x.name, x.about(), x.name, x.unit, x.points(v))
			add("backtest-"+x.name, f, wrong)
		}
	}
	if v.Finish.Runs > 0 {
		f, wrong := ranks(v)
		add("backtest-ranks", f, wrong)
	}
	if panels := farthest(v); len(panels) > 0 {
		f, wrong := plots.Curves("backtest: progress", "the runs whose curves are farthest apart; the interval of 90 %", panels)
		add("backtest-curves", f, wrong)
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
	return fmt.Sprintf("%d runs; median |error| %s; within the intervals of 50 %% and 90 %%: %s and %s", x.score.Runs, units.Percent(x.score.Median),
		units.Percent(of50), units.Percent(of90))
}

// points are the runs that are compared.
func (x *number) points(v *backtest.Verdict) (points []plots.Prediction) {
	for i := range v.Runs {
		j := &v.Runs[i]
		c := x.of(j)
		if j.Skipped != "" || !(c.Observed > 0) || !(c.Median < 1e12) {
			continue
		}
		p := plots.Prediction{Measured: c.Observed, Predicted: c.Median, Kind: plots.HeldOutOfFit}
		if !j.LeftOut {
			p.Kind = plots.FittedTo
		}
		points = append(points, p)
	}
	return points
}

// ranks draws the rank histograms as outlines, with the level that right intervals have.
func ranks(v *backtest.Verdict) (*canvas.Figure, error) {
	var panels []plots.CurvePanel
	for _, x := range numbers(v) {
		if x.score.Runs == 0 {
			continue
		}
		c := plots.Curve{Name: "runs in each tenth"}
		for k, n := range x.score.Ranks {
			c.X = append(c.X, float64(k)/backtest.Bins, float64(k+1)/backtest.Bins)
			c.Y = append(c.Y, float64(n), float64(n))
		}
		panels = append(panels, plots.CurvePanel{Title: x.name, X: "share of simulations below what was observed", Y: "runs",
			Level: float64(x.score.Runs) / backtest.Bins, Curves: []plots.Curve{c}})
	}
	return plots.Curves("backtest: ranks", "all tenths alike (grey) where the intervals are right", panels)
}

// maxCurves is how many runs are drawn.
const maxCurves = 3

// farthest returns panels of the runs whose curves are farthest apart.
func farthest(v *backtest.Verdict) (panels []plots.CurvePanel) {
	var list []*backtest.Judged
	for i := range v.Runs {
		if j := &v.Runs[i]; j.Skipped == "" && len(j.Curve) > 1 {
			list = append(list, j)
		}
	}
	slices.SortStableFunc(list, func(a, b *backtest.Judged) int { return cmp.Compare(b.CurveError, a.CurveError) })
	for _, j := range list[:min(len(list), maxCurves)] {
		line := func(name string, of func(*backtest.CurvePoint) float64) plots.Curve {
			c := plots.Curve{Name: name}
			for i := range j.Curve {
				c.X, c.Y = append(c.X, j.Curve[i].AtS/3600), append(c.Y, of(&j.Curve[i]))
			}
			return c
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
