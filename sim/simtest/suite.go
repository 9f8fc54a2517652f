package simtest

import (
	"testing"

	"github.com/marigram/marigram/sim"
)

// Suite is what every policy has to pass: the same run twice is the same, no
// decision depends on the future, asking it for nothing changes nothing, forks
// leave their parent alone, what it imagines does not depend on the future, quotas are kept, nothing is allocated, totals are
// the sum of what was recorded, and a run that is cut has done no more than it goes on with.
func Suite(t *testing.T, policy NewPolicy) { SuiteOn(t, Jobs, policy) }

// SuiteOn is Suite on other jobs than Jobs; it asks for one and for two.
func SuiteOn(t *testing.T, jobs func(n int) []sim.Job, policy NewPolicy) {
	SuiteOver(t, suiteSeeds, jobs, policy)
}

// SuiteOver is SuiteOn on markets of so many seeds, at least 1, where SuiteOn takes 12; of 3 at most under -short.
func SuiteOver(t *testing.T, seeds int, jobs func(n int) []sim.Job, policy NewPolicy) {
	if testing.Short() {
		seeds = min(seeds, 3) // the race detector takes ten times as long
	}
	trials, err := newTrials(policy, jobs, uint64(seeds))
	if err != nil {
		t.Fatal(err)
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
