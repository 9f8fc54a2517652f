package policies_test

import (
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/rollout"
	"github.com/marigram/marigram/sim"
)

// quick returns a new policy with its defaults, but of one that imagines futures with few
// of them: else the suites take minutes.
func quick(info policies.Info) sim.Policy {
	p := info.Defaults()
	if r, ok := p.(*rollout.Rollout); ok {
		r.Futures, r.Every = 1, 2*time.Hour
	}
	return p
}
