package tune

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/tune/racing"
	"github.com/marigram/marigram/internal/stats"
)

// Change is what the winner would cost with something else, on the same fresh blocks.
type Change struct {
	Parameters string              `json:"parameters"`   // JSON: what is changed, by path; "{}" for the spec's own settings
	About      string              `json:"about"`        // in words
	SavesUSD   float64             `json:"saves_usd"`    // mean of the winner's cost less that with the change
	SavesCI    *intervals.Interval `json:"saves_usd_ci"` // of paired differences; null for fewer than two blocks
	Met        int                 `json:"met"`          // of the blocks, with the change
	Blocks     int                 `json:"blocks"`
	Error      string              `json:"error,omitempty"` // of a run that failed; the numbers then mean nothing
}

// Answer is what was found.
type Answer struct {
	Question
	Unit     string `json:"unit"`     // of blocks: seed or start
	Verdict  string `json:"verdict"`  // Proven, Undecided or Unmet
	Decided  bool   `json:"decided"`  // no setting is cheaper than the winner by more than the margin
	Searched int    `json:"searched"` // settings that a search tried; 0 without one

	Winner     json.RawMessage `json:"winner"`      // values by path; null if no setting meets the share
	WinnerYAML string          `json:"winner_yaml"` // policies of a spec
	Other      []string        `json:"other"`       // settings of the winner outside of the policy: path=value

	// Of the winner on fresh blocks, which chose nothing.
	Fresh    int                 `json:"fresh"` // blocks
	Met      int                 `json:"met"`
	MetCI    *intervals.Interval `json:"met_ci"`
	CostUSD  *float64            `json:"cost_usd"`
	CostCI   *intervals.Interval `json:"cost_ci"`
	Attempts int                 `json:"attempts"` // settings whose share was to be proven

	Settings []Setting       `json:"settings"` // that raced
	Value    []Change        `json:"value"`    // what changes of the winner save or cost; the first are the spec's own settings, unless they won
	Former   []Change        `json:"worth"`    // Value under the key that it had before; this release writes both
	Runs     Runs            `json:"runs"`     //
	Warnings []string        `json:"warnings"` // why the answer may mislead
	Plan     string          `json:"plan"`     // hash
	Inputs   []results.Input `json:"inputs"`

	winner, attempt int
}

// The verdicts: the winner's share is proven; it is not; no setting meets it.
const (
	Proven    = "proven"
	Undecided = "not proven"
	Unmet     = "no setting meets the share"
)

// Runs counts runs by what they were for.
type Runs struct {
	Search int64 `json:"search"`
	Race   int64 `json:"race"`
	Proof  int64 `json:"proof"`
	Value  int64 `json:"value"`
	Former int64 `json:"worth"` // Value under its former key
	// Grid is the number of runs of all settings of the race on as many blocks as the one
	// that ran the most.
	Grid int64 `json:"grid"`
}

// All is the number of runs that found the winner.
func (r *Runs) All() int64 { return r.Search + r.Race + r.Proof }

// Setting is a setting that raced.
type Setting struct {
	Parameters json.RawMessage `json:"parameters"`
	Blocks     int             `json:"blocks"`
	Met        int             `json:"met"`
	MeanUSD    *float64        `json:"mean_usd"`    // over its blocks; null if a run failed
	DiffUSD    *float64        `json:"diff_usd"`    // mean of its cost less the winner's on the same blocks; null without
	UpperShare float64         `json:"upper_share"` // bound of its share
	Out        string          `json:"out"`         // why it cannot win: share, failed, not proven; empty if it could
	Close      bool            `json:"close"`       // it may cost less than the winner
}

// answer puts a result into words.
func (t *tuning) answer(r *racing.Result, of []int, before int64) *Answer {
	a := &Answer{Question: *t.question, Unit: t.blocks.unit, Verdict: Undecided, Decided: r.Decided, winner: -1, Attempts: len(r.Attempts)}
	a.Plan = t.plan.Hash
	a.Inputs = t.plan.Inputs
	a.Runs = Runs{Search: before, Grid: int64(len(of)) * int64(r.Blocks)}
	for i := range r.Settings {
		x := &r.Settings[i]
		s := Setting{Parameters: json.RawMessage(t.field.candidates[of[i]].parameters()), Blocks: x.Blocks, Met: x.Met, UpperShare: x.UpperShare,
			Out: string(x.Out), Close: x.Close}
		if stats.Finite(x.USD) {
			s.MeanUSD = &x.USD
		}
		if stats.Finite(x.Diff) {
			s.DiffUSD = &x.Diff
		}
		a.Settings = append(a.Settings, s)
		a.Runs.Race += int64(x.Blocks)
	}
	for i := range r.Attempts {
		a.Runs.Proof += int64(len(r.Attempts[i].USD))
		if r.Attempts[i].Setting == r.Winner {
			a.certified(&r.Attempts[i], i+1)
		}
	}
	switch {
	case r.Winner < 0:
		a.Verdict = Unmet
		a.Winner = json.RawMessage("null")
		return a
	case r.Proven:
		a.Verdict = Proven
	}
	a.winner = of[r.Winner]
	e := &t.field.candidates[a.winner]
	a.Winner, a.WinnerYAML = json.RawMessage(e.parameters()), spec.YAML(t.field.policy(a.winner))
	if a.Fresh > 0 {
		seconds := e.study.Spec.Objectives[0].TimeS
		a.Warnings = t.blocks.doubts(seconds, r.Settings[r.Winner].USD, *a.CostUSD)
	}
	_, rest := e.apart()
	for _, x := range rest {
		a.Other = append(a.Other, candidate{x}.text())
	}
	return a
}

// certified adds what fresh blocks say.
func (a *Answer) certified(x *racing.Attempt, number int) {
	a.Fresh, a.Met, a.attempt = len(x.USD), x.Met, number
	if a.Fresh == 0 {
		return
	}
	var usd, met intervals.Tally
	for i, cost := range x.USD {
		unit := intervals.Unit{Seed: int64(i)}
		usd.Add(unit, cost)
		met.AddHit(unit, i < x.Met)
	}
	a.CostUSD, a.CostCI, a.MetCI = new(usd.Mean()), usd.MeanInterval(), new(met.Share())
}

// Text is the winner as a part of a spec, with comments.
func (a *Answer) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s within %v %% of the best; met by at least %v %%: %s\n", a.Objective, a.Policy, 100*a.Within, 100*a.Share, a.Verdict)
	b.WriteString(a.WinnerYAML)
	for _, x := range a.Other {
		fmt.Fprintf(&b, "# and in the rest of the spec: %s\n", x)
	}
	return b.String()
}
