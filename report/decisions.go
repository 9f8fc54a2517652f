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
		kept = slices.DeleteFunc(slices.Clone(kept), func(d results.Decision) bool { return !d.Changed })
		which := "those that changed the plan"
		if len(kept) > maxDecisions {
			kept, which = kept[:maxDecisions], "the first that changed the plan"
		}
		leftOut = fmt.Sprintf("%d of %d decisions are listed: %s; marigram explain has all", len(kept), len(r.Decisions), which)
	}
	list = []decision{}
	for i := range kept {
		d := &kept[i]
		out := decision{AtH: math.Round(d.AtS/3600*1e5) / 1e5, Trigger: text(d.Trigger), State: text(d.State),
			Inputs: text(d.Inputs),
			Plan:   text(d.Plan), Reason: text(d.Reason), Changed: d.Changed, Candidates: [][5]any{}}
		all := r.weighed(d.Number)
		out.Weighed = len(all)
		for _, k := range shown(all) {
			x := &all[k]
			var score any
			if p := stats.FiniteOrNil(x.Score); p != nil {
				score = short(*p)
			}
			out.Candidates = append(out.Candidates, [5]any{text(x.Name), score, text(x.Unit), text(x.Note), x.Chosen})
		}
		list = append(list, out)
	}
	return list, leftOut
}

// shown are the places of the candidates that a page shows: those around
// the one taken.
func shown(all []results.Candidate) []int {
	from := 0
	if k := slices.IndexFunc(all, func(c results.Candidate) bool { return c.Chosen }); k > maxCandidates/2 {
		from = max(min(k-maxCandidates/2, len(all)-maxCandidates), 0)
	}
	var out []int
	for k := from; k < min(from+maxCandidates, len(all)); k++ {
		out = append(out, k)
	}
	return out
}
