package plots

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Choice is what one way to run a job costs, and how long it takes: means of runs.
type Choice struct {
	Policy     string
	Text       string // what it runs on
	Hours, USD float64
	Meets      bool // the deadline, and the budget, in the share of the runs that is asked for
}

// Choices draws dollars against hours: a point a choice, hollow where it misses what is asked for, and the frontier of
// those that meet it, each of which is named. The deadline is in hours. ErrNothing without choices.
func Choices(title, about string, deadline float64, all []Choice) (*canvas.Figure, error) {
	if len(all) == 0 {
		return nil, ErrNothing
	}
	panel := canvas.NewPanel("", "hours until the job is done", "cost (USD)")
	panel.Add(canvas.Grid())
	names := firsts(each(all, func(c Choice) string { return c.Policy }))
	styles := canvas.Apart(names)
	across := noExtent()
	across.include(0, deadline)
	up := noExtent()
	var list []marks
	missing := false
	for _, choice := range all {
		if !drawable(choice.Hours) || !drawable(choice.USD) {
			return nil, fmt.Errorf("plots: %s: %v USD in %v h, want 0 to %g",
				choice.Text, choice.USD, choice.Hours, maxNumber)
		}
		result := PolicyResult{Policy: choice.Policy, Misses: !choice.Meets, styles: styles}
		missing = missing || result.Misses
		list = append(list, marks{
			mean:  plotter.XY{X: choice.Hours, Y: choice.USD},
			style: result.point(2.7),
			fair:  choice.Meets,
			text:  canvas.Label(choice.Text, 40),
		})
		across.include(choice.Hours)
		up.include(choice.USD)
	}
	hours := canvas.FitScale(across.high, 7, canvas.OneTwoFive(1e-3))
	canvas.SetAxis(&panel.X, 0, hours.Up(across.high*1.02), hours)
	if up.low > 0 && up.high > 8*up.low {
		panel.Y.Label.Text += ", logarithmic"
		canvas.SetLogarithmic(&panel.Y, up.low/1.5, up.high*1.1)
	} else {
		dollars := canvas.FitScale(max(up.high, 1e-6), 6, canvas.OneTwoFive(1e-7))
		canvas.SetAxis(&panel.Y, 0, dollars.Up(up.high*1.02), dollars)
	}
	panel.Add(canvas.Vertical(deadline, panel.Y.Min, panel.Y.Max, objectiveLine))
	frontier := front(list)
	if frontier != nil {
		panel.Add(canvas.Line(frontier, frontLine))
	}
	best := means{front: frontier}
	for i := range list {
		panel.Add(glyphAt(list[i].mean.X, list[i].mean.Y, *list[i].style))
		if list[i].fair && slices.Contains(frontier, list[i].mean) {
			best.list = append(best.list, list[i])
		}
	}
	panel.Add(best)
	figure := &canvas.Figure{Width: 6.4 * vg.Inch, Height: 4.6 * vg.Inch, Panels: [][]*plot.Plot{{panel}},
		Title: []string{canvas.Label(title, 90), canvas.Label(about, canvas.MaxAbout)}}
	for _, name := range names {
		result := PolicyResult{Policy: name, styles: styles}
		figure.Keys = append(figure.Keys, canvas.Key{Text: result.text(), Glyph: result.point(3)})
	}
	if missing {
		figure.Keys = append(figure.Keys, missesKey())
	}
	figure.Keys = append(figure.Keys,
		canvas.Key{Text: "frontier", Line: &frontLine},
		canvas.Key{Text: "deadline", Line: &objectiveLine})
	return figure, nil
}
