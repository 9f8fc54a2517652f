package report

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

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

// rows are those of a run in all tables.
type rows = results.Run

// run is one run that kept its timeline.
type run struct {
	rows
	job []results.Span // of the first pool: what the job did in each interval in which nothing changed
}

// runsOf returns the runs of a set that have a timeline, in their order.
func runsOf(set *results.Set) (out []run) {
	for _, r := range set.Runs() {
		if len(r.Spans) > 0 {
			out = append(out, run{r, results.JobSpans(r.Spans)})
		}
	}
	return out
}

// name says which run it is.
func (r *run) name() string { return fmt.Sprintf("%s, %s, %s", r.Policy, r.Objective, r.From()) }

// weighed returns the candidates of one of the run's decisions.
func (r *run) weighed(decision int64) []results.Candidate {
	return results.RowsOf(r.Candidates, decision, func(c *results.Candidate) int64 { return c.Decision })
}

// stretches are the intervals in which nothing changed, each with a row of every pool, until the rows do not fit together.
func (r *run) stretches() iter.Seq[[]results.Span] {
	return func(yield func([]results.Span) bool) {
		for rows, err := range results.Stretches(r.Spans) {
			if err != nil || !yield(rows) {
				return
			}
		}
	}
}

// at returns the stretch that holds an instant, the last one for later instants.
func (r *run) at(s float64) (last []results.Span) {
	for rows := range r.stretches() {
		last = rows
		if rows[0].EndS > s {
			break
		}
	}
	return last
}

// end returns when the timeline ends.
func (r *run) end() float64 { return r.job[len(r.job)-1].EndS }

// progress returns the share of the way to the goal at an instant. The job
// advances at a constant rate in a stretch.
func (r *run) progress(s float64) float64 {
	i := min(sort.Search(len(r.job), func(i int) bool { return r.job[i].EndS > s }), len(r.job)-1)
	x, before := &r.job[i], 0.0
	if i > 0 {
		before = r.job[i-1].Progress
	}
	share := min(max((s-x.StartS)/(x.EndS-x.StartS), 0), 1)
	return before + share*(x.Progress-before)
}
