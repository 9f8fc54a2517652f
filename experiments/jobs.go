package experiments

import (
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// keeper returns what takes the rows of the jobs of a run: they are in the order of their numbers in a record, and
// handed on as the jobs end in one without a timeline if somebody wants them.
func (s *Study) keeper(out *record, jobs int, timeline bool) func(*results.Job) error {
	if !timeline && s.JobRow != nil {
		return s.JobRow
	}
	out.rows = &results.Set{Jobs: make([]results.Job, jobs)}
	return func(r *results.Job) error {
		out.rows.Jobs[r.Number] = *r
		return nil
	}
}

// start begins a run in a world. A policy that knows the future is told it.
func start(world *sim.World, policy sim.Policy, config sim.Config) error {
	if oracle, is := policy.(policies.Oracle); is {
		oracle.SetMarket(config.Market)
	}
	if oracle, is := policy.(policies.RunOracle); is {
		if err := oracle.SetRun(config); err != nil {
			return err
		}
	}
	return world.Reset(config)
}
