package spotdnn

import (
	"fmt"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// ExplainSearch has the search report its candidates, if a recorder listens.
func ExplainSearch(v sim.View, task *Task, plan *sim.Plan) {
	plan.AddInput("time for training", task.Seconds, "s")
	if !plan.Recorded() {
		return
	}
	task.Consider = func(c Choice) {
		note := fmt.Sprintf("%d workers, ends after %.0f s", c.Workers, c.Seconds)
		if c.Seconds > task.Seconds {
			note += fmt.Sprintf(", %.0f s late", c.Seconds-task.Seconds)
		}
		plan.AddCandidate(sim.Candidate{Name: policyutil.ClusterName(v, c.Counts), Score: c.USD, Unit: "USD", Note: note})
	}
}
