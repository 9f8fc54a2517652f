// Package mostwork is the kind of objectives that ask for as much of the training as a budget pays for.
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
	})
}

// Budget is what may be spent.
type Budget struct {
	MostWork  bool    `json:"most_work,omitempty" needs:"budget_usd" either:"limit" jsonschema:"instead of a time: as much of the training as the budget pays for until the horizon; policies are compared by what is left"`
	BudgetUSD float64 `json:"budget_usd,omitempty" above:"0" max:"1e12" needs:"most_work" jsonschema:"the job ends, saved, before it costs more"`
}

// Given implements objective.Goal.
func (b *Budget) Given() bool { return b.MostWork }

// Value implements objective.Goal.
func (b *Budget) Value() float64 { return b.BudgetUSD }

// Label implements objective.Goal.
func (b *Budget) Label() string {
	return "most-work-for-" + strconv.FormatFloat(b.BudgetUSD, 'g', -1, 64) + "-usd"
}

// TimeS implements objective.Goal.
func (b *Budget) TimeS(s objective.Study) (float64, error) { return s.HorizonS, nil }

// Pursue implements objective.Pursuer.
func (b *Budget) Pursue(p sim.Policy) sim.Policy { return policies.AtBudget(p, b.BudgetUSD) }

// rounding is how far the sum of a bill may be off.
const rounding = 1e-9

func meets(usd float64, r objective.Run) bool { return r.USD <= usd*(1+rounding) }

func text(what string, usd float64, within string) string {
	return fmt.Sprintf("as much of the way to %s as %.10g USD pay for within %s", what, usd, within)
}
