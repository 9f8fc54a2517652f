package experiments

import (
	"fmt"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
)

// Requirement is what is required of the runs of an objective under a policy.
type Requirement string

// The requirements.
const (
	// RequireMet: the share of the runs that meet the objective is at least the objective's; all runs if it has none.
	RequireMet Requirement = "met"
	// RequireProven: the verdict on the objective's share is intervals.Proven.
	RequireProven Requirement = "proven"
)

// Unmet says why the runs fall short of a requirement, in a sentence without a full stop; empty where they do not, and for an
// oracle, of which nothing is required.
func (a *Aggregate) Unmet(r Requirement) string {
	if a.Oracle {
		return ""
	}
	share := stats.Or(a.ObjectiveShare, 1)
	text := fmt.Sprintf("%s meets %s in %d of %d runs", a.Policy, a.Objective, a.Met, a.Runs)
	switch {
	case r == RequireProven && a.Verdict != intervals.Proven:
		text += fmt.Sprintf(" (95 %%: %s to %s, from %s): %s is %s", units.Percent(a.MetCI.Low), units.Percent(a.MetCI.High),
			intervals.CountIndependent(a.MetCI.Units, a.SamplingUnit), units.Percent(share), a.Verdict)
		if needed := intervals.Min(share); needed > a.MetCI.Units {
			text += fmt.Sprintf("; it takes at least %s", intervals.CountIndependent(needed, a.SamplingUnit))
		}
		return text
	case r == RequireMet && float64(a.Met) < share*float64(a.Runs):
		return fmt.Sprintf("%s, expected %s", text, units.Percent(share))
	}
	return ""
}
