// Package rules has the rules of sharing with which Gavel (OSDI 2020) compares its own (share.MaxMin), by its public
// code (stanford-futuredata/gavel at bc66833), and registers a policy for each: gavel-ftf, gavel-makespan and their
// kin.
package rules

import (
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

func init() {
	register("gavel-ftf", "the largest finish-time fairness as small as it can be, as Themis has it",
		schedulers.Rounds{Rule: func() share.Rule { return &FinishTime{} }})
	register("gavel-makespan", "the time until all jobs are done as short as it can be",
		schedulers.Rounds{Rule: func() share.Rule { return &MinDuration{} }})
	register("gavel-throughput", "the sum of the jobs' speeds as large as it can be",
		schedulers.Rounds{Rule: func() share.Rule { return &MaxSum{} }})
	register("gavel-cost", "the sum of the jobs' speeds by the price of their GPUs as large as it can be",
		schedulers.Rounds{Rule: func() share.Rule { return &MaxSum{PerDollar: true} }, OnlyShares: true, Markets: true})
	register("gavel-cost-slo", "as gavel-cost, at speeds that meet the deadlines of the jobs that can still meet them",
		schedulers.Rounds{Rule: func() share.Rule {
			return &MaxSum{PerDollar: true, Deadlines: true, Possible: true}
		}, OnlyShares: true, Markets: true})
	register("gavel-fifo", "first come first served, each job on the model of GPU on which it is fastest",
		schedulers.Rounds{Rule: func() share.Rule { return &FastestFIFO{} }, OnlyShares: true})
	register("isolated", "every job has the same part of the cluster for itself",
		schedulers.Rounds{Rule: func() share.Rule { return Isolated{} }})
	register("allox", "jobs of one GPU, matched with GPUs so that their mean completion time is short; a job keeps its GPU",
		schedulers.Rounds{Rule: func() share.Rule { return &AlloX{} }, OnlyShares: true, SingleGPU: true})
}

// register registers rounds under a name, with the lengths that Gavel has.
func register(name, doc string, rounds schedulers.Rounds) {
	policies.Register(policies.Info{
		Name:   name,
		Doc:    doc,
		Source: "Gavel (OSDI 2020)",
		Needs:  policies.Gangs,
		Defaults: func() sim.Policy {
			policy := rounds
			policy.As = name
			policy.Round = 6 * time.Minute
			policy.Every = 32 * time.Minute
			return &policy
		},
	})
}
