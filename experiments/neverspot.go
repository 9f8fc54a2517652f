package experiments

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// NeverSpot begins the warning of a run in which a policy that limits what waiting for spot may cost requested no spot
// instance.
const NeverSpot = "no spot instance was requested"

// limitSetting is the setting by which policies limit what waiting for spot may cost, as a share of the plan on demand.
const limitSetting = "regret"

// limitOf returns the limit of a policy; 0 if it has none.
func limitOf(policy sim.Policy) float64 {
	settings := policies.Settings(policy)
	k := slices.IndexFunc(settings, func(x policies.Setting) bool { return x.Name == limitSetting })
	if k < 0 {
		return 0
	}
	limit, _ := settings[k].Value.(float64) // a program's own setting may be of another type
	return limit
}

// warnNeverSpot says of a run that its policy did not try spot, which the limit forbids where it would not pay for a
// try that fails: whoever compares policies would take the price of on demand for the policy's.
func (w *Worker) warnNeverSpot(policy int, r *results.Summary) {
	limit := w.limits[policy]
	onlyOnDemand := r.CostSpotUSD == 0 && r.CostOnDemandUSD > 0 && r.Grants == r.Requests
	if limit == 0 || !onlyOnDemand || !w.offersSpot() {
		return
	}
	text := fmt.Sprintf("%s, perhaps because one that is lost would cost more than its limit (%s %g)",
		NeverSpot, limitSetting, limit)
	r.Warnings = joinWarnings(r.Warnings, text)
}

// offersSpot reports whether the market has spot pools.
func (w *Worker) offersSpot() bool {
	for p := range w.market.Pools() {
		if !w.market.Pool(p).OnDemand {
			return true
		}
	}
	return false
}
