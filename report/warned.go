package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
)

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
