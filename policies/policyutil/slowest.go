package policyutil

import "github.com/marigram/marigram/sim"

// WaitsForSlowest reports whether a model is a sim.SlowestModel.
func WaitsForSlowest(m sim.Model) bool {
	s, is := m.(sim.SlowestModel)
	return is && s.WaitsForSlowest(m)
}

// Rounding is a relative difference of prices that adding them up in another order does not make, of up to 10,000 of them.
const Rounding = 1e-11

// NotCheapest returns how many of the rest clusters after one are known not to be the cheapest of all these, which do the same, where each
// costs step more than the one before, and the first usd: all of them, all but the last, or none where rounding may decide.
func NotCheapest(rest int, step, usd float64) int {
	switch {
	case step > Rounding*usd:
		return rest
	case -step > Rounding*usd:
		return max(rest-1, 0)
	}
	return 0
}
