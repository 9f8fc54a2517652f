package policies_test

import (
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/sim"
)

// quick returns a new policy with its defaults, but of one that plans ahead with a coarse grid: else the suites take
// minutes.
func quick(info policies.Info) sim.Policy {
	p := info.Defaults()
	if plans, ahead := p.(*mdp.MDP); ahead {
		plans.Grid = 8
		plans.Every = 20 * time.Minute
	}
	return p
}
