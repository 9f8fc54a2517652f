package experiments

import (
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
)

// summary fills the row of a run that is over.
func (s *Study) summary(t *sim.Totals, c *sim.Config, l label, p int) results.Summary {
	job, asked := &t.Jobs[0], c.Jobs[0].Objective
	r := s.totalsOf(t, c, l, &job.Activities, job.InstanceTime)
	r.ObjectiveLoss, r.ObjectiveS, r.Finished = asked.Loss, asked.Within.Seconds(), job.Finished
	r.LossReached, r.Progress, r.Iterations, r.Samples = job.Loss, job.Done, job.Iterations, job.Samples
	r.Jobs = 1
	if r.Finished {
		r.JobsDone = 1
	}
	r.Warnings = s.warningsOf(p, outcomeOf(job), c.Start, t.End)
	if text := untrained(&r); text != "" {
		r.Warnings = strings.TrimSuffix(text+"; "+r.Warnings, "; ")
	}
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

// NeverTrained begins the warning of a run of one job that never trained it.
const NeverTrained = "the job never trained: "

// untrained says why a run of one job never trained it; empty if it did. The cost of such a
// run is the price of nothing.
func untrained(r *results.Summary) string {
	switch {
	case r.Finished || r.UsefulH+r.LostH+r.RedundantH > 0:
		return ""
	case r.Requests == 0:
		return NeverTrained + "the policy requested no instance"
	case r.Grants == 0:
		return NeverTrained + "no requested instance was granted"
	}
	return NeverTrained + "it cannot on the instances that were held, or they were never ready together"
}

// knowsMore reports whether a policy knows what no real one does: the future, or exactly how long jobs run.
func (s *Study) knowsMore(p sim.Policy) bool {
	if _, oracle := p.(sim.Oracle); oracle {
		return true
	}
	of, asks := p.(sim.Clairvoyant)
	return asks && of.KnowsWork() && (s.Spec.Jobs == nil || s.Spec.Jobs.BelievedSigma == 0)
}

// totalsOf fills what a row says of all jobs of a run together. Activities and their sum are those of the jobs.
func (s *Study) totalsOf(t *sim.Totals, c *sim.Config, l label, activities *[sim.Activities]sim.MachineTime, all sim.MachineTime) results.Summary {
	bill := &t.Bill
	oracle := s.knowsMore(c.Policy)
	var held [sim.Activities]float64
	for a, x := range activities {
		held[a] = x.Hours()
	}
	return results.Summary{Run: l.run, Scenario: l.scenario, Objective: l.objective, Policy: l.policy, Seed: l.seed,
		Market: s.Markets.Name, Replay: s.Markets.Replay, Unit: s.Markets.Unit, Oracle: oracle,
		CostUSD: bill.Total(), CostSpotUSD: bill.Spot, CostOnDemandUSD: bill.OnDemand, CostPSUSD: bill.ParameterServers,
		CostStorageUSD: bill.Storage, CostTransferUSD: bill.Transfers, CostDisksUSD: bill.Disks, CostCheckpointsUSD: bill.Checkpoints, CostCommitmentsUSD: bill.Commitments, CostTaxUSD: bill.Tax, CostTopupUSD: bill.TopUp, RefundUSD: bill.Refund, CostUnallocatedUSD: t.Unallocated.Total(),
		Preemptions: t.Preemptions, Notices: t.Notices, Unannounced: t.Unannounced, Requests: t.Requests, Grants: t.Grants,
		Decisions: t.Decisions, Wakes: t.Wakes, PlanChanges: t.PlanChanges, QuotaRefusals: t.QuotaRefusals, Moves: t.Moves,
		InstanceH: all.Hours(), UsefulH: held[sim.Useful], RedundantH: held[sim.Redundant],
		CheckpointingH: held[sim.Checkpointing], RestoringH: held[sim.Restoring], ReconfiguringH: held[sim.Reconfiguring],
		LostH: held[sim.Redone], WaitingH: held[sim.Waiting], StartingH: held[sim.Starting],
		HorizonS: min(c.Horizon, c.Market.End().Sub(c.Start)).Seconds()}
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
