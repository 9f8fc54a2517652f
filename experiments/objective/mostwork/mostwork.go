// Package mostwork is the kind of objectives that ask for as much of the training as a budget pays for, and that of a
// budget beside a deadline.
package mostwork

import (
	"fmt"
	"strconv"

	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	objective.Register(objective.Kind{
		Name:       "most_work",
		Goal:       func() objective.Goal { return &Budget{} },
		Meets:      meets,
		Text:       text,
		NeedNotEnd: true,
		ByWork:     true,
		Beside: &objective.Kind{
			Name:         "within_budget",
			Meets:        meetsBoth,
			Text:         textOfBoth,
			WithDeadline: true,
			Says:         []objective.Said{objective.LateShare, {Name: "above budget", Share: true, Of: above}},
			Unknown:      "the budget beside the deadline: those that plan pay what the deadline asks",
		},
	})
}

// Budget is what may be spent.
type Budget struct {
	MostWork  bool    `json:"most_work,omitempty" needs:"budget_usd" either:"limit" jsonschema:"instead of a time: as much of the training as the budget pays for until the horizon; policies are compared by what is left"`
	BudgetUSD float64 `json:"budget_usd,omitempty" above:"0" max:"1e12" excludes:"ettr,samples_per_s,usd_per_h_late" jsonschema:"with most_work the job ends, saved, before it costs more; beside a time a run meets the objective that is in time and costs no more, and how many cost more is said"`
}

// Given implements objective.Goal.
func (b *Budget) Given() bool { return b.MostWork }

// GivenAside implements objective.Aside.
func (b *Budget) GivenAside() bool { return b.BudgetUSD > 0 && !b.MostWork }

// Value implements objective.Goal.
func (b *Budget) Value() float64 { return b.BudgetUSD }

// Label implements objective.Goal.
func (b *Budget) Label() string {
	usd := "for-" + strconv.FormatFloat(b.BudgetUSD, 'g', -1, 64) + "-usd"
	if b.MostWork {
		return "most-work-" + usd
	}
	return usd
}

// TimeS implements objective.Goal.
func (b *Budget) TimeS(s objective.Study) (float64, error) { return s.HorizonS, nil }

// Pursue implements objective.Pursuer.
func (b *Budget) Pursue(p sim.Policy) sim.Policy {
	if !b.MostWork {
		return p
	}
	return policies.AtBudget(p, b.BudgetUSD)
}

// rounding is how far the sum of a bill may be off.
const rounding = 1e-9

func meets(usd float64, r objective.Run) bool { return r.USD <= usd*(1+rounding) }

func meetsBoth(usd float64, r objective.Run) bool { return r.Finished && r.LateH == 0 && meets(usd, r) }

func above(usd float64, r objective.Run) float64 {
	if meets(usd, r) {
		return 0
	}
	return 1
}

func textOfBoth(what string, usd float64, within string) string {
	return fmt.Sprintf("%s within %s for at most %.10g USD", what, within, usd)
}

func text(what string, usd float64, within string) string {
	return fmt.Sprintf("as much of the way to %s as %.10g USD pay for within %s", what, usd, within)
}
