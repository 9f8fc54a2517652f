package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"

	"github.com/marigram/marigram/plots/canvas"
)

// charts are the runs that a page draws over their time, as its script reads them.
type charts struct {
	Cases []*chartCase `json:"cases"`
	Runs  []*chart     `json:"runs"`
}

// chartCase is the runs of all policies for one objective from one start under one
// seed: they meet the same market, so that they can be compared instant by instant.
type chartCase struct {
	Name string `json:"name"`
	Runs []int  `json:"runs"` // of charts.Runs, the best policy of all runs first

	objective string
	startS    float64
	seed      int64
	typical   bool // that of the median cost of the best policy
}

// charts draws the runs of the study that have a timeline; note says which they are.
func (s *Study) charts(theme *canvas.Theme) (out *charts, note string) {
	if s.set == nil {
		return nil, ""
	}
	runs := slices.DeleteFunc(runsOf(s.set), func(r run) bool { return !s.has(&r) })
	all := len(runs)
	if s.Sweep == nil {
		slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.Seed, b.Seed) })
		runs = runs[:min(all, maxRuns)]
		if s.runs > len(runs) {
			note = fmt.Sprintf("%d of %d runs kept a timeline; %d of them are here (timelines in the spec says of "+
				"how many seeds they are kept).", all, s.runs, len(runs))
		}
	} else {
		note = fmt.Sprintf("A sweep keeps no timelines: these %d of its %d runs were simulated again, and cost "+
			"what they cost in the sweep to the last bit.", all, s.runs)
	}
	if len(runs) == 0 {
		return nil, note
	}
	out = &charts{}
	for i := range runs {
		one := out.of(s, &runs[i])
		one.Runs = append(one.Runs, len(out.Runs))
		out.Runs = append(out.Runs, chartOf(&runs[i], theme))
	}
	for _, one := range out.Cases {
		s.sort(one, out.Runs)
	}
	slices.SortStableFunc(out.Cases, func(a, b *chartCase) int {
		return cmp.Or(cmp.Compare(s.place(a.objective), s.place(b.objective)), boolOrder(a.typical, b.typical))
	})
	return out, note
}

// of finds the case of a run, or begins it.
func (all *charts) of(s *Study, r *run) *chartCase {
	start := r.Summary.StartS
	for _, begun := range all.Cases {
		if begun.objective == r.Objective && begun.startS == start && begun.seed == r.Seed {
			return begun
		}
	}
	begun := &chartCase{Name: r.Objective, objective: r.Objective, startS: start, seed: r.Seed}
	if s.Sweep != nil || len(s.starts) > 1 {
		begun.Name += fmt.Sprintf(", start %s", span(start))
	}
	begun.Name += fmt.Sprintf(", seed %d", r.Seed)
	all.Cases = append(all.Cases, begun)
	return begun
}

// has says whether a run's policy was added for its objective.
func (s *Study) has(r *run) bool {
	i := s.place(r.Objective)
	return i >= 0 && slices.ContainsFunc(s.objectives[i].Rows, func(x *row) bool { return x.Policy == r.Policy })
}

// place is where an objective stands.
func (s *Study) place(name string) int {
	return slices.IndexFunc(s.objectives, func(o *objective) bool { return o.Name == name })
}

// sort puts the runs of a case into the order of their policies, and says why a sweep
// shows the case.
func (s *Study) sort(shown *chartCase, runs []*chart) {
	goal := s.objectives[s.place(shown.objective)]
	place := func(i int) int {
		return slices.IndexFunc(goal.Rows, func(r *row) bool { return r.Policy == runs[i].Policy })
	}
	slices.SortStableFunc(shown.Runs, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	if s.Sweep == nil {
		return
	}
	best := goal.Rows[0]
	if shown.has(best.median()) {
		shown.typical = true
		shown.Name += " (the median " + goal.metric.Title + " of " + best.Policy + ")"
	}
	if shown.has(best.worst[0]) {
		shown.Name += " (the worst of " + best.Policy + ")"
	}
}

// has reports whether a run, of the objective of the case, is one of the case.
func (c *chartCase) has(run point) bool { return run.StartS == c.startS && run.Seed == c.seed }

// The library uPlot 1.6.32 by Leon Sorokin, MIT licence (uplot/LICENSE), as published on npm;
// TestUPlot holds the checksums.
var (
	//go:embed uplot/uPlot.iife.min.js
	uplotScript string
	//go:embed uplot/uPlot.min.css
	uplotStyle string
	//go:embed uplot/LICENSE
	uplotLicence string
)
