package plots

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/plots/canvas"
)

// Save draws the results into dir, each figure as SVG, PNG and PDF, and returns the
// paths: cost-objective, and for each scenario, objective and policy
// timeline-<scenario>-<objective>-<policy>, of its first run that has spans. Where
// a job is to train all its samples (an objective loss of 0), and every run trained
// some, there are activities-<scenario>-<objective>, too.
// It makes dir if it is not there. A figure appears under its name only when it
// is complete.
func Save(dir string, summaries []results.Summary, spans []results.Span) ([]string, error) {
	if err := store.MakeFolder(dir); err != nil {
		return nil, err
	}
	figure, err := CostObjective(summaries)
	if err != nil {
		return nil, err
	}
	paths, err := save(dir, "cost-objective", figure)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for _, r := range firstRuns(summaries, runsOf(spans)) {
		if figure, err = Timeline(r.summary, r.spans); err != nil {
			return nil, err
		}
		more, err := save(dir, unique(names, fileName("timeline", r.summary.Scenario, r.summary.Objective, r.summary.Policy)), figure)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	for _, rows := range WholeJobs(summaries) {
		if figure, err = Activities(rows); err != nil {
			return nil, err
		}
		more, err := save(dir, unique(names, fileName("activities", rows[0].Scenario, rows[0].Objective)), figure)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	return paths, nil
}

// WholeJobs are the runs, by scenario and objective, of jobs that are to train all
// their samples and of which every one trained some.
func WholeJobs(summaries []results.Summary) (jobs [][]results.Summary) {
	type id struct{ scenario, objective string }
	find := make(map[id]int)
	for _, s := range summaries {
		at := id{s.Scenario, s.Objective}
		if _, has := find[at]; !has {
			find[at] = len(jobs)
			jobs = append(jobs, nil)
		}
		jobs[find[at]] = append(jobs[find[at]], s)
	}
	return slices.DeleteFunc(jobs, func(rows []results.Summary) bool {
		return slices.ContainsFunc(rows, func(s results.Summary) bool { return s.ObjectiveLoss != 0 || !(s.Samples > 0) })
	})
}

// run is one run with its spans.
type run struct {
	summary results.Summary
	spans   []results.Span
}

// runsOf finds the spans of each run, which stand together.
func runsOf(spans []results.Span) map[int64][]results.Span {
	runs := make(map[int64][]results.Span)
	for from, to := 0, 0; from < len(spans); from = to {
		for to < len(spans) && spans[to].Run == spans[from].Run {
			to++
		}
		runs[spans[from].Run] = spans[from:to]
	}
	return runs
}

// firstRuns are those with the lowest seed of each scenario, objective and
// policy, in the order of the summaries.
func firstRuns(summaries []results.Summary, spans map[int64][]results.Span) []run {
	type id struct{ scenario, objective, policy string }
	var list []run
	find := make(map[id]int)
	for _, s := range summaries {
		at := id{s.Scenario, s.Objective, s.Policy}
		i, has := find[at]
		switch {
		case spans[s.Run] == nil:
		case !has:
			find[at] = len(list)
			list = append(list, run{s, spans[s.Run]})
		case s.Seed < list[i].summary.Seed:
			list[i] = run{s, spans[s.Run]}
		}
	}
	return list
}

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
	for _, form := range []struct {
		ending string
		draw   func() ([]byte, error)
	}{{".svg", f.SVG}, {".png", f.PNG}, {".pdf", f.PDF}} {
		b, err := form.draw()
		if err != nil {
			return nil, err
		}
		path := store.Join(dir, name+form.ending)
		if err := store.WriteBytes(context.Background(), path, b); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
