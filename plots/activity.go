package plots

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// activity is one kind of instance time in a run.
type activity struct {
	name  string
	fill  color.Color
	hours func(s *results.Summary) float64
}

// slowMachines is the one activity that is named only where there is any: few runs have it.
const slowMachines = "slow machines"

var activities = []activity{
	{"training that counts", canvas.Blue, func(s *results.Summary) float64 { return s.UsefulH }},
	{"redundant", canvas.SkyBlue, func(s *results.Summary) float64 { return s.RedundantH }},
	{"saving", canvas.Green, func(s *results.Summary) float64 { return s.CheckpointingH }},
	{"restarting", canvas.Vermillion, func(s *results.Summary) float64 { return s.RestoringH }},
	{"reconfiguring", canvas.Purple, func(s *results.Summary) float64 { return s.ReconfiguringH }},
	{"training lost", canvas.Orange, func(s *results.Summary) float64 { return s.LostH }},
	{"waiting", canvas.Grey, func(s *results.Summary) float64 { return s.WaitingH }},
	{"starting", canvas.LightGrey, func(s *results.Summary) float64 { return s.StartingH }},
	{slowMachines, canvas.Black, func(s *results.Summary) float64 { return s.SlowedH }},
}

var _ = register(&Drawer{Name: "activities", File: "activities-*",
	Short: "Where the instance time of each policy went, and what a sample cost",
	Long: `Draws what the instance time of each policy's runs went into, next to the cost of a million samples: of the
first objective whose job is to train all its samples, as far as every run trained some.`,
	Draw: func(set *results.Set) ([]Named, error) {
		return named(wholeJobs(set.Summaries), func(g *group) string { return g.scenario + "-" + g.objective },
			func(g *group) (*canvas.Figure, error) { return Activities(g.rows) })
	}})

// Spending is what the runs of one policy spent.
type Spending struct {
	PolicyResult
	Hours      []float64 // instance-hours, ActivityHours of the runs added up
	PerMillion []float64 // USD per million samples, of the runs that are drawn
	Mean       float64   // of it, over all runs
}

// ActivityNames are the activities, in the order of the figure.
func ActivityNames() []string {
	return slices.Collect(each(activities, func(a activity) string { return a.name }))
}

// ActivityHours are a run's instance-hours by activity, in the order of the figure.
func ActivityHours(s *results.Summary) []float64 {
	hours := make([]float64, len(activities))
	for i, a := range activities {
		hours[i] = a.hours(s)
	}
	return hours
}

// Activities draws what the instance time of each policy's runs went into (Spent). Runs
// without instance time are an error, and so are runs without samples: they have no cost of a sample.
func Activities(rows []results.Summary) (*canvas.Figure, error) {
	if len(rows) == 0 {
		return nil, errors.New("plots: no runs")
	}
	for i := range rows {
		s := &rows[i]
		if !(s.InstanceH > 0) || !(s.Samples > 0) || !drawable(s.CostUSD/s.Samples*1e6) {
			return nil, fmt.Errorf("plots: run %d (%s): %v instance-hours, %v samples, %v USD, want more than 0 and 0",
				s.Run, s.Policy, s.InstanceH, s.Samples, s.CostUSD)
		}
	}
	g := group{rows: rows}
	var all []Spending
	for _, policy := range policiesOf(rows) {
		all = append(all, g.spending(policy))
	}
	return Spent(rows[0].Scenario, costTitle(rows, 1)[1], all)
}

func (g *group) spending(policy string) Spending {
	cloud := g.cloud(policy, len(g.rows))
	out := Spending{PolicyResult: cloud.PolicyResult, Hours: make([]float64, len(activities))}
	for i := range g.rows {
		s := &g.rows[i]
		if s.Policy != policy {
			continue
		}
		for k, hours := range ActivityHours(s) {
			out.Hours[k] += hours
		}
		perMillion := s.CostUSD / s.Samples * 1e6
		out.PerMillion = append(out.PerMillion, perMillion)
		out.Mean += perMillion / float64(cloud.N)
	}
	return out
}

