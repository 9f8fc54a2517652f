package experiments

import (
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// summary fills the row of a run that is over, of what was asked for, under a policy by its number.
func (s *Study) summary(t *sim.Totals, c *sim.Config, of *jobTally, asked *spec.Objective, policy int) results.Summary {
	r := s.totalsOf(t, c, of)
	r.ObjectiveShare = asked.Share
	r.Goal = asked.Kind().Name
	r.GoalValue = asked.GoalValue()
	r.Jobs = int64(len(of.done))
	r.JobsDone = of.jobsDone
	r.Progress = stats.Mean(of.done)
	within := s.work.fill(&r, t, c, of)
	if r.Finished = r.JobsDone == r.Jobs; r.Finished {
		r.FinishS = new(of.finishS)
		if of.finishS > r.ObjectiveS {
			r.MissedByS = new((of.finish - within).Seconds())
		}
	}
	r.ETTR = r.Effective()
	r.Met = r.Meets()
	r.Warnings = s.warningsOf(&r, t, c, policy)
	return r
}

// totalsOf fills what a row says of all jobs of a run together.
func (s *Study) totalsOf(t *sim.Totals, c *sim.Config, of *jobTally) results.Summary {
	bill, all := &t.Bill, sim.MachineTime(0)
	var held [sim.Activities]float64
	for a, x := range of.activities {
		held[a], all = x.Hours(), all+x
	}
	return results.Summary{Run: of.label.run, Scenario: of.label.scenario, Objective: of.label.objective,
		Policy: of.label.policy, Seed: of.label.seed, StartS: c.Start.Sub(0).Seconds(),
		Market: s.Markets.Name, Replay: s.Markets.Replay, Unit: s.Markets.Unit, Oracle: s.knowsMore(c.Policy),
		CostUSD: bill.Total(), CostSpotUSD: bill.Spot, CostOnDemandUSD: bill.OnDemand, CostPSUSD: bill.ParameterServers,
		CostStorageUSD: bill.Storage, CostTransferUSD: bill.Transfers, CostDisksUSD: bill.Disks, CostCheckpointsUSD: bill.Checkpoints,
		CostCommitmentsUSD: bill.Commitments, CostTaxUSD: bill.Tax, CostTopupUSD: bill.TopUp, RefundUSD: bill.Refund,
		CostUnallocatedUSD: t.Unallocated.Total(),
		Preemptions:        t.Preemptions, Notices: t.Notices, Unannounced: t.Unannounced, Requests: t.Requests, Grants: t.Grants,
		Decisions: t.Decisions, Wakes: t.Wakes, PlanChanges: t.PlanChanges, QuotaRefusals: t.QuotaRefusals, Moves: t.Moves,
		Failures: t.Failures, Repairs: t.Repairs, Retired: t.Retired, DownH: t.Down.Hours(), DownMax: t.DownMax, SpareH: t.Spares.Hours(),
		InstanceH: all.Hours(), UsefulH: held[sim.Useful], RedundantH: held[sim.Redundant],
		CheckpointingH: held[sim.Checkpointing], RestoringH: held[sim.Restoring], ReconfiguringH: held[sim.Reconfiguring],
		LostH: held[sim.Redone], WaitingH: held[sim.Waiting], StartingH: held[sim.Starting],
		HorizonS: min(c.Horizon, c.Market.End().Sub(c.Start)).Seconds()}
}

// addNotebooks fills what a row says of cells of notebooks.
func addNotebooks(r *results.Summary, x notebooks.Result) {
	if x.HostGPUs == 0 {
		return
	}
	gpuH := float64(x.HostGPUs) * r.InstanceH
	saved := x.Reserved - gpuH
	r.Cells, r.CellsLost, r.CellsMoved, r.PeakHosts = int64(x.Cells), int64(x.Lost), int64(x.Migrated), int64(x.PeakHosts)
	r.ProvisionedGPU, r.ReservedGPU, r.ActiveGPU, r.SavedGPU, r.LostGPU = &gpuH, &x.Reserved, &x.Active, &saved, &x.LostGPUH
	if x.Cells == 0 {
		return
	}
	r.DelayMeanS, r.DelayP50S, r.DelayP95S = new(x.MeanDelay()), new(x.Delay(0.5)), new(x.Delay(0.95))
	r.DelayP99S, r.DelayMaxS = new(x.Delay(0.99)), new(x.Delay(1))
}

// knowsMore reports whether a policy knows what no real one does: the future, or exactly how long jobs run.
func (s *Study) knowsMore(p sim.Policy) bool {
	t := sim.TraitsOf(p)
	return t.KnowsFuture || t.KnowsWork && !s.work.believed()
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

// warningsOf returns why the numbers of a run may mislead.
func (s *Study) warningsOf(r *results.Summary, t *sim.Totals, c *sim.Config, policy int) string {
	outcome, texts := s.work.warnEnd(r, t)
	texts = append(texts, s.warnings[policy][outcome])
	texts = slices.AppendSeq(texts, s.Markets.WarningsDuring(c.Start, t.End))
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}
