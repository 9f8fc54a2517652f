package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
)

// page is what a report says, in the order in which it says it.
type page struct {
	*Study
	Verdicts   []verdict // one an objective
	Warnings   []warnings
	drawings   []drawing
	Charts     *charts
	ChartsNote string
	listed     []listedJobs
}

// page gathers what a report says; colours of its charts are of a theme.
func (s *Study) page(theme *canvas.Theme) (*page, error) {
	if s.Empty() {
		return nil, fmt.Errorf("report: no runs")
	}
	s.rank()
	p := &page{Study: s}
	for _, o := range s.objectives {
		v, err := s.verdict(o)
		if err != nil {
			return nil, err
		}
		p.Verdicts = append(p.Verdicts, v)
	}
	if doubts := s.doubts(); len(doubts) > 0 {
		p.Warnings = append(p.Warnings, warnings{"how sure the numbers are", doubts})
	}
	p.Warnings = append(p.Warnings, s.warned.groups()...)
	if s.many() {
		p.listed = s.listJobs()
	}
	p.Charts, p.ChartsNote = s.charts(theme)
	var err error
	p.drawings, err = s.drawings()
	return p, err
}

// Provenance says where the results come from.
func (s *Study) Provenance() results.Provenance { return s.from }

// context says what the numbers are of, before and after the name of the market.
func (s *Study) context() (before, after string) {
	policies := 0
	for _, o := range s.objectives {
		policies = max(policies, len(o.Rows))
	}
	before = fmt.Sprintf(", not measured: %s of %s", count(s.runs, "run", "runs"), count(policies, "policy", "policies"))
	if !s.many() {
		before += " for " + count(len(s.objectives), "objective", "objectives")
	}
	if s.Sweep != nil || len(s.starts) > 1 {
		before += " from " + count(len(s.starts), "start", "starts")
	}
	before += fmt.Sprintf(" under %s. Market: ", count(len(s.seeds), "seed", "seeds"))
	after = "; replay: " + s.replay + "."
	if s.Sweep != nil && s.Sweep.Parameters != "" {
		after += " Of the sweep's cells this page is about " + s.Sweep.Parameters
		switch {
		case len(s.Sweep.Cells) == 0:
		case len(s.Sweep.Where) > 0:
			after += ": the best of those with " + strings.Join(s.Sweep.Where, ", ") + " (--where path=value chooses)"
		default:
			after += ": the one with the best answer (--where path=value chooses)"
		}
		after += "."
	}
	return before, after
}

// synthetic says whether the market is not a recorded one.
func (s *Study) synthetic() bool { return strings.Contains(strings.ToLower(s.market), "synthetic") }

// commands are the command lines that make the page again.
func (s *Study) commands() []string {
	dir, again := "out", []string{"marigram", "report"}
	if s.Sweep != nil {
		dir = s.Sweep.Dir
		for _, w := range s.Sweep.Where {
			again = append(again, "--where", w)
		}
	}
	return []string{units.Command(append(slices.Clone(s.from.CommandLine), "--out", dir)),
		units.Command(append(again, dir, "-o", "report.html"))}
}

// maxWarnings is how many different warnings a page has.
const maxWarnings = 40

// warned counts the warnings of runs.
type warned struct {
	runs     map[string]int // by policy
	policies []string
	texts    []string
	of       map[string]map[string]int // runs by text, then policy
	more     int                       // runs with a warning that is not listed
}

func (w *warned) add(s *results.Summary) {
	if w.runs == nil {
		w.runs, w.of = map[string]int{}, map[string]map[string]int{}
	}
	if w.runs[s.Policy]++; w.runs[s.Policy] == 1 {
		w.policies = append(w.policies, s.Policy)
	}
	for text := range strings.SplitSeq(s.Warnings, "; ") {
		if text == "" {
			continue
		}
		if w.of[text] == nil {
			if len(w.texts) == maxWarnings {
				w.more++
				continue
			}
			w.texts = append(w.texts, text)
			w.of[text] = map[string]int{}
		}
		w.of[text][s.Policy]++
	}
}

// warnings are some warnings of the same runs.
type warnings struct {
	Of    string // which runs
	Texts []string
}

// groups sorts the warnings by the runs that they are of: those of all runs first.
func (w *warned) groups() []warnings {
	var out []warnings
	for _, text := range w.texts {
		of := w.whose(text)
		i := slices.IndexFunc(out, func(g warnings) bool { return g.Of == of })
		if i < 0 {
			i = len(out)
			out = append(out, warnings{Of: of})
		}
		out[i].Texts = append(out[i].Texts, text)
	}
	slices.SortStableFunc(out, func(a, b warnings) int {
		return boolOrder(a.Of == allRuns, b.Of == allRuns)
	})
	if w.more > 0 {
		out = append(out, warnings{Of: "others",
			Texts: []string{fmt.Sprintf("%s with warnings of further kinds, in summary.parquet", count(w.more, "run", "runs"))}})
	}
	return out
}

const allRuns = "all runs"

func boolOrder(a, b bool) int {
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return 0
}

// whose says which runs have a warning.
func (w *warned) whose(text string) string {
	all, parts := true, []string{}
	for _, policy := range w.policies {
		switch n := w.of[text][policy]; n {
		case 0:
			all = false
		case w.runs[policy]:
			parts = append(parts, policy)
		default:
			all = false
			parts = append(parts, fmt.Sprintf("%s (%d of %d runs)", policy, n, w.runs[policy]))
		}
	}
	if all {
		return allRuns
	}
	return strings.Join(parts, ", ")
}
