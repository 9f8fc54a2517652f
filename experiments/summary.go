package experiments

import (
	"slices"

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
	r.CostLateUSD = r.LateUSD()
	r.CostUSD += r.CostLateUSD
	r.Met = r.Meets()
	r.Assumes = s.assumes[policy]
	r.Warnings = s.warningsOf(&r, t, c, policy)
	return r
}

// totalsOf fills what a row says of all jobs of a run together.
func (s *Study) totalsOf(t *sim.Totals, c *sim.Config, of *jobTally) results.Summary {
	r := results.Summary{
		Run:       of.label.run,
		Scenario:  of.label.scenario,
		Objective: of.label.objective,
		Policy:    of.label.policy,
		Seed:      of.label.seed,
		StartS:    c.Start.Sub(0).Seconds(),
		Market:    s.Markets.Name,
		Replay:    s.Markets.Replay,
		Unit:      s.Markets.Unit,
		Oracle:    s.knowsMore(c.Policy),
		HorizonS:  min(c.Horizon, c.Market.End().Sub(c.Start)).Seconds(),

		Preemptions:   t.Preemptions,
		Notices:       t.Notices,
		Unannounced:   t.Unannounced,
		Requests:      t.Requests,
		Grants:        t.Grants,
		Decisions:     t.Decisions,
		Wakes:         t.Wakes,
		PlanChanges:   t.PlanChanges,
		QuotaRefusals: t.QuotaRefusals,
		Moves:         t.Moves,

		Failures: t.Failures,
		Repairs:  t.Repairs,
		Retired:  t.Retired,
		DownH:    t.Down.Hours(),
		DownMax:  t.DownMax,
		SpareH:   t.Spares.Hours(),
		Replaced: t.Replaced,
	}
	fillBill(&r, t)
	fillHours(&r, &of.activities)
	return r
}

// fillBill fills what a row says of dollars.
func fillBill(r *results.Summary, t *sim.Totals) {
	bill := &t.Bill
	r.CostUSD = bill.Total()
	r.CostSpotUSD = bill.Spot
	r.CostOnDemandUSD = bill.OnDemand
	r.CostPSUSD = bill.ParameterServers
	r.CostStorageUSD = bill.Storage
	r.CostTransferUSD = bill.Transfers
	r.CostDisksUSD = bill.Disks
	r.CostCheckpointsUSD = bill.Checkpoints
	r.CostCommitmentsUSD = bill.Commitments
	r.CostTaxUSD = bill.Tax
	r.CostTopupUSD = bill.TopUp
	r.RefundUSD = bill.Refund
	r.CostUnallocatedUSD = t.Unallocated.Total()
}

// fillHours fills what a row says of what instances did while they were held.
func fillHours(r *results.Summary, activities *[sim.Activities]sim.MachineTime) {
	held := sim.MachineTime(0)
	for _, span := range activities {
		held += span
	}
	r.InstanceH = held.Hours()
	r.UsefulH = activities[sim.Useful].Hours()
	r.RedundantH = activities[sim.Redundant].Hours()
	r.CheckpointingH = activities[sim.Checkpointing].Hours()
	r.RestoringH = activities[sim.Restoring].Hours()
	r.ReconfiguringH = activities[sim.Reconfiguring].Hours()
	r.LostH = activities[sim.Redone].Hours()
	r.WaitingH = activities[sim.Waiting].Hours()
	r.StartingH = activities[sim.Starting].Hours()
	r.SlowedH = activities[sim.Slowed].Hours()
}

// addNotebooks fills what a row says of cells of notebooks.
func addNotebooks(r *results.Summary, x notebooks.Result) {
	if x.HostGPUs == 0 {
		return
	}
	r.Cells = int64(x.Cells)
	r.CellsLost = int64(x.Lost)
	r.CellsMoved = int64(x.Migrated)
	r.PeakHosts = int64(x.PeakHosts)
	provisioned := float64(x.HostGPUs) * r.InstanceH
	r.ProvisionedGPU = &provisioned
	r.ReservedGPU = &x.Reserved
	r.ActiveGPU = &x.Active
	r.SavedGPU = new(x.Reserved - provisioned)
	r.LostGPU = &x.LostGPUH
	if x.Cells == 0 {
		return
	}
	r.DelayMeanS = new(x.MeanDelay())
	r.DelayP50S = new(x.Delay(0.5))
	r.DelayP95S = new(x.Delay(0.95))
	r.DelayP99S = new(x.Delay(0.99))
	r.DelayMaxS = new(x.Delay(1))
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
	return joinWarnings(texts...)
}
