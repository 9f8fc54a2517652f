package simtest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

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

// Clusters has it asked on the jobs of a cluster: gangs of 1, 2, 4 and so on up to n GPUs, with 4 in a server, so that above 4 some are
// wider than any server. A policy that plans by tasks (sim.ByTasks) has jobs of tasks, and instances that they share.
func Clusters(gang int) Option { return func(o *suiteOptions) { o.gangs = gang } }

// Allocations lets a policy allocate n times a decision on average once it is warm: one that solves programs, or asks a library. Without
// it, n is 0; for a scheduler that plans by parts or tasks 0.1, since a queue may grow.
func Allocations(n float64) Option { return func(o *suiteOptions) { o.allocations = n } }

// Suite is what every policy has to pass: the same run twice is the same, no
// decision depends on the future, asking it for nothing changes nothing, forks
// leave their parent alone, what it imagines does not depend on the future, quotas are kept, nothing is allocated, totals are
// the sum of what was recorded, and a run that is cut has done no more than it goes on with.
//
// On Clusters, gangs are whole, no server is given twice, nothing depends on how long jobs run unless the policy says so
// (sim.Traits.KnowsWork, KnowsFuture), under a bounded load every job ends, and what is imagined of what will come is the run. Where
// instances are shared, nothing is fuller than it can be, and what hosts cost goes to jobs and to nobody, and to the run once.
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
	switch {
	case o.gangs == 0:
		return newTrials(policy, o.jobs, uint64(o.seeds))
	case sim.TraitsOf(policy(merged(time.Hour, Types()))).Plans == sim.ByTasks:
		return newPackedTrials(policy)
	}
	return newGangTrials(policy, o.gangs)
}

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
	{"fitting", (*trial).fitting, tasks, false},
	{allocations, (*trial).allocations, fewJobs, false},
	{allocations, (*trial).steadyAllocations, gangs, false}, // there is no steady state where the cloud takes what it wants
	{"totals", (*trial).sums, fewJobs | gangs | spotGangs, false},
	{"money", (*trial).money, tasks, false},
	{"notices", (*trial).notices, all, false},
	{"instances", (*trial).instances, fewJobs | gangs | spotGangs, false},
	{"cuts", (*trial).cuts, fewJobs, false},
	{"gangs", (*trial).gangs, clusters, false},
	{"durations", (*trial).durations, clusters, false},
	{"starvation", (*trial).starvation, gangs | tasks, false}, // nor a bound
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

// NewPolicy makes a policy that was never asked; an oracle takes what it knows
// of the future from the market.
type NewPolicy func(m *sim.Market) sim.Policy

const (
	suiteSeeds = 12
	suiteSpan  = 6 * time.Hour
)

// trial is a policy on one market. All checks of it share one recorded run.
type trial struct {
	policy  NewPolicy
	seed    uint64
	kind    kinds
	jobs    []sim.Job
	market  *sim.Market
	sharing sim.Sharing // where the policy plans by tasks

	allowed float64 // allocations at a decision; 0: a tenth

	recorded census
	totals   sim.Totals  // of the recorded run
	bare     *sim.Totals // of the same without a recorder, once it was made
}

func newTrial(policy NewPolicy, seed uint64, jobs []sim.Job) *trial {
	return newTrialOn(policy, fewJobs, seed, jobs, Market(seed, suiteSpan, sim.Never))
}

func newTrialOn(policy NewPolicy, kind kinds, seed uint64, jobs []sim.Job, m *sim.Market) *trial {
	x := &trial{policy: policy, kind: kind, seed: seed, jobs: jobs, market: m, recorded: census{held: map[[2]int]*lifetime{}}}
	x.totals = x.run(policy, &x.recorded)
	return x
}

// tried does a part of the suite. What the world refuses, such as a policy that asks to be
// woken for ever, is an error; it names the policy and the instant.
func tried(part func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sim.Unsettled:
			err = r
		case string:
			if !strings.HasPrefix(r, "sim: ") {
				panic(r)
			}
			err = errors.New(r)
		default:
			panic(r)
		}
	}()
	return part()
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
	return sim.Config{Market: x.market, Jobs: x.jobs, Policy: p, Seed: seed, Billing: billing(x.seed), Recorder: r, Sharing: x.sharing}
}

// billing has all parts of a bill; every third market bills whole hours, and refunds the first.
func billing(seed uint64) sim.Billing {
	b := sim.PerSecond()
	if seed%3 == 2 {
		b = sim.Billing{Increment: time.Hour, FreeFirstHour: true}
	}
	b.DiskUSDPerHour, b.Tax = 0.02, 0.19
	return b
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

// kinds is a set of kinds of trials.
type kinds uint8

const (
	fewJobs   kinds = 1 << iota // one or two
	gangs                       // many, on a cluster
	spotGangs                   // the same, where the cloud takes some of it
	tasks                       // many, on instances that they share
	clusters  = gangs | spotGangs | tasks
	all       = fewJobs | clusters
)
