package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/stats"
)

// What a page holds of a run's decisions.
const (
	maxDecisions  = 120
	maxCandidates = 8 // of one decision
)

// decision is a row of the page's table of decisions; strings are places in Texts.
type decision struct {
	AtH        float64  `json:"at"`
	Trigger    int      `json:"trigger"`
	State      int      `json:"state"`
	Inputs     int      `json:"inputs"`
	Plan       int      `json:"plan"`
	Reason     int      `json:"reason"`
	Changed    bool     `json:"changed"`
	Weighed    int      `json:"weighed"`    // candidates in all
	Candidates [][5]any `json:"candidates"` // name, score, unit, note, chosen
}

// decisionsOf lists a run's decisions, those that changed the plan before the others,
// with their texts by place. It says so where it leaves some out.
func decisionsOf(r *run, text func(string) int) (list []decision, leftOut string) {
	kept := r.Decisions
	if len(kept) > maxDecisions {
		kept = slices.DeleteFunc(slices.Clone(kept), func(made results.Decision) bool { return !made.Changed })
		which := "those that changed the plan"
		if len(kept) > maxDecisions {
			kept = kept[:maxDecisions]
			which = "the first that changed the plan"
		}
		leftOut = fmt.Sprintf("%d of %d decisions are listed: %s; marigram explain has all",
			len(kept), len(r.Decisions), which)
	}
	list = []decision{}
	for i := range kept {
		made := &kept[i]
		weighed := r.weighed(made.Number)
		row := decision{
			AtH:        math.Round(made.AtS/3600*1e5) / 1e5,
			Trigger:    text(made.Trigger),
			State:      text(made.State),
			Inputs:     text(made.Inputs),
			Plan:       text(made.Plan),
			Reason:     text(made.Reason),
			Changed:    made.Changed,
			Weighed:    len(weighed),
			Candidates: [][5]any{},
		}
		for _, candidate := range shown(weighed) {
			var score any
			if finite := stats.FiniteOrNil(candidate.Score); finite != nil {
				score = short(*finite)
			}
			row.Candidates = append(row.Candidates,
				[5]any{text(candidate.Name), score, text(candidate.Unit), text(candidate.Note), candidate.Chosen})
		}
		list = append(list, row)
	}
	return list, leftOut
}

// shown are the candidates that a page shows: those around the one taken.
func shown(all []results.Candidate) []results.Candidate {
	from := 0
	chosen := slices.IndexFunc(all, func(candidate results.Candidate) bool { return candidate.Chosen })
	if chosen > maxCandidates/2 {
		from = max(min(chosen-maxCandidates/2, len(all)-maxCandidates), 0)
	}
	return all[from:min(from+maxCandidates, len(all))]
}
