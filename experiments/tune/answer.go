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

// Answer is what was found.
type Answer struct {
	Question
	Unit    string `json:"unit"`    // of blocks: seed or start
	Verdict string `json:"verdict"` // Proven, Undecided or Unmet
	Decided bool   `json:"decided"` // no setting is cheaper than the winner by more than the margin

	Winner     json.RawMessage `json:"winner"`      // values by path; null if no setting meets the share
	WinnerYAML string          `json:"winner_yaml"` // policies of a spec
	Other      []string        `json:"other"`       // settings of the winner outside of the policy: path=value

	// Of the winner on fresh blocks, which chose nothing: one check, with 95 % intervals. That of the share is exact,
	// and its units are the blocks that share no part of a recorded trace.
	Fresh   int                 `json:"fresh"` // blocks; 0: there was no check
	Met     int                 `json:"met"`
	MetCI   *intervals.Interval `json:"met_ci"`
	CostUSD *float64            `json:"cost_usd"`
	CostCI  *intervals.Interval `json:"cost_ci"`

	Settings []Setting       `json:"settings"` // that raced
	Runs     Runs            `json:"runs"`
	Warnings []string        `json:"warnings"` // why the answer may mislead
	Plan     string          `json:"plan"`     // hash
	Inputs   []results.Input `json:"inputs"`

	winner    int // candidate; -1 for none
	winnerRow int // of Settings
}

// The verdicts: fresh blocks show the winner's share; they do not, or there were none; no setting meets it.
const (
	Proven    = "proven"
	Undecided = "not proven"
	Unmet     = "no setting meets the share"
)

// Runs counts runs by what they were for.
type Runs struct {
	Race  int64 `json:"race"`
	Check int64 `json:"check"`
	// Grid is the number of runs of all settings of the race on as many blocks as the one
	// that ran the most.
	Grid int64 `json:"grid"`
}

// All is the number of runs that found the winner.
func (r *Runs) All() int64 { return r.Race + r.Check }

// Setting is a setting that raced.
type Setting struct {
	Parameters json.RawMessage `json:"parameters"`
	Blocks     int             `json:"blocks"`
	Met        int             `json:"met"`
	MeanUSD    *float64        `json:"mean_usd"`    // over its blocks; null if a run failed
	DiffUSD    *float64        `json:"diff_usd"`    // mean of its cost less the winner's on the same blocks; null without
	UpperShare float64         `json:"upper_share"` // bound of its share
	Out        string          `json:"out"`         // why it cannot win: share, failed; empty if it could
	Close      bool            `json:"close"`       // it may cost less than the winner
}

// answer puts the result of a race into words.
func (t *tuning) answer(r *racing.Result, of []int) *Answer {
	a := &Answer{Question: *t.question, Unit: t.blocks.unit, Verdict: Undecided, Decided: r.Decided, winner: -1}
	a.Plan = t.plan.Hash
	a.Inputs = t.plan.Inputs
	a.Runs.Grid = int64(len(of)) * int64(r.Blocks)
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
	if r.Winner < 0 {
		a.Verdict = Unmet
		a.Winner = json.RawMessage("null")
		return a
	}
	a.winnerRow = r.Winner
	a.winner = of[r.Winner]
	e := &t.field.candidates[a.winner]
	a.Winner = json.RawMessage(e.parameters())
	a.WinnerYAML = spec.YAML(t.field.policy(a.winner))
	_, rest := e.apart()
	for _, x := range rest {
		a.Other = append(a.Other, candidate{x}.text())
	}
	return a
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
