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
	DiffUSD    *float64        `json:"diff_usd"`    // mean of its cost less the winner's, block by block; null without
	UpperShare float64         `json:"upper_share"` // bound of its share
	Out        string          `json:"out"`         // why it cannot win: share, failed; empty if it could
	Close      bool            `json:"close"`       // it may cost less than the winner
}

// answer puts the result of a race into words.
func (t *tuning) answer(r *racing.Result, of []int) *Answer {
	answer := &Answer{
		Question: *t.question,
		Unit:     t.blocks.unit,
		Verdict:  Undecided,
		Decided:  r.Decided,
		Plan:     t.plan.Hash,
		Inputs:   t.plan.Inputs,
		winner:   -1,
	}
	answer.Runs.Grid = int64(len(of)) * int64(r.Blocks)
	for i := range r.Settings {
		row := &r.Settings[i]
		answer.Settings = append(answer.Settings, Setting{
			Parameters: json.RawMessage(t.field.candidates[of[i]].parameters()),
			Blocks:     row.Blocks,
			Met:        row.Met,
			MeanUSD:    stats.FiniteOrNil(row.USD),
			DiffUSD:    stats.FiniteOrNil(row.Diff),
			UpperShare: row.UpperShare,
			Out:        string(row.Out),
			Close:      row.Close,
		})
		answer.Runs.Race += int64(row.Blocks)
	}
	if r.Winner < 0 {
		answer.Verdict = Unmet
		answer.Winner = json.RawMessage("null")
		return answer
	}
	answer.winnerRow = r.Winner
	answer.winner = of[r.Winner]
	winner := &t.field.candidates[answer.winner]
	answer.Winner = json.RawMessage(winner.parameters())
	answer.WinnerYAML = spec.YAML(t.field.policy(answer.winner))
	_, rest := winner.apart()
	for _, setting := range rest {
		answer.Other = append(answer.Other, candidate{setting}.text())
	}
	return answer
}

// Text is the winner as a part of a spec, with comments.
func (a *Answer) Text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s: %s within %v %% of the best; met by at least %v %%: %s\n",
		a.Objective, a.Policy, 100*a.Within, 100*a.Share, a.Verdict)
	text.WriteString(a.WinnerYAML)
	for _, setting := range a.Other {
		fmt.Fprintf(&text, "# and in the rest of the spec: %s\n", setting)
	}
	return text.String()
}
