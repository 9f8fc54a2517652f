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
	register("gavel-ftf", "makes the largest finish-time fairness the smallest, as in Themis",
		schedulers.Rounds{Rule: func() share.Rule { return &FinishTime{} }})
	register("gavel-makespan", "the shortest time until all jobs are done",
		schedulers.Rounds{Rule: func() share.Rule { return &MinDuration{} }})
	register("gavel-throughput", "the largest sum of the jobs' speeds",
		schedulers.Rounds{Rule: func() share.Rule { return &MaxSum{} }})
	register("gavel-cost", "the largest sum of the jobs' speeds by the price of their GPUs",
		schedulers.Rounds{Rule: func() share.Rule { return &MaxSum{PerDollar: true} }, OnlyShares: true, Markets: true})
	register("gavel-cost-slo", "as gavel-cost, at speeds that meet all deadlines that can still be met",
		schedulers.Rounds{Rule: func() share.Rule {
			return &MaxSum{PerDollar: true, Deadlines: true, Possible: true}
		}, OnlyShares: true, Markets: true})
	register("gavel-fifo", "first come first served, each job on the model of GPU on which it is fastest",
		schedulers.Rounds{Rule: func() share.Rule { return &FastestFIFO{} }, OnlyShares: true})
	register("isolated", "every job has an equal part of the cluster for itself",
		schedulers.Rounds{Rule: func() share.Rule { return Isolated{} }})
	register("allox", "jobs of one GPU, matched with GPUs for a short mean completion time; a job keeps its GPU",
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
