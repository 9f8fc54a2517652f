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
	// RequireMet: the share of the runs that meet the objective is at least the objective's; all runs if it has none. A
	// run of many jobs meets it if all of them are done, and by their deadlines.
	RequireMet Requirement = "met"
	// RequireProven: the verdict on the objective's share is intervals.Proven.
	RequireProven Requirement = "proven"
)

// Judged reports whether anything is required of the policy: not of an oracle of one job, which is a bound. Schedulers
// of many jobs are judged, even if they know how long jobs run.
func (a *Aggregate) Judged() bool { return a.Jobs != nil || !a.Oracle }

// Unmet says why the runs fall short of a requirement, in a sentence without a full stop; empty where they do not, and
// where nothing is required of the policy (Judged).
func (a *Aggregate) Unmet(r Requirement) string {
	switch {
	case !a.Judged():
		return ""
	case a.Jobs != nil:
		return a.unmetByJobs()
	}
	share := stats.Or(a.ObjectiveShare, 1)
	text := fmt.Sprintf("%s meets %s in %d of %d runs", a.Policy, a.Objective, a.Met, a.Runs)
	switch {
	case r == RequireProven && a.Verdict != intervals.Proven:
		independent := intervals.CountIndependent(a.MetCI.Units, a.SamplingUnit)
		text += fmt.Sprintf(" (95 %%: %s to %s, from %s): %s is %s",
			units.Percent(a.MetCI.Low), units.Percent(a.MetCI.High), independent, units.Percent(share), a.Verdict)
		if needed := intervals.Min(share); needed > a.MetCI.Units {
			text += fmt.Sprintf("; it takes at least %s", intervals.CountIndependent(needed, a.SamplingUnit))
		}
		return text
	case r == RequireMet && float64(a.Met) < share*float64(a.Runs):
		return fmt.Sprintf("%s, expected %s", text, units.Percent(share))
	}
	return ""
}

// unmetByJobs is Unmet of runs of many jobs.
func (a *Aggregate) unmetByJobs() string {
	if a.Jobs.AllInTime == a.Runs {
		return ""
	}
	text := fmt.Sprintf("%s does all jobs of %s in time in %d of %d runs, expected all: "+
		"in the mean %.4g of %.4g are done", a.Policy, a.Objective, a.Jobs.AllInTime, a.Runs, a.Jobs.Done, a.Jobs.Jobs)
	if a.Jobs.Deadlines > 0 {
		text += fmt.Sprintf(", %.4g of %.4g deadlines met", a.Jobs.Punctual, a.Jobs.Deadlines)
	}
	return text
}
