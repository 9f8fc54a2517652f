package safe

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// explain tells a recorder what the decision is based on.
func (s *Safe) explain(c *clock, plan *sim.Plan) {
	plan.AddInput("time left", c.left, "s")
	if !c.lax {
		plan.AddInput("until on demand begins, to be cheaper", c.sized-c.reserve, "s")
	}
	plan.AddInput("until the last plan on demand that is in time begins", c.last, "s")
	if !math.IsInf(c.over, -1) { // without a limit nothing is beyond it
		plan.AddInput("the limit of the cost", s.limit, "USD")
		plan.AddInput("what is paid and the plan on demand, beyond the limit", c.over, "USD")
	}
	plan.AddInput("the plan on demand", c.best.USD, "USD")
}

// whyActs says for a recorder why the policy does not leave the decision to its base; empty: it does, or there is no
// recorder. Seconds are only in what is said once: decisions whose reasons differ are all kept.
func (s *Safe) whyActs(c *clock, plan *sim.Plan) string {
	if !plan.Recorded() || c.action() == leave {
		return ""
	}
	switch {
	case c.fatal:
		return "a loss on spot would end the job"
	case c.last <= 0 && c.onDemand > 0:
		return "the last plan on demand that is sure to be in time is under way"
	case c.last <= 0:
		return fmt.Sprintf("the last instant at which on demand is sure to be in time: it takes up to %.0f of %.0f s",
			max(c.left-c.last, 0), c.left)
	case c.early() && c.onDemand > 0:
		return "the number on demand that is planned with has no time left to go back to spot"
	case c.early():
		return fmt.Sprintf("the number on demand that is planned with has to begin: it takes up to %.0f of %.0f s",
			max(c.left-c.sized, 0), c.left)
	case c.onDemand > 0:
		return fmt.Sprintf("waiting for spot again may cost more than the limit of %.4g USD", s.limit)
	}
	return fmt.Sprintf("waiting for spot has reached the limit of %.4g USD, with what on demand costs from now on", s.limit)
}

// refusal is why what the base holds is not taken.
type refusal uint8

const (
	stops    refusal = iota // on demand would stop training to wait for spot
	unsaved                 // what is given back is not saved
	late                    // on demand could be late after it
	tooDear                 // it could cost more than the limit
	noTries                 // the limit does not pay for the spot instances that it asks for
	numWords                // as many words as there are reasons
)

// says words a refusal for a recorder.
func (s *Safe) says(r refusal, plan *sim.Plan) string {
	if !plan.Recorded() {
		return ""
	}
	base := s.Base.Name()
	words := [numWords]string{
		stops:   "to give on demand back would stop training before spot is ready",
		unsaved: "what gives on demand back is not saved yet",
		late:    "on demand could be late after the choice of " + base,
		tooDear: fmt.Sprintf("the choice of %s could cost more than the limit of %.4g USD", base, s.limit),
		noTries: fmt.Sprintf("the limit of %.4g USD does not pay for the spot instances that %s asks for", s.limit, base),
	}
	return words[r]
}

// explainTakeover tells a recorder why what the base chose is not held.
func (s *Safe) explainTakeover(v sim.View, why string, plan *sim.Plan) {
	if !plan.Recorded() || why == "" {
		return
	}
	if reason := plan.Reason(); reason != "" {
		why += ": " + reason
	}
	plan.SetReason(why)
	if v.Jobs() > 1 { // the candidates may be of another job
		return
	}
	ofBase := plan.Candidates()[:s.considered]
	for i := range ofBase {
		if ofBase[i].Chosen {
			ofBase[i].Chosen = false
			ofBase[i].Note = "the choice of " + s.Base.Name() + "; " + ofBase[i].Note
		}
	}
}
