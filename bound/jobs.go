package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// Jobs returns the bound of many jobs that share a market, each a gang (sim.GangModel); Config.Policy is not asked. No schedule in
// which every job is done when it is due costs less, and in none is the last job done sooner; USD is +Inf if there is no such schedule.
// Jobs are due at their deadlines or, if due is not nil, at its instants, in the time of the traces: one at or before the submission leaves a
// job out. No job has longer than the run.
//
// It is a linear programme: in each stretch of time in which neither prices, capacity nor the jobs that may run change, a job trains
// any part of the time, with its whole gang on one pool or spread over several; all jobs together hold at most the capacity in the
// mean. What they hold is paid, and each GPU on which a job trains its shortest boot at the lowest price, in proportion to
// the part of the job that it does. Stops, moves, losses and longer boots only cost more. The dual of the programme is
// solved by an interior-point method, and the bound worked out anew from its prices of capacity: weak duality makes it a bound whatever the method found.
//
// It holds for gangs that are no faster on several pools than on the slowest of these alone (throughput.Gang). It is an error where the
// bound would not hold, or is not known: free first hours, commitments, jobs that share instances, other models, more jobs than MaxJobs
// and MaxPairs allow.
func Jobs(c sim.Config, due []sim.Time) (Bound, error) {
	p, err := newFluid(&c, due)
	if err != nil {
		return Bound{}, err
	}
	b := Bound{USD: math.Inf(1), Seconds: math.Inf(1), Segments: len(p.cells)}
	if !p.possible {
		return b, nil
	}
	prices, overflow := p.solve()
	if overflow > 1e-9 && p.impossible() {
		return b, nil
	}
	b.USD, b.Seconds = max(p.lagrangian(prices, math.Inf(1), p.usd), 0)*(1+c.Billing.Tax), p.fastest
	return b, nil
}
