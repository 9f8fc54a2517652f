package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sample is one number of each run of a policy.
type Sample struct {
	PolicyResult
	Values []float64 // of the runs that have one, 0 to 1e12, in any order
	None   int       // runs that have none: they count as beyond every value
	Units  int       // that the runs are of, 1 to their number: what is independent
}

// Samples are those of a panel: of one objective, for instance.
type Samples struct {
	Title string
	Of    []Sample
}

// CDF draws for each policy the share of its runs with at most a value, and the
// band that holds the true distribution with 95 % confidence, all of it at once
// (dkwBand). Both are drawn between the least and the largest
// value. axis names the numbers with their unit. Policies that miss the objective are
// faded, and named with the share that met it. Of more than 24 panels the first are drawn, and the figure says so.
// Samples without any runs are left out; ErrNothing if there are no others.
func CDF(name, about, axis string, panels []Samples) (*canvas.Figure, error) {
	panels, about = limited(panels, canvas.Label(about, canvas.MaxAbout), "panels")
	tellApart(inPanels(panels, func(p *Samples) []Sample { return p.Of },
		func(s *Sample) *PolicyResult { return &s.PolicyResult }))
	var drawn []*plot.Plot
	var keys []canvas.Key
	seen := map[string]bool{}
	names, common := titles(panels, func(p Samples) string { return p.Title }, canvas.PanelWidth(len(panels)))
	title := []string{canvas.Label(name, 60), alsoSays(about, common)}
	for i, panel := range panels {
		var curves []cdf
		for _, sample := range panel.Of {
			if err := sample.check(); err != nil {
				return nil, fmt.Errorf("plots: %s: %w", canvas.Label(sample.Policy, 60), err)
			}
			if sample.runs() == 0 {
				continue
			}
			curves = append(curves, cdfOf(&sample))
			if !seen[sample.Policy] {
				seen[sample.Policy] = true
				keys = append(keys, sample.key())
			}
		}
		if len(curves) > 0 {
			drawn = append(drawn, cdfPanel(names[i], axis, curves, canvas.PanelWidth(len(panels))))
		}
	}
	if len(drawn) == 0 {
		return nil, ErrNothing
	}
	keys = append(keys, canvas.Key{Text: "95 % band", Fill: canvas.Tint(canvas.Grey, 0.2)})
	return canvas.NewSheet(title, keys, drawn), nil
}

func (s *Sample) runs() int { return len(s.Values) + s.None }

func (s *Sample) check() error {
	if runs := s.runs(); runs > 0 && (s.Units < 1 || s.Units > runs) {
		return fmt.Errorf("%d units of %d runs, want 1 to %[2]d", s.Units, runs)
	}
	for i, value := range s.Values {
		if !drawable(value) {
			return fmt.Errorf("run %d of the policy: %v, want 0 to %g", i, value, maxNumber)
		}
	}
	return nil
}

// dkwBand is half the height of the 95 % band around the share of the runs of n units
// with at most a value: sqrt(ln(2/0.05)/(2n)), the inequality of Dvoretzky, Kiefer and
// Wolfowitz with the constant of Massart (Annals of Probability 18, 1990). It holds
// for whatever distribution, at all values at once. Several runs of one unit, which are
// not independent, make the curve no less sure than one of each would.
func dkwBand(n int) float64 { return math.Sqrt(math.Log(2/0.05) / (2 * float64(n))) }

// cdf is one curve: the shares from values on.
type cdf struct {
	*PolicyResult
	runs  int
	units int
	steps plotter.XYs // ascending
}

// maxSteps is how many steps of a curve are drawn; of more runs every n-th.
const maxSteps = 300

func cdfOf(s *Sample) cdf {
	sorted := slices.Sorted(slices.Values(s.Values))
	curve := cdf{PolicyResult: &s.PolicyResult, runs: s.runs(), units: s.Units}
	every := (len(sorted) + maxSteps - 1) / maxSteps
	for i, value := range sorted {
		if (i+1)%every == 0 || i == len(sorted)-1 {
			curve.steps = append(curve.steps, plotter.XY{X: value, Y: float64(i+1) / float64(curve.runs)})
		}
	}
	return curve
}

// stairs are the curve, moved up by some share within 0 and 1, from its first value
// to its last, and on to end where some runs have none.
func (c *cdf) stairs(end, up float64) plotter.XYs {
	within := func(share float64) float64 { return min(max(share+up, 0), 1) }
	if len(c.steps) == 0 {
		return nil
	}
	points := plotter.XYs{{X: c.steps[0].X, Y: within(0)}}
	for _, step := range c.steps {
		points = append(points, plotter.XY{X: step.X, Y: points[len(points)-1].Y},
			plotter.XY{X: step.X, Y: within(step.Y)})
	}
	if c.steps[len(c.steps)-1].Y < 1 {
		points = append(points, plotter.XY{X: end, Y: points[len(points)-1].Y})
	}
	return points
}

