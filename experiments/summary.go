package experiments

import (
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
)

// summary fills the row of a run that is over.
func (s *Study) summary(t *sim.Totals, c *sim.Config, l label, p int) results.Summary {
	job, bill, asked := &t.Jobs[0], &t.Bill, c.Jobs[0].Objective
	_, oracle := c.Policy.(sim.Oracle)
	hours := func(a sim.Activity) float64 { return job.Activities[a].Hours() }
	r := results.Summary{Run: l.run, Scenario: l.scenario, Objective: l.objective, Policy: l.policy, Seed: l.seed,
		Market: s.Markets.Name, Replay: s.Markets.Replay, Unit: s.Markets.Unit, Oracle: oracle,
		ObjectiveLoss: asked.Loss, ObjectiveS: asked.Within.Seconds(), Finished: job.Finished,
		LossReached: job.Loss, Progress: job.Done, Iterations: job.Iterations, Samples: job.Samples,
		CostUSD: bill.Total(), CostSpotUSD: bill.Spot, CostOnDemandUSD: bill.OnDemand, CostPSUSD: bill.ParameterServers,
		CostStorageUSD: bill.Storage, CostTransferUSD: bill.Transfers, CostDisksUSD: bill.Disks, CostCheckpointsUSD: bill.Checkpoints, CostCommitmentsUSD: bill.Commitments, CostTaxUSD: bill.Tax, CostTopupUSD: bill.TopUp, RefundUSD: bill.Refund,
		Preemptions: t.Preemptions, Notices: t.Notices, Unannounced: t.Unannounced, Requests: t.Requests, Grants: t.Grants,
		Decisions: t.Decisions, Wakes: t.Wakes, PlanChanges: t.PlanChanges, QuotaRefusals: t.QuotaRefusals, Moves: t.Moves,
		InstanceH: job.InstanceTime.Hours(), UsefulH: hours(sim.Useful), RedundantH: hours(sim.Redundant),
		CheckpointingH: hours(sim.Checkpointing), RestoringH: hours(sim.Restoring), ReconfiguringH: hours(sim.Reconfiguring),
		LostH: hours(sim.Redone), WaitingH: hours(sim.Waiting), StartingH: hours(sim.Starting),
		HorizonS: min(c.Horizon, c.Market.End().Sub(c.Start)).Seconds(),
		Warnings: s.warningsOf(p, outcomeOf(job), c.Start, t.End)}
	if job.Activities[sim.Checkpointing].Hours() > MuchSaving*job.InstanceTime.Hours() {
		r.Warnings = strings.TrimSuffix(muchSaving+"; "+r.Warnings, "; ")
	}
	if job.Finished {
		finish := job.Elapsed.Seconds()
		r.FinishS = &finish
		r.Met = job.Elapsed <= asked.Within
		if late := (job.Elapsed - asked.Within).Seconds(); !r.Met {
			r.MissedByS = &late
		}
	}
	return r
}

// warningsOf returns those of a run under a policy, with an outcome, from an
// instant of the market until another.
func (s *Study) warningsOf(policy, outcome int, from, until sim.Time) string {
	out := s.warnings[policy][outcome]
	for text := range s.Markets.WarningsDuring(from, until) {
		out = strings.TrimPrefix(out+"; "+text, "; ")
	}
	return out
}
