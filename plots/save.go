// Package plots draws figures. Those of results are drawn from the tables of a study (Drawers): what happened in
// a run over its time (Timeline), what runs cost and when they finished (CostObjective), how long many jobs took
// (CompletionTimes) and where they ran (Placement); Save writes those for which there are rows.
//
//	set, err := results.ReadAll(dir)
//	paths, err := plots.Save(dir, &set)
//
// It also draws traces that were observed: machines and prices of pools over
// time (Capacity, Prices), and how long machines live (Survival); SaveFigures writes them.
//
// Of many runs there are the distributions of a number by policy (CDF), differences
// from a baseline (Paired), means by two parameters (HeatMaps) and what no policy can beat (CostBound); Calibration
// and Observed compare with what was measured, and Curves draws formulas. A policy has one style in all of them
// (canvas.StyleOf).
//
// A canvas.Figure is drawn as SVG, PNG or PDF; the same results give the same bytes. Rows
// that cannot be drawn (no rows, numbers that are not finite, spans that
// overlap) are errors.
package plots

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/plots/canvas"
)

// Drawer draws figures from the tables of a study. marigram plot has a command for each, marigram run --out
// saves those that have a file, and the report of many jobs shows them.
type Drawer struct {
	Name  string // of the command
	File  string // of the figures' files, a star for what tells several apart; empty: they are not saved
	Short string // what is drawn, in a line
	Long  string // help of the command
	// Draw draws figures, named by what tells them apart; ErrNothing where the tables have no rows for them.
	Draw func(set *results.Set) ([]Named, error)
}

// Named is a figure and its name: of its files, without an ending.
type Named struct {
	Name   string
	Figure *canvas.Figure
}

var drawers []*Drawer

// register adds a drawer: each stands next to the code that draws.
func register(d *Drawer) *Drawer {
	drawers = append(drawers, d)
	slices.SortFunc(drawers, func(a, b *Drawer) int { return cmp.Compare(a.Name, b.Name) })
	return d
}

// Drawers returns all drawers, by name.
func Drawers() []*Drawer { return slices.Clone(drawers) }

// alone is a drawer's one figure.
func alone(f *canvas.Figure, err error) ([]Named, error) {
	if err != nil {
		return nil, err
	}
	return []Named{{Figure: f}}, nil
}

// Save draws what the tables of a study have rows for into dir, each figure as SVG, PNG and PDF, and returns the
// paths. It makes dir if it is not there. A figure appears under its name only when it is complete.
func Save(dir string, set *results.Set) ([]string, error) {
	if len(set.Summaries) == 0 {
		return nil, errors.New("plots: no runs")
	}
	var figures []Named
	for _, drawer := range drawers {
		if drawer.File == "" {
			continue
		}
		drawn, err := drawer.Draw(set)
		if err != nil && !errors.Is(err, ErrNothing) {
			return nil, err
		}
		for _, figure := range drawn {
			figures = append(figures, Named{strings.Replace(drawer.File, "*", figure.Name, 1), figure.Figure})
		}
	}
	return SaveFigures(dir, figures)
}

// SavedFiles returns the patterns of the files that Save writes.
func SavedFiles() (names []string) {
	for _, drawer := range drawers {
		if drawer.File != "" {
			names = append(names, Files(drawer.File)...)
		}
	}
	return names
}

// SaveFigures draws figures into dir, each as SVG, PNG and PDF, and returns the
// paths. It makes dir if it is not there. A figure appears under its name only
// when it is complete.
func SaveFigures(dir string, figures []Named) ([]string, error) {
	if err := store.MakeFolder(dir); err != nil {
		return nil, err
	}
	var paths []string
	names := make(map[string]bool)
	for _, figure := range figures {
		more, err := save(dir, unique(names, fileName(figure.Name)), figure.Figure)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	return paths, nil
}

// ofRuns draws each of the first runs that has something to show.
func ofRuns(set *results.Set, has func(*results.Run) bool, draw func(*results.Run) (*canvas.Figure, error)) ([]Named,
	error) {
	return named(firstRuns(set, has),
		func(r *results.Run) string { return r.Scenario + "-" + r.Objective + "-" + r.Policy }, draw)
}

// named draws a figure of each of some rows; ErrNothing where there are none.
func named[R any](rows []R, name func(*R) string, draw func(*R) (*canvas.Figure, error)) (out []Named, err error) {
	for i := range rows {
		figure, err := draw(&rows[i])
		if err != nil {
			return nil, err
		}
		out = append(out, Named{name(&rows[i]), figure})
	}
	if len(out) == 0 {
		return nil, ErrNothing
	}
	return out, nil
}

// firstRuns are the runs with the lowest seed of each scenario, objective and policy of those that
// have the rows, in the order of the runs.
func firstRuns(set *results.Set, has func(*results.Run) bool) (list []results.Run) {
	for _, r := range set.Runs() {
		if !has(&r) {
			continue
		}
		at := slices.IndexFunc(list, func(first results.Run) bool {
			return first.Scenario == r.Scenario && first.Objective == r.Objective && first.Policy == r.Policy
		})
		if at < 0 {
			list = append(list, r)
		} else if r.Seed < list[at].Seed {
			list[at] = r
		}
	}
	return list
}

// jobRuns are the runs of many jobs that kept them.
func jobRuns(set *results.Set) []results.Run {
	return firstRuns(set, func(r *results.Run) bool { return r.ManyJobs() && len(r.Jobs) > 0 })
}

// manyJobs reports whether the runs are of many jobs.
func manyJobs(set *results.Set) bool { return len(set.Summaries) > 0 && set.Summaries[0].ManyJobs() }

// fileName joins parts into a name that any file system takes: letters, digits,
// dots and underscores stay, and everything else becomes a hyphen.
func fileName(parts ...string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '-'
	}, strings.Join(parts, "-"))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return name[:min(len(name), 150)]
}

// unique tells apart names that became the same, also where case is ignored.
func unique(names map[string]bool, name string) string {
	free := name
	for i := 2; names[strings.ToLower(free)]; i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	names[strings.ToLower(free)] = true
	return free
}

// Files returns the names of the files of figures: of each, as SVG, PNG and PDF. A name
// may be a pattern.
func Files(figures ...string) (names []string) {
	for _, name := range figures {
		names = append(names, name+".svg", name+".png", name+".pdf")
	}
	return names
}

func save(dir, name string, f *canvas.Figure) ([]string, error) {
	var paths []string
	for _, ending := range []string{".svg", ".png", ".pdf"} {
		file, err := canvas.Forms[ending](f)
		if err != nil {
			return nil, err
		}
		path := store.Join(dir, name+ending)
		if err := store.WriteBytes(context.Background(), path, file); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