// maxMarks is how many points a curve has, so that it is told from others without
// its colour.
const maxMarks = 6

// points are some of the curve's steps, evenly many runs apart.
func (c *cdf) points() *plotter.Scatter {
	var at plotter.XYs
	for k := range min(maxMarks, len(c.steps)) {
		at = append(at, c.steps[(2*k+1)*len(c.steps)/(2*min(maxMarks, len(c.steps)))]) // the middle of each part
	}
	return &plotter.Scatter{XYs: at, GlyphStyle: *c.point(2.7)}
}

func cdfPanel(title, axis string, curves []cdf, width vg.Length) *plot.Plot {
	var all []*PolicyResult
	for _, curve := range curves {
		all = append(all, curve.PolicyResult)
	}
	if text := missing(all); text != "" {
		style := canvas.TextStyle(canvas.TextSize)
		title += "\n" + strings.Join(canvas.Wrap(text, width, style.Width), "\n")
	}
	panel := canvas.NewPanel(title, canvas.Label(axis, 60), "cumulative fraction of runs")
	setShares(&panel.Y)
	values := extent{low: math.Inf(1)}
	for _, curve := range curves {
		if len(curve.steps) > 0 {
			values.include(curve.steps[0].X, curve.steps[len(curve.steps)-1].X)
		}
	}
	setValues(panel, values)
	panel.Add(canvas.Grid())
	for _, curve := range curves {
		band := dkwBand(curve.units)
		panel.Add(stairBand(curve.stairs(panel.X.Max, -band), curve.stairs(panel.X.Max, band),
			curve.styles.Of(curve.Policy).Color))
	}
	for _, curve := range curves {
		panel.Add(canvas.Line(curve.stairs(panel.X.Max, 0), curve.line()), curve.points())
	}
	panel.Add(curveNames(curves))
	return panel
}

// setShares sets an axis for shares from 0 to 1.
func setShares(axis *plot.Axis) {
	canvas.SetAxis(axis, 0, 1, canvas.FitScale(1, 5, canvas.OneTwoFive(0.1)))
}

// setValues sets the x axis for some values, none below 0: a logarithmic one where they
// are more than a factor of 8 apart. Without any the extent is from infinity to 0.
func setValues(p *plot.Plot, values extent) {
	high := values.high
	low := min(values.low, high)
	if low > 0 && high > 8*low {
		p.X.Label.Text += ", logarithmic"
		canvas.SetLogarithmic(&p.X, low, high)
		return
	}
	scale := canvas.FitScale(max(high-low, 1e-3*high, 1e-6), 6, canvas.OneTwoFive(1e-7))
	canvas.SetAxis(&p.X, max(scale.Down(low-scale.Step/4), 0), scale.Up(high+scale.Step/4), scale)
}

// curveNames writes each policy's name next to its curve, where it covers least, as
// long as there are few of them: that of the curve with the least median at its
// top, that of the one with the largest at its bottom. A name that finds no room
// near its curve stands in the key alone.
type curveNames []cdf

// maxNames is how many names find room in a panel; the key has all of them.
const maxNames = 6

// Plot implements plot.Plotter.
func (names curveNames) Plot(c draw.Canvas, p *plot.Plot) {
	if len(names) > maxNames {
		return
	}
	place := canvas.Placer(c, p)
	space := labelSpace{canvas: c, objective: -1}
	for _, one := range names {
		space.points = append(space.points, along(one.stairs(p.X.Max, 0), place)...)
	}
	order := slices.DeleteFunc(slices.Clone(names), func(one cdf) bool { return len(one.steps) == 0 })
	slices.SortStableFunc(order, func(a, b cdf) int {
		return cmp.Compare(a.steps[len(a.steps)/2].X, b.steps[len(b.steps)/2].X)
	})
	style := canvas.TextStyle(canvas.TextSize)
	for i, one := range order {
		at := place(one.steps[len(one.steps)*(len(order)-i)/(len(order)+1)])
		text := one.text()
		box := space.best(at, style.Width(text))
		if distance(at, nearest(at, box)) > 14 {
			continue // other curves would lie between them
		}
		style.Color = canvas.Ink(one.styles.Of(one.Policy).Color)
		space.write(style, at, 0, box, text)
	}
}
