package rollout

import (
	"fmt"

	"github.com/marigram/marigram/sim"
)

// explain tells a recorder what was tried, and what came of it.
func (r *Rollout) explain(v sim.View, plan *sim.Plan, best int) {
	if !plan.Recorded() {
		return
	}
	plan.AddInput("imagined futures", float64(r.Futures), "")
	for i := range r.choices {
		x := &r.choices[i]
		note := fmt.Sprintf("meets the objective in %d of %d futures", x.met, x.n)
		if i > 0 {
			note += fmt.Sprintf(", %+.2f USD +- %.2f against the base", x.mean(), x.error())
		}
		plan.AddCandidate(sim.Candidate{Name: x.name, Score: x.total / float64(max(x.n, 1)), Unit: "USD", Note: note, Chosen: i == best})
	}
}
