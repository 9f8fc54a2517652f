package policyutil

import "github.com/marigram/marigram/sim"

// Affords returns for how many hours a budget in USD pays what job j holds or wants by the plan, at the present prices, without servers,
// disks and tax, but for the last two minutes, which cover minimum charges; +Inf for nothing, and below 0 where it is spent.
func Affords(v sim.View, j int, usd float64, plan *sim.Plan) float64 {
	bill, usdPerH := v.Bill(), 0.0
	for p, want := range plan.Jobs[j].Hold {
		h := v.Held(j, p)
		usdPerH += float64(max(want, h.Active())+h.Noticed) * v.Price(p)
	}
	return (usd - bill.Total() - usdPerH/30) / usdPerH
}
