package simtest

import (
	"testing"

	"github.com/marigram/marigram/sim"
)

// Option says on what Suite asks a policy; without one, it is asked for one and for two of Jobs on markets of 12 seeds.
type Option func(*suiteOptions)

type suiteOptions struct {
	seeds, gangs int
	jobs         func(n int) []sim.Job
	allocations  float64
}

// On has the policy asked on other jobs than Jobs: for one and for two.
func On(jobs func(n int) []sim.Job) Option { return func(o *suiteOptions) { o.jobs = jobs } }

// Seeds has it asked on markets of n seeds, at least 1; of 3 at most under -short.
func Seeds(n int) Option { return func(o *suiteOptions) { o.seeds = n } }

// Clusters has it asked on the jobs of a cluster: gangs of 1, 2, 4 and so on up to n GPUs, with 4 in a server, so that
// above 4 some are wider than any server.
func Clusters(gang int) Option { return func(o *suiteOptions) { o.gangs = gang } }

// Allocations lets a policy allocate n times a decision on average once it is warm: one that solves programs, or asks a
// library. Without it, n is 0; for a scheduler that plans by parts 0.1, since a queue may grow.
func Allocations(n float64) Option { return func(o *suiteOptions) { o.allocations = n } }

// Suite is what every policy has to pass: the same run twice is the same, no decision depends on the future, asking it
// for nothing changes nothing, forks leave their parent alone, what it imagines does not depend on the future, quotas
// are kept, nothing is allocated, totals are the sum of what was recorded, and a run that is cut has done no more than
// it goes on with.
//
// On Clusters, gangs are whole, no server is given twice, nothing depends on how long jobs run unless the policy says
// so (sim.Traits.KnowsWork, KnowsFuture), under a bounded load every job ends, and what is imagined of what will come
// is the run.
func Suite(t *testing.T, policy NewPolicy, with ...Option) {
	o := suiteOptions{seeds: suiteSeeds, jobs: Jobs}
	for _, option := range with {
		option(&o)
	}
	if testing.Short() {
		o.seeds = min(o.seeds, 3) // the race detector takes ten times as long
	}
	trials, err := o.trials(policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range trials {
		x.allowed = o.allocations
	}
	for _, c := range checks {
		if c.fits(trials[0]) {
			t.Run(c.name, func(t *testing.T) {
				if err := c.all(trials); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// trials runs the policy on what the options say.
func (o *suiteOptions) trials(policy NewPolicy) ([]*trial, error) {
	if o.gangs == 0 {
		return newTrials(policy, o.jobs, uint64(o.seeds))
	}
	return newGangTrials(policy, o.gangs)
}
