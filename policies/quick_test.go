package policies_test

import (
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/policies/rollout"
	"github.com/marigram/marigram/sim"
)

// quick returns a new policy with its defaults, but of one that imagines futures with few
// of them, and of one that plans ahead with a coarse grid: else the suites take minutes.
func quick(info policies.Info) sim.Policy {
	p := info.Defaults()
	switch p := p.(type) {
	case *rollout.Rollout:
		p.Futures, p.Every = 1, 2*time.Hour
	case *mdp.MDP:
		p.Grid, p.Every = 8, 20*time.Minute
	}
	return p
}
