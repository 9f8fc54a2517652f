package experiments

import (
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/sim"
)

// MuchSaving is the share of instance-hours above which saves are warned of:
// whoever trains would save less often.
const MuchSaving = 0.25

const muchSaving = "saves took more than a quarter of the instance-hours: does the policy save too often?"

// outcomes are the warnings about how a run ended, which stand before those about
// its market and its model; the first: it finished.
var outcomes = [...]string{"",
	"training never began: no instance that could train was held (is the objective above the loss at which " +
		"training starts?)",
	"the job was lost with its chief: cost and hours are counted until then",
	"the run was cut before the job finished: cost and hours are counted until then",
	"the policy gave the job up: cost and hours are counted until then"}

// outcomeOf returns the number of the outcome.
func outcomeOf(job *sim.JobTotals) int {
	switch {
	case math.IsInf(job.Loss, 1):
		return 1
	case job.Lost:
		return 2
	case job.GivenUp:
		return 4
	case !job.Finished:
		return 3
	}
	return 0
}

// byOutcome returns the text of a run's warnings with each of the outcomes.
func byOutcome(warnings []string) (all [len(outcomes)]string) {
	for i, e := range outcomes {
		list := warnings
		if e != "" {
			list = slices.Concat([]string{e}, warnings)
		}
		all[i] = strings.Join(list, "; ")
	}
	return all
}
