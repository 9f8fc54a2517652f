package simtest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
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

// trial is a policy on one market. All checks of it share one recorded run.
type trial struct {
	policy NewPolicy
	seed   uint64
	kind   kinds
	jobs   []sim.Job
	market *sim.Market

	allowed float64 // allocations at a decision; 0: a tenth

	recorded census
	totals   sim.Totals  // of the recorded run
	bare     *sim.Totals // of the same without a recorder, once it was made
}

func newTrial(policy NewPolicy, seed uint64, jobs []sim.Job) *trial {
	return newTrialOn(policy, fewJobs, seed, jobs, Market(seed, suiteSpan, sim.Never))
}

func newTrialOn(policy NewPolicy, kind kinds, seed uint64, jobs []sim.Job, market *sim.Market) *trial {
	x := &trial{policy: policy, kind: kind, seed: seed, jobs: jobs, market: market}
	x.recorded.held = map[[2]int]*lifetime{}
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
		x.bare = new(x.run(x.policy, nil))
	}
	return x.bare
}

// run runs a new policy on the trial's market.
func (x *trial) run(policy NewPolicy, recorder sim.Recorder) sim.Totals {
	return clone(world(x.config(policy(x.market), x.seed, recorder)).Run())
}

func (x *trial) config(policy sim.Policy, seed uint64, recorder sim.Recorder) sim.Config {
	return sim.Config{
		Market: x.market, Jobs: x.jobs, Policy: policy, Seed: seed, Billing: billing(x.seed), Recorder: recorder,
	}
}

// billing has all parts of a bill; every third market bills whole hours, and refunds the first.
func billing(seed uint64) sim.Billing {
	rules := sim.PerSecond()
	if seed%3 == 2 {
		rules = sim.Billing{Increment: time.Hour, FreeFirstHour: true}
	}
	rules.DiskUSDPerHour = 0.02
	rules.Tax = 0.19
	return rules
}

func world(config sim.Config) *sim.World {
	run, err := sim.New(config)
	if err != nil {
		panic(err)
	}
	return run
}

// clone returns a deep copy of a world's totals.
func clone(totals *sim.Totals) sim.Totals {
	copied := *totals
	copied.Jobs = append([]sim.JobTotals(nil), totals.Jobs...)
	copied.Pools = append([]sim.PoolTotals(nil), totals.Pools...)
	return copied
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
	clusters  = gangs | spotGangs
	all       = fewJobs | clusters
)
