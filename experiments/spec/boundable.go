package spec

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/traces/replay"
)

// Boundable reports why package bound has no bound for the spec's runs, nil if it may
// have one: where the history does not say what can be held, or first hours are free.
func (s *Spec) Boundable() error {
	if s.Market.Billing.FreeFirstHour {
		return s.ErrorAt("$.market.billing.free_first_hour", "true: what is held has no least cost, so there is no bound")
	}
	if s.Model.Training != nil {
		return s.ErrorAt("$.model.training", "the least cost of clusters is known for asynchronous training without this key only, so there is no bound")
	}
	if s.Model.LossForm == ps.Forms[ps.FormPaper] {
		return s.ErrorAt("$.model.loss_form", "%s: the least cost of clusters is not known, so there is no bound (expected artifact or figures)", s.Model.LossForm)
	}
	for i := range s.Market.Pools {
		switch a := s.ReplayOf(&s.Market.Pools[i]).adapter(); a {
		case replay.LaunchOnly, replay.LifetimeResample:
			return s.ErrorAt(fmt.Sprintf("$.market.pools[%d]", i),
				"the adapter %s: instances may outlive the capacity in the history, so there is no bound", a)
		}
	}
	return nil
}
