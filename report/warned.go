package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
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

func (w *warned) add(run *results.Summary) {
	if w.runs == nil {
		w.runs = map[string]int{}
		w.of = map[string]map[string]int{}
	}
	if w.runs[run.Policy] == 0 {
		w.policies = append(w.policies, run.Policy)
	}
	w.runs[run.Policy]++
	for text := range strings.SplitSeq(run.Warnings, "; ") {
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
		w.of[text][run.Policy]++
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
		at := slices.IndexFunc(out, func(group warnings) bool { return group.Of == of })
		if at < 0 {
			at = len(out)
			out = append(out, warnings{Of: of})
		}
		out[at].Texts = append(out[at].Texts, text)
	}
	slices.SortStableFunc(out, func(a, b warnings) int {
		return boolOrder(a.Of == allRuns, b.Of == allRuns)
	})
	if w.more > 0 {
		text := fmt.Sprintf("%s with warnings of further kinds, in summary.parquet", units.Count(w.more, "run", "runs"))
		out = append(out, warnings{Of: "others", Texts: []string{text}})
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
	all := true
	var parts []string
	for _, policy := range w.policies {
		switch runs := w.of[text][policy]; runs {
		case 0:
			all = false
		case w.runs[policy]:
			parts = append(parts, policy)
		default:
			all = false
			parts = append(parts, fmt.Sprintf("%s (%d of %d runs)", policy, runs, w.runs[policy]))
		}
	}
	if all {
		return allRuns
	}
	return strings.Join(parts, ", ")
}
