package report

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/stats"
)

// Question is what is asked of a run.
type Question struct {
	Job string  // what became of this one of many jobs, by its name or else its number; empty: of a decision
	AtS float64 // the last decision at or before this moment

	Failures bool // instead: what failed or was slow
}

// Explanation is the answer to a question of a run: about a decision or about a job. Times are seconds from
// the start of the run.
type Explanation struct {
	Run       int64   `json:"run"`
	Policy    string  `json:"policy"`
	Objective string  `json:"objective"`
	StartS    float64 `json:"start_s"` // where in recorded traces the run began, s from their beginning; 0 of others
	Seed      int64   `json:"seed"`
	EndS      float64 `json:"end_s"`           // of the run; of a job that was done: when
	Speed     string  `json:"speed,omitempty"` // what is said of the speed of the job, if it is estimated
	*Decision
	*JobStory
	// Instance-hours of the run by what failures cost: training that was lost, restarts, waits of instances for
	// others, and starts.
	LostH, RestoringH, WaitingH, StartingH float64 `json:"-"`

	Failures []Failure `json:"failures,omitempty"` // that jobs met: all, or those at the moment of the decision
	Slow     []Slow    `json:"slow,omitempty"`     // machines that jobs had: all, or those at that moment
}

// Decision is one decision of a policy: what it saw, what it weighed up, what
// it took and why, and what became of it.
type Decision struct {
	Jobs       int64       `json:"jobs"`    // of the run
	AskedS     float64     `json:"asked_s"` // the moment that was asked about
	AtS        float64     `json:"t_s"`     // the decision's
	Number     int64       `json:"decision"`
	Trigger    string      `json:"trigger"`
	State      string      `json:"state"` // what the policy saw, in brief
	Prices     []Price     `json:"prices"`
	Inputs     string      `json:"inputs"`
	RemainingS float64     `json:"remaining_s"`
	CostUSD    float64     `json:"cost_usd"`
	Candidates []Candidate `json:"candidates"`
	Plan       string      `json:"plan"` // what it asks for
	Reason     string      `json:"reason"`
	Changed    bool        `json:"changed"`
	PlanS      float64     `json:"plan_s"` // when the plan that it leaves in force was decided on
	// PlanReason and PlanCandidates are why, where that was another decision.
	PlanReason     string      `json:"plan_reason,omitempty"`
	PlanCandidates []Candidate `json:"plan_candidates,omitempty"`
	Outcome        Outcome     `json:"outcome"`
	There          []JobThere  `json:"there,omitempty"` // of many jobs: those that were there, and what became of them
}

// Price is what an instance of a pool cost when the policy decided.
type Price struct {
	Pool    string  `json:"pool"`
	USDPerH float64 `json:"usd_per_h"`
}

// Candidate is an answer that the policy weighed up. Score is null where it is
// not finite.
type Candidate struct {
	Name   string   `json:"candidate"`
	Score  *float64 `json:"score"`
	Unit   string   `json:"unit"`
	Note   string   `json:"note"`
	Chosen bool     `json:"chosen"`
}

// Outcome is what happened from the decision to the next one that changed the
// plan, or to the end of the run.
type Outcome struct {
	UntilS       float64 `json:"until_s"`
	EndedBy      string  `json:"ended_by"` // what the next decision was asked for; "the end of the run"
	CostUSD      float64 `json:"cost_usd"` // spent meanwhile
	ProgressFrom float64 `json:"progress_from"`
	ProgressTo   float64 `json:"progress_to"`
	Granted      int     `json:"granted"`
	Revoked      int     `json:"revoked"`
	// when nothing was waited for any more and nothing was starting; null if never
	CompleteS  *float64 `json:"complete_s"`
	ReadyAtEnd int      `json:"ready_at_end"`
}

// Explain answers a question of the first run that has a timeline and is wanted. Of a moment, a whole second
// stands for all of it: policies may answer several times in a second, and the last answer is what held.
func Explain(set *results.Set, wanted func(*results.Summary) bool, q Question) (*Explanation, error) {
	all := runsOf(set)
	if len(all) == 0 {
		return nil, ErrNoTimelines
	}
	at := slices.IndexFunc(all, func(r run) bool { return wanted(&r.Summary) })
	if at < 0 {
		return nil, fmt.Errorf("no such run has a timeline; runs with a timeline: %s; "+
			"for any other: marigram sweep SPEC --out DIR, then explain DIR --run N", numbers(all))
	}
	r := &all[at]
	answer := &Explanation{
		Run:       r.Run,
		Policy:    r.Policy,
		Objective: r.Objective,
		StartS:    r.StartS,
		Seed:      r.Seed,
		EndS:      r.end(),
		Speed:     results.SpeedSaid(strings.Split(r.Warnings, "; ")),
	}
	switch {
	case q.Job != "":
		return answer, answer.tellJob(r, q.Job)
	case q.Failures:
		return answer, answer.tellFailures(r)
	}
	return answer, answer.tellDecision(r, q.AtS)
}

