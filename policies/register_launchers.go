package policies

import (
	"github.com/marigram/marigram/policies/launchers"
	"github.com/marigram/marigram/sim"
)

// The policies that follow tools. Their sources name the version that was read.
func init() {
	for _, tool := range []struct {
		doc, rules string
		policy     func() sim.Policy
		assumes    []Assumption
	}{
		{"managed jobs of SkyPilot: asks pool after pool, the cheapest first, waits and asks again; " +
			"recovers as released, as documented, or by FAILOVER",
			"SkyPilot at 000bb579 (13 February 2026)", func() sim.Policy { return launchers.NewSkyPilot() }, nil},
		{"Ray Train v2 with a range of workers: trains on those that are there; " +
			"each change of their number goes back to the last save",
			"Ray Train v2 at 68262cc7 and 01b6c7aa", func() sim.Policy { return launchers.NewRayElastic() },
			[]Assumption{{"autoscaler", "what comes is the autoscaler's business: " +
				"all spot pools are asked at once for what is missing, " +
				"and the dearest instances that are too many are given back"}}},
		{"dstack: offers of spot and on demand in one list by price; submits again after growing delays; " +
			"what it had stays for a while, and is paid",
			"dstack at 511c318c (21 August 2026)", func() sim.Policy { return launchers.NewDstack() },
			[]Assumption{{"fleet", "the run has a fleet that allows both kinds and any number of instances"}}},
		{"Karpenter on AWS: spot if any pool is left, else on demand at once; replaces a node at its notice",
			"Karpenter at 2266468 and 1d92708 (August 2026)", func() sim.Policy { return launchers.NewKarpenter() },
			[]Assumption{{"capacity_rank", "EC2's rank of pools by capacity is not published: " +
				"those that have refused or lost nothing of the run for longest"}}},
		{"an EC2 Auto Scaling group: a base and a share on demand, the rest on spot by an allocation strategy",
			"EC2 Auto Scaling, user guide of 2026", func() sim.Policy { return launchers.NewASG() },
			[]Assumption{{"no_fallback", "spot that cannot be had is not replaced by on demand: " +
				"no page that was read says so"}}},
		{"managed spot training of SageMaker: waits for spot of one pool, never on demand; ends at its limit",
			"SageMaker, developer guide of 2026", func() sim.Policy { return launchers.NewSageMakerSpot() },
			[]Assumption{{"ec2_prices", "SageMaker's own spot prices are not published: those of EC2"}}},
	} {
		Register(Info{
			Name:     tool.policy().Name(),
			Doc:      tool.doc,
			Source:   "rules of " + tool.rules + ", as read; not made or checked by its authors",
			Needs:    RestartingPipelines,
			Tool:     true,
			Assumes:  tool.assumes,
			Defaults: tool.policy,
		})
	}
}
