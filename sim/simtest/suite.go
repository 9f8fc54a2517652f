package simtest

import (
	"testing"

	"github.com/marigram/marigram/sim"
)

// Suite is what every policy has to pass: the same run twice is the same, no
// decision depends on the future, asking it for nothing changes nothing, forks
// leave their parent alone, what it imagines does not depend on the future, quotas are kept, nothing is allocated, and totals are
// the sum of what was recorded.
func Suite(t *testing.T, policy NewPolicy) { SuiteOn(t, Jobs, policy) }

// SuiteOn is Suite on other jobs than Jobs; it asks for one and for two.
func SuiteOn(t *testing.T, jobs func(n int) []sim.Job, policy NewPolicy) {
	seeds := uint64(suiteSeeds)
	if testing.Short() {
		seeds = 3 // the race detector takes ten times as long
	}
	var trials []*trial
	for seed := uint64(1); seed <= seeds; seed++ {
		for n := 1; n <= 2; n++ {
			if err := tried(func() error {
				trials = append(trials, newTrial(policy, seed, jobs(n)))
				return nil
			}); err != nil {
				t.Fatalf("seed %d, %d jobs: %v", seed, n, err)
			}
		}
	}
	_, oracle := policy(trials[0].market).(sim.Oracle)
	for name, check := range map[string]func(*trial) error{
		"determinism":     (*trial).determinism,
		"causality":       (*trial).causality,
		"pointless wakes": (*trial).pointlessWakes,
		"forks":           (*trial).forks,
		"imagination":     (*trial).imagination,
		"quotas":          (*trial).quotas,
		"allocations":     (*trial).allocations,
		"totals":          (*trial).sums,
		"notices":         (*trial).notices,
		"instances":       (*trial).instances,
	} {
		if oracle && (name == "causality" || name == "imagination") {
			continue // it is not causal
		}
		t.Run(name, func(t *testing.T) {
			for _, x := range trials {
				if err := tried(func() error { return check(x) }); err != nil {
					t.Fatalf("seed %d, %d jobs: %v", x.seed, len(x.jobs), err)
				}
			}
		})
	}
}