// tellJob says what became of a job.
func (e *Explanation) tellJob(r *run, job string) (err error) {
	e.JobStory, err = r.story(job)
	if err == nil && e.Job.FinishS != nil {
		e.EndS = *e.Job.FinishS
	}
	return err
}

// tellFailures says what failed or was slow, and what that cost.
func (e *Explanation) tellFailures(r *run) error {
	e.Failures = r.failures()
	e.LostH = r.LostH
	e.RestoringH = r.RestoringH
	e.WaitingH = r.WaitingH
	e.StartingH = r.StartingH
	e.Slow = r.slow()
	if len(e.Failures)+len(e.Slow) == 0 {
		return ErrNoFailures
	}
	return nil
}

// tellDecision says what was decided last by a moment, and what failed when it was decided.
func (e *Explanation) tellDecision(r *run, at float64) (err error) {
	e.Failures = r.failures()
	e.Decision, err = r.decision(at)
	if err == nil {
		decidedS := e.Decision.AtS
		e.Failures = slices.DeleteFunc(e.Failures, func(f Failure) bool { return f.AtS != decidedS })
		e.Slow = slices.DeleteFunc(r.slow(), func(s Slow) bool { return s.FromS > decidedS || s.UntilS < decidedS })
	}
	return err
}

// decision returns the last decision at or before a moment.
func (r *run) decision(at float64) (*Decision, error) {
	end := math.Nextafter(at, math.Inf(1))
	if at == math.Trunc(at) {
		end = at + 1
	}
	k := sort.Search(len(r.Decisions), func(i int) bool { return r.Decisions[i].AtS >= end }) - 1
	if k < 0 {
		return nil, fmt.Errorf("run %d has no decision at or before %v s", r.Run, at)
	}
	last := &r.Decisions[k]
	out := &Decision{
		Jobs:       r.Summary.Jobs,
		AskedS:     at,
		AtS:        last.AtS,
		Number:     last.Number,
		Trigger:    last.Trigger,
		State:      last.State,
		Inputs:     last.Inputs,
		RemainingS: last.RemainingS,
		CostUSD:    last.CostUSD,
		Candidates: r.candidates(last.Number),
		Plan:       last.Plan,
		Reason:     last.Reason,
		Changed:    last.Changed,
		Outcome:    r.outcome(k),
	}
	for k > 0 && !r.Decisions[k].Changed {
		k--
	}
	plan := &r.Decisions[k]
	out.PlanS = plan.AtS
	if plan != last {
		out.PlanReason = plan.Reason
		out.PlanCandidates = r.candidates(plan.Number)
	}
	if r.ManyJobs() {
		out.There = r.there(last)
	}
	for _, row := range r.at(last.AtS) {
		out.Prices = append(out.Prices, Price{row.Pool, row.PriceUSDPerH})
	}
	return out, nil
}

// candidates returns what a decision weighed up.
func (r *run) candidates(decision int64) []Candidate {
	all := []Candidate{}
	for _, c := range r.weighed(decision) {
		all = append(all, Candidate{c.Name, stats.FiniteOrNil(c.Score), c.Unit, c.Note, c.Chosen})
	}
	return all
}

// outcome says what became of the k-th decision.
func (r *run) outcome(k int) Outcome {
	d := &r.Decisions[k]
	out := Outcome{UntilS: r.end(), EndedBy: "the end of the run", CostUSD: r.CostUSD - d.CostUSD}
	for _, next := range r.Decisions[k+1:] {
		if next.Changed {
			out.UntilS = next.AtS
			out.EndedBy = next.Trigger
			out.CostUSD = next.CostUSD - d.CostUSD
			break
		}
	}
	out.ProgressFrom = r.progress(d.AtS)
	out.ProgressTo = r.progress(out.UntilS)
	for _, instance := range r.Instances {
		if instance.GrantedS >= d.AtS && instance.GrantedS < out.UntilS {
			out.Granted++
		}
		if instance.End == results.Revoked && instance.EndS > d.AtS && instance.EndS <= out.UntilS {
			out.Revoked++
		}
	}
	for rows := range r.stretches() {
		if rows[0].EndS <= d.AtS {
			continue
		}
		if rows[0].StartS >= out.UntilS {
			break
		}
		missing := 0
		out.ReadyAtEnd = 0
		for _, row := range rows {
			missing += int(row.Waiting + row.Starting)
			out.ReadyAtEnd += int(row.Ready)
		}
		if missing == 0 && out.CompleteS == nil {
			out.CompleteS = new(rows[0].StartS)
		}
	}
	return out
}

func numbers(runs []run) string {
	const named = 20
	var names []string
	for i := range runs[:min(len(runs), named)] {
		names = append(names, fmt.Sprintf("%d (%s)", runs[i].Run, runs[i].name()))
	}
	text := strings.Join(names, ", ")
	if len(runs) > named {
		text += fmt.Sprintf(" and %d more", len(runs)-named)
	}
	return text
}
