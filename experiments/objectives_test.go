package experiments

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/spec"
)

// A time as text is the same as in seconds, and a share is in the rows and has a
// verdict; without one there is neither.
func TestObjectiveAsText(t *testing.T) {
	dir, text, write := pipes(t)
	s := filepath.Join(dir, "spec.yaml")
	run := func(objective string) Aggregate {
		write("spec.yaml", strings.Replace(text, "{time_s: 4000}", objective, 1))
		return Aggregates(runStudy(t, study(t, s, 3)).Summaries)[0]
	}
	plain, said := run("{time_s: 4000}"), run("{within: 1h6m40s, share: 0.2}")
	if plain.ObjectiveS != 4000 || said.ObjectiveS != 4000 || said.Objective != "all-in-1h6m40s" || plain.Objective != "all-in-4000s" {
		t.Errorf("%+v and %+v", plain, said)
	}
	if plain.ObjectiveShare != nil || plain.Verdict != "" || said.ObjectiveShare == nil || *said.ObjectiveShare != 0.2 || said.Verdict != intervals.Proven {
		t.Errorf("shares and verdicts %v %q, %v %q", plain.ObjectiveShare, plain.Verdict, said.ObjectiveShare, said.Verdict)
	}
	for objective, says := range map[string]string{
		"{within: 4000}":             "objectives[0].within: 4000, expected text",
		`{within: "4000"}`:           `objectives[0].within: "4000", expected a duration`,
		"{within: 1h, time_s: 4000}": "objectives[0]: expected one of time_s, within, ettr, most_work and samples_per_s, not time_s and within",
		"{share: 0.9}":               "objectives[0]: expected one of time_s, within, ettr, most_work and samples_per_s; none is given",
		"{within: 500ms}":            "objectives[0].within: 500ms, expected 1 second",
		"{within: 1h, share: 0}":     "objectives[0].share: 0, expected more than 0 and at most 1",
		"{within: 1h, share: 95}":    "objectives[0].share: 95",
		"{time_s: 3d}":               "3d is 259200 seconds; an objective may use within: 3d",
		"{within: 1h, share: .inf}":  "expected a finite number",
		"{time_s: 0.5}":              "objectives[0].time_s: 0.5, expected",
	} {
		write("spec.yaml", strings.Replace(text, "{time_s: 4000}", objective, 1))
		if _, err := spec.Open(s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, expected %q", objective, err, says)
		}
	}
}
