package policies

import "github.com/marigram/marigram/sim"

// Oracle is an oracle that is told the market before its first decision.
type Oracle interface {
	sim.Oracle
	SetMarket(m *sim.Market)
}
