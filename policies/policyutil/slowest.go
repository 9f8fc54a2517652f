package policyutil

import "github.com/marigram/marigram/sim"

// SlowestModel is a sim.WorkerModel whose workers wait for the slowest: all that Rate reads of Layout.Workers is how
// many there are and which pools have any, and all that Estimate reads of a Tally is N and Min.
type SlowestModel interface {
	sim.WorkerModel
	// WaitsForSlowest reports true, and false if self is not the receiver: a type that embeds a SlowestModel and has a
	// Rate or an Estimate of its own is none.
	WaitsForSlowest(self sim.Model) bool
}

// WaitsForSlowest reports whether a model is a SlowestModel.
func WaitsForSlowest(m sim.Model) bool {
	s, is := m.(SlowestModel)
	return is && s.WaitsForSlowest(m)
}

// Rounding is a relative difference of prices that adding them up in another order does not make, of up to 10,000 of
// them.
const Rounding = 1e-11

// NotCheapest returns how many of the rest clusters after one are known not to be the cheapest of all these, which do
// the same, where each costs step more than the one before, and the first usd: all of them, all but the last, or none
// where rounding may decide.
func NotCheapest(rest int, step, usd float64) int {
	switch {
	case step > Rounding*usd:
		return rest
	case -step > Rounding*usd:
		return max(rest-1, 0)
	}
	return 0
}