// Spent draws what the instance time of each policy went into, in per cent of it,
// next to the cost of a million samples: the mean over the runs and the interval that
// holds 95 % of them. A policy that misses the objective says so below its name, unless no
// run of any met it, which the figure says.
func Spent(name, about string, all []Spending) (*canvas.Figure, error) {
	if len(all) == 0 {
		return nil, ErrNothing
	}
	// of a fixed time, for instance: none competes
	if !slices.ContainsFunc(all, func(s Spending) bool { return s.Met > 0 }) {
		all = slices.Clone(all)
		for i := range all {
			all[i].Misses = false
		}
		about += "; no run met its objective"
	}
	title := []string{"instance time by activity and cost of a million samples",
		canvas.Label(about, canvas.MaxAbout) + "; points: means, lines: 95 % of the runs"}
	if name != "" {
		title[0] = canvas.Label(name, 50) + ": " + title[0]
	}
	figure := &canvas.Figure{Width: 8 * vg.Inch, Height: 3.9 * vg.Inch, Title: title}
	for k, a := range activities {
		if a.name == slowMachines && !slices.ContainsFunc(all, func(s Spending) bool { return s.Hours[k] > 0 }) {
			continue
		}
		figure.Keys = append(figure.Keys, canvas.Key{Text: a.name, Fill: a.fill})
	}
	figure.Panels = [][]*plot.Plot{{shares(all), costs(all)}}
	return figure, nil
}

// shares stacks the activities of each policy.
func shares(all []Spending) *plot.Plot {
	panel := canvas.NewPanel("", "", "instance time (%)")
	for i := range all {
		total := 0.0
		for _, hours := range all[i].Hours {
			total += hours
		}
		base := 0.0
		left := float64(i) - 0.36
		right := float64(i) + 0.36
		for k, a := range activities {
			if all[i].Hours[k] == 0 {
				continue
			}
			top := base + 100*all[i].Hours[k]/total
			panel.Add(canvas.Area{
				Low:  plotter.XYs{{X: left, Y: base}, {X: right, Y: base}},
				High: plotter.XYs{{X: left, Y: top}, {X: right, Y: top}},
				Fill: a.fill,
			})
			base = top
		}
	}
	namePolicies(panel, all)
	panel.Y.Min = 0
	panel.Y.Max = 100
	return panel
}

// costs draws mean and interval of each policy.
func costs(all []Spending) *plot.Plot {
	panel := canvas.NewPanel("", "", "USD per million samples")
	panel.Add(canvas.Grid())
	for i := range all {
		usd := slices.Sorted(slices.Values(all[i].PerMillion))
		place := float64(i)
		low := stats.Interpolated(usd, 0.025)
		high := stats.Interpolated(usd, 0.975)
		pen := draw.LineStyle{Color: canvas.Black, Width: 1.5}
		if all[i].Misses {
			pen.Color = canvas.Faded(canvas.Black)
		}
		panel.Add(canvas.Vertical(place, low, high, pen))
		panel.Add(glyphAt(place, all[i].Mean, *all[i].point(4)))
		panel.Y.Max = max(panel.Y.Max, high)
	}
	namePolicies(panel, all)
	panel.Y.Min = 0
	panel.Y.Max *= 1.08
	return panel
}

// namePolicies names the policies at the places 0, 1, ... of the x axis of a panel that is
// half a figure wide, aslant where they would touch.
func namePolicies(panel *plot.Plot, all []Spending) {
	var ticks plot.ConstantTicks
	widest := vg.Length(0)
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Policy
	}
	for i, name := range distinct(names, 20) {
		if all[i].Misses {
			name += "\nmet " + units.Percent(all[i].Met)
		}
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		widest = max(widest, panel.X.Tick.Label.Width(name))
	}
	if (widest+6)*vg.Length(len(all)) > 3.4*vg.Inch {
		for i := range ticks {
			ticks[i].Label = strings.Replace(ticks[i].Label, "\n", ", ", 1)
		}
		canvas.Slant(&panel.X)
	}
	canvas.SetAxis(&panel.X, -0.6, float64(len(all))-0.4, ticks)
}

// wholeJobs are the runs, by scenario and objective, of jobs that are to train all
// their samples and of which every one trained some.
func wholeJobs(summaries []results.Summary) []group {
	return slices.DeleteFunc(groupsOf(summaries), func(g group) bool {
		return slices.ContainsFunc(g.rows,
			func(s results.Summary) bool { return s.ObjectiveLoss != 0 || !(s.Samples > 0) })
	})
}
