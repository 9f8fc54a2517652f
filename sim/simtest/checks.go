package simtest

import (
	"fmt"

	"github.com/marigram/marigram/sim"
)

// check is one of the checks of Suite.
type check struct {
	name   string
	do     func(*trial) error
	on     kinds
	causal bool // not asked of an oracle
}

var checks = []check{
	{"determinism", (*trial).determinism, all, false},
	{"causality", (*trial).causality, fewJobs, true},
	{"pointless wakes", (*trial).pointlessWakes, all, false},
	{"forks", (*trial).forks, fewJobs, false},
	{"forks", (*trial).clusterForks, clusters, false},
	{"imagination", (*trial).imagination, fewJobs, true},
	{"imagination", (*trial).clusterImagination, clusters, false},
	{"imagined truth", (*trial).clusterTruth, clusters, false},
	{"quotas", (*trial).quotas, fewJobs | gangs | spotGangs, false},
	{allocations, (*trial).allocations, fewJobs, false},
	// There is no steady state where the cloud takes what it wants.
	{allocations, (*trial).steadyAllocations, gangs, false},
	{"totals", (*trial).sums, fewJobs | gangs | spotGangs, false},
	{"notices", (*trial).notices, all, false},
	{"instances", (*trial).instances, fewJobs | gangs | spotGangs, false},
	{"cuts", (*trial).cuts, fewJobs, false},
	{"gangs", (*trial).gangs, clusters, false},
	{"durations", (*trial).durations, clusters, false},
	{"starvation", (*trial).starvation, gangs, false}, // nor a bound
	{"sources", (*trial).sources, clusters, false},
	{"takeovers", (*trial).takeovers, clusters, false},
}

const allocations = "allocations"

// fits reports whether the check is one for a trial's policy.
func (c *check) fits(x *trial) bool {
	return c.on&x.kind != 0 && !(c.causal && sim.TraitsOf(x.policy(x.market)).KnowsFuture)
}

// all checks all trials, until one fails.
func (c *check) all(trials []*trial) error {
	for _, x := range trials {
		if c.on&x.kind == 0 {
			continue
		}
		if err := tried(func() error { return c.do(x) }); err != nil {
			return fmt.Errorf("seed %d, %d jobs, %d pools: %w", x.seed, len(x.jobs), x.market.Pools(), err)
		}
	}
	return nil
}

// newTrials runs a policy on markets of some seeds from 1, with one job and with two.
func newTrials(policy NewPolicy, jobs func(n int) []sim.Job, seeds uint64) (trials []*trial, err error) {
	for seed := uint64(1); seed <= seeds; seed++ {
		for n := 1; n <= 2; n++ {
			if err := tried(func() error {
				trials = append(trials, newTrial(policy, seed, jobs(n)))
				return nil
			}); err != nil {
				return nil, fmt.Errorf("seed %d, %d jobs: %w", seed, n, err)
			}
		}
	}
	return trials, nil
}

// Finding is what a check came to.
type Finding struct {
	Check string
	Err   error // nil: the policy passes
}

// Check asks what Suite asks, without a test and on seeds from 1: for a policy that is a program of its
// own. Allocations are not counted, since they are not in this process. It is an error where a
// run cannot even be made.
func Check(policy NewPolicy, seeds uint64) ([]Finding, error) {
	trials, err := newTrials(policy, Jobs, seeds)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, c := range checks {
		if c.name != allocations && c.fits(trials[0]) {
			out = append(out, Finding{c.name, c.all(trials)})
		}
	}
	return out, nil
}
