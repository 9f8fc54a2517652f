package simtest

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
)

// NewPolicy makes a policy that was never asked; an oracle takes what it knows
// of the future from the market.
type NewPolicy func(m *sim.Market) sim.Policy

const (
	suiteSeeds = 12
	suiteSpan  = 6 * time.Hour
)

// Suite is what every policy has to pass: the same run twice is the same, no
// decision depends on the future, asking it for nothing changes nothing, forks
// leave their parent alone, quotas are kept, nothing is allocated, and totals are
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
			trials = append(trials, newTrial(policy, seed, jobs(n)))
		}
	}
	_, oracle := policy(trials[0].market).(sim.Oracle)
	for name, check := range map[string]func(*trial) error{
		"determinism":     (*trial).determinism,
		"causality":       (*trial).causality,
		"pointless wakes": (*trial).pointlessWakes,
		"forks":           (*trial).forks,
		"quotas":          (*trial).quotas,
		"allocations":     (*trial).allocations,
		"totals":          (*trial).sums,
		"notices":         (*trial).notices,
		"instances":       (*trial).instances,
	} {
		if oracle && name == "causality" {
			continue // it is not causal
		}
		t.Run(name, func(t *testing.T) {
			for _, x := range trials {
				if err := check(x); err != nil {
					t.Fatalf("seed %d, %d jobs: %v", x.seed, len(x.jobs), err)
				}
			}
		})
	}
}

// trial is a policy on one market. All checks of it share one recorded run.
type trial struct {
	policy NewPolicy
	seed   uint64
	jobs   []sim.Job
	market *sim.Market

	recorded census
	totals   sim.Totals  // of the recorded run
	bare     *sim.Totals // of the same without a recorder, once it was made
}

func newTrial(policy NewPolicy, seed uint64, jobs []sim.Job) *trial {
	x := &trial{policy: policy, seed: seed, jobs: jobs, market: Market(seed, suiteSpan, sim.Never), recorded: census{held: map[[2]int]*lifetime{}}}
	x.totals = x.run(policy, &x.recorded)
	return x
}

// unrecorded returns the totals of a run that nobody records.
func (x *trial) unrecorded() *sim.Totals {
	if x.bare == nil {
		t := x.run(x.policy, nil)
		x.bare = &t
	}
	return x.bare
}

// run runs a new policy on the trial's market.
func (x *trial) run(policy NewPolicy, r sim.Recorder) sim.Totals {
	return clone(world(x.config(policy(x.market), x.seed, r)).Run())
}

func (x *trial) config(p sim.Policy, seed uint64, r sim.Recorder) sim.Config {
	return sim.Config{Market: x.market, Jobs: x.jobs, Policy: p, Seed: seed, Billing: sim.PerSecond(), Recorder: r}
}

func world(c sim.Config) *sim.World {
	w, err := sim.New(c)
	if err != nil {
		panic(err)
	}
	return w
}

// clone returns a deep copy of a world's totals.
func clone(t *sim.Totals) sim.Totals {
	c := *t
	c.Jobs, c.Pools = append([]sim.JobTotals(nil), t.Jobs...), append([]sim.PoolTotals(nil), t.Pools...)
	return c
}

func same(what string, a, b any) error {
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("%s:\n%+v\n%+v", what, a, b)
	}
	return nil
}
