package policies_test

import (
	"flag"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	_ "github.com/marigram/marigram/papers/extensions"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// With -args -suites 12 every policy passes the suite on as many markets as a policy of a user does (make -C tools
// suites).
var suites = flag.Int("suites", 1, "seeds of the markets on which each policy passes the suite, on each kind of job")

func TestSuite(t *testing.T) {
	for _, info := range policies.List() {
		if info.Needs == policies.MigratingPipelines || info.Needs >= policies.Gangs || foretold(&info) {
			continue // see TestSuiteInPipelines, and the tests of package cluster
		}
		t.Run(info.Name, func(t *testing.T) {
			simtest.Suite(t, func(*sim.Market) sim.Policy { return quick(info) }, simtest.Seeds(*suites))
		})
	}
}

// foretold reports whether a policy has to be told each run (TestClairvoyantForks).
func foretold(info *policies.Info) bool {
	_, is := info.Defaults().(policies.RunOracle)
	return is
}

// A pool that nobody can use changes no number, of any policy on any model.
func TestUnusedPools(t *testing.T) {
	for seed := range uint64(testutil.Size(3, 8)) {
		check := func(name string, jobs func(int) []sim.Job, fresh func() sim.Policy) {
			policy := func(m *sim.Market) sim.Policy { return withMarket(fresh(), m) }
			if err := simtest.UnusedPools(policy, seed, jobs(1+int(seed%3))); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
			}
		}
		for _, info := range policies.List() {
			if info.Needs != policies.MigratingPipelines && info.Needs < policies.Gangs && !foretold(&info) {
				check(info.Name, simtest.Jobs, func() sim.Policy { return quick(info) })
			}
		}
		forPipelines(func(name string, needs policies.Needs, fresh func() sim.Policy) {
			check(name+" in pipelines", inPipelines(needs), fresh)
		})
	}
}

// clairvoyant holds instances only where it knows that there will be capacity
// in an hour.
type clairvoyant struct{ m *sim.Market }

func (clairvoyant) Name() string { return "clairvoyant" }

func (c clairvoyant) Decide(v sim.View, plan *sim.Plan) {
	for p := range v.Pools() {
		n, _ := c.m.Capacity(p, v.Now().After(3600))
		plan.Jobs[0].Hold[p] = min(n, v.Pool(p).Quota)
	}
	plan.WakeIn(600e9)
}

func TestSuiteCatchesACheat(t *testing.T) {
	err := simtest.Causality(func(m *sim.Market) sim.Policy { return clairvoyant{m} }, 1, simtest.Jobs(1))
	if err == nil || !strings.Contains(err.Error(), "the future") {
		t.Errorf("a policy that looks an hour ahead was not caught: %v", err)
	}
}

// uncompared is a model of a type whose values cannot be compared.
type uncompared struct {
	simtest.Linear
	_ []int
}

// What policies remember of a model, they remember only of one that they know again: any model will do.
func TestModelsThatCannotBeCompared(t *testing.T) {
	m := simtest.Market(1, 6*time.Hour, sim.Never)
	for _, info := range policies.List() {
		if info.Needs == policies.MigratingPipelines || info.Needs >= policies.Gangs || foretold(&info) {
			continue
		}
		totals := func(model sim.Model) sim.Totals {
			jobs := simtest.Jobs(1)
			jobs[0].Model = model
			some, _ := totalsOf(t, sim.Config{Market: m, Jobs: jobs, Seed: 1}, withMarket(quick(info), m))
			return some
		}
		linear := simtest.Jobs(1)[0].Model.(simtest.Linear)
		if got, want := totals(uncompared{Linear: linear}), totals(linear); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: other numbers\n%+v\n%+v", info.Name, got, want)
		}
	}
}
