//go:build !js

package experiments

import (
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// sparse returns a scheduler in the world for more jobs than can be held, if it can be.
func sparse(p sim.Policy) (sim.Policy, bool) { return schedulers.Sparse(p) }
