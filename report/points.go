package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots"
)

// point is one run, in the few numbers that figures draw.
type point struct {
	Run, Seed      int64
	StartS         float64
	USD            float64
	value          float64 // what policies are ranked by
	FinishS, LateS float64 // 0 where it has none
	objectiveS     float64
	Met, Finished  bool
	PerMillion     float64 // USD per million samples; 0 where none was trained
}

func pointOf(run *results.Summary) point {
	p := point{
		Run:        run.Run,
		Seed:       run.Seed,
		StartS:     run.StartS,
		USD:        run.CostUSD,
		value:      run.Metric().Of(run),
		objectiveS: run.ObjectiveS,
		Met:        run.Met,
		Finished:   run.Finished,
		FinishS:    orZero(run.FinishS),
		LateS:      orZero(run.MissedByS),
	}
	if run.Samples > 0 {
		p.PerMillion = run.CostUSD / run.Samples * 1e6
	}
	return p
}

// percent is when it finished, in per cent of the objective.
func (p *point) percent() float64 { return 100 * p.FinishS / p.objectiveS }

func (p *point) drawn() plots.RunPoint {
	return plots.RunPoint{USD: p.USD, Percent: p.percent(), Finished: p.Finished}
}

// maxPoints is how many runs of a policy figures draw.
const maxPoints = 4096

// thinned keeps evenly many of the runs that are added to it: all, or every second,
// fourth and so on.
type thinned struct {
	n, every int
	kept     []point
}

func (t *thinned) add(p point) {
	t.every = max(t.every, 1)
	if t.n%t.every == 0 && len(t.kept) == maxPoints {
		for i := range maxPoints / 2 {
			t.kept[i] = t.kept[2*i]
		}
		t.kept = t.kept[:maxPoints/2]
		t.every *= 2
	}
	if t.n%t.every == 0 {
		t.kept = append(t.kept, p)
	}
	t.n++
}

// sorted is a number of the kept runs, ascending.
func (t *thinned) sorted(of func(*point) float64) []float64 {
	out := make([]float64, len(t.kept))
	for i := range t.kept {
		out[i] = of(&t.kept[i])
	}
	slices.Sort(out)
	return out
}

// maxWorst is how many of the worst runs a page names.
const maxWorst = 5

// worse adds a run to the worst: those that did not finish, then those that were
// latest, then those that cost most.
func worse(list []point, p point) []point {
	order := func(a, b point) int {
		return cmp.Or(boolOrder(!a.Finished, !b.Finished), cmp.Compare(b.LateS, a.LateS),
			cmp.Compare(b.USD, a.USD), cmp.Compare(a.Run, b.Run))
	}
	at, _ := slices.BinarySearchFunc(list, p, order)
	if at == maxWorst {
		return list
	}
	list = slices.Insert(list, at, p)
	return list[:min(len(list), maxWorst)]
}

var worstColumns = []column[point]{
	number("run", func(p *point) string { return fmt.Sprint(p.Run) }),
	number("start (h)", func(p *point) string { return hours(p.StartS) }),
	number("seed", func(p *point) string { return fmt.Sprint(p.Seed) }),
	number("cost (USD)", func(p *point) string { return units.USD(p.USD) }),
	{"finish", false, func(p *point) table.Cell {
		switch {
		case !p.Finished:
			return table.Cell{Text: "not by the horizon", Tone: table.Red}
		case p.LateS != 0:
			return table.Cell{Text: span(p.FinishS) + ",", Note: span(p.LateS) + " late"}
		}
		return table.Cell{Text: span(p.FinishS)}
	}},
}
