package simtest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// determinism runs the policy again, with a recorder and without.
func (x *trial) determinism() error {
	var again diary
	if err := same("two runs differ", x.totals, x.run(x.policy, &again)); err != nil {
		return err
	}
	if err := same("two runs decide differently", x.recorded.decisions, again.decisions); err != nil {
		return err
	}
	p := x.policy(x.market)
	run := world(x.config(p, x.seed+1, nil)) // a world and a policy that were used before
	run.Run()
	if err := run.Reset(x.config(p, x.seed, nil)); err != nil {
		return err
	}
	bare := clone(run.Run())
	bare.Events = x.totals.Events // a recorder receives prices too
	return same("recording, or a used world or policy, changes the run", x.totals, bare)
}

// Causality changes the future of a market and compares the decisions before
// the change. Traces record removals, and a notice is as early as it is
// long: decisions are compared until the longest notice before the change.
func Causality(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	return tried(func() error { return newTrial(policy, seed, jobs).causality() })
}

func (x *trial) causality() error {
	for hour := time.Duration(1); hour < 4; hour++ {
		cut := sim.Time(0).Add(hour * time.Hour)
		until := cut.Add(-2 * time.Minute)
		other := *x
		other.market = Market(x.seed, suiteSpan, cut)
		var decided diary
		world(other.config(x.policy(other.market), x.seed, &decided)).RunUntil(until)
		what := fmt.Sprintf("the future after %v changes decisions before", cut.Sub(0))
		if err := same(what, x.recorded.before(until), decided.before(until)); err != nil {
			return err
		}
	}
	return nil
}

// idleWaker asks to be woken for nothing, and does nothing then.
type idleWaker struct {
	sim.Policy
	due sim.Time
}

func (r *idleWaker) Decide(v sim.View, plan *sim.Plan) {
	if v.Trigger() != sim.TriggerWake || v.Now() >= r.due {
		r.Policy.Decide(v, plan)
		r.due = plan.Wake()
	} else {
		plan.KeepWaiting()
		if r.due != sim.Never {
			plan.WakeIn(r.due.Sub(v.Now()))
		}
	}
	plan.WakeIn(7 * time.Second)
}

// Traits are those of the policy within, which may have changes cost nothing.
func (r *idleWaker) Traits() sim.Traits {
	traits := sim.TraitsOf(r.Policy)
	traits.KnowsFuture = true
	return traits
}

// NewState implements sim.Stateful: the policy within may be one.
func (r *idleWaker) NewState(from, used any) any {
	if s, ok := r.Policy.(sim.Stateful); ok {
		return s.NewState(from, used)
	}
	return nil
}

// Unwrap returns the policy within.
func (r *idleWaker) Unwrap() sim.Policy { return r.Policy }

func (x *trial) pointlessWakes() error {
	idle := *x.unrecorded()
	woken := x.run(func(market *sim.Market) sim.Policy { return &idleWaker{Policy: x.policy(market)} }, nil)
	if woken.Wakes <= idle.Wakes {
		return fmt.Errorf("it was not woken more often: %d, %d", idle.Wakes, woken.Wakes)
	}
	woken.Wakes = idle.Wakes
	woken.Decisions = idle.Decisions
	woken.Events = idle.Events
	return same("waking for nothing changes numbers", idle, woken)
}

// UnusedPools runs the policy on the market of the suite, and on it with two pools more,
// before the others and among them, of which nobody can hold an instance. It compares
// the totals: nothing may depend on how pools are numbered. Events, of which prices are
// some, and the pools themselves are not compared. The jobs' models take any number of pools.
func UnusedPools(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	x := newTrial(policy, seed, jobs)
	more := *x
	more.market = merged(suiteSpan, withUnused(traces(seed, suiteSpan, sim.Never)))
	totals := more.run(policy, nil)
	totals.Pools = slices.Delete(totals.Pools, 4, 5)[1:]
	totals.Events = x.unrecorded().Events
	return same("pools that nobody can use change numbers", *x.unrecorded(), totals)
}

// DoubledPrices runs a policy again where everything costs twice as much, and compares all but the bill: a policy knows
// no amount of money of its own, and breaks ties by no rounding. dear is the policy of the second run, whose settings
// in dollars, if it has any, are doubled. Twice a floating-point number is exact, so that every difference is a
// decision.
func DoubledPrices(policy, dear NewPolicy, seed uint64, jobs []sim.Job) error {
	x := newTrial(policy, seed, jobs)
	doubled := *x
	pools := traces(seed, suiteSpan, sim.Never)
	for p := range pools {
		pools[p].OnDemandPrice *= 2
		pools[p].Prices = slices.Clone(pools[p].Prices)
		for i := range pools[p].Prices {
			pools[p].Prices[i].USD *= 2
		}
	}
	doubled.market = merged(suiteSpan, pools)
	doubled.jobs = slices.Clone(jobs)
	for j := range doubled.jobs {
		job := &doubled.jobs[j]
		job.ParameterServerPrice *= 2
		job.StoragePrice *= 2
	}
	config := doubled.config(dear(doubled.market), seed, nil)
	config.Billing.DiskUSDPerHour *= 2
	cheap := clone(x.unrecorded())
	twice := clone(world(config).Run())
	for _, totals := range []*sim.Totals{&cheap, &twice} {
		totals.Bill = sim.Bill{}
		totals.Unallocated = sim.Bill{}
		for j := range totals.Jobs {
			totals.Jobs[j].Bill = sim.Bill{}
		}
		for p := range totals.Pools {
			totals.Pools[p].Bill = sim.Bill{}
			totals.Pools[p].CoveredUSD = 0
		}
	}
	return same("twice the prices change more than the bill", cheap, twice)
}

// Forks runs forks of a world and compares them and their parent with one that
// was never forked.
func Forks(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	return tried(func() error { return newTrial(policy, seed, jobs).forks() })
}

func (x *trial) forks() error { return x.forksAt(10*time.Minute, 50*time.Minute, math.MaxInt64) }

// forksAt runs forks from an instant on, one each step, and before an end.
func (x *trial) forksAt(from, step, end time.Duration) error {
	alone := *x.unrecorded()
	var fork sim.World
	parent := world(x.config(x.policy(x.market), x.seed, nil))
	for at := from; at < end && parent.RunUntil(sim.Time(0).Add(at)); at += step {
		parent.Fork(&fork, x.policy(x.market))
		if err := same("a fork goes its own way", alone, clone(fork.Run())); err != nil {
			return err
		}
	}
	return same("a fork changes its parent", alone, clone(parent.Run()))
}
