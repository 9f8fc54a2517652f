package policies

import "github.com/marigram/marigram/sim"

// Oracle is a policy that knows the future: it is given the market before its first
// decision.
type Oracle interface {
	sim.Oracle
	SetMarket(m *sim.Market)
}
