package policies

import (
	"github.com/marigram/marigram/policies/launchers"
	"github.com/marigram/marigram/sim"
)

// The policies that follow tools. Their sources name the version that was read.
func init() {
	register("managed jobs of SkyPilot: asks one pool after the other, the cheapest first, waits and asks again; "+
		"recovers as it is released, as it is documented, or by FAILOVER",
		"follows the rules of SkyPilot at 000bb579 (13 February 2026), as read; not made or checked by its authors",
		RestartingPipelines, func() sim.Policy { return launchers.NewSkyPilot() })
}
