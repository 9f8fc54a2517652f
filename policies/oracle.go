package policies

import "github.com/marigram/marigram/sim"

// Oracle is a policy that knows the future (sim.Traits.KnowsFuture): it is given the market before its first
// decision.
type Oracle interface {
	SetMarket(m *sim.Market)
}

// RunOracle is a policy that knows the future of one run: it is given the whole of it, random
// numbers included, before the run. An error says why it cannot plan for that run.
type RunOracle interface {
	SetRun(c sim.Config) error
}
