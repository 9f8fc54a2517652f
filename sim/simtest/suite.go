package simtest

import (
	"fmt"
	"math"
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
// leave their parent alone, quotas are kept, nothing is allocated, and the books
// balance.
func Suite(t *testing.T, policy NewPolicy) { SuiteOn(t, Jobs, policy) }

// SuiteOn is Suite on other jobs than Jobs; it asks for one and for two.
func SuiteOn(t *testing.T, jobs func(n int) []sim.Job, policy NewPolicy) {
	_, oracle := policy(Market(1, suiteSpan, sim.Never)).(sim.Oracle)
	for name, check := range map[string]func(NewPolicy, uint64, []sim.Job) error{
		"determinism":     determinism,
		"causality":       Causality,
		"pointless wakes": pointlessWakes,
		"forks":           Forks,
		"quotas":          quotas,
		"allocations":     allocations,
		"books":           books,
		"notices":         notices,
		"lives":           lives,
	} {
		if oracle && name == "causality" {
			continue // it is not causal
		}
		t.Run(name, func(t *testing.T) {
			seeds := uint64(suiteSeeds)
			if testing.Short() {
				seeds = 3 // the race detector takes ten times as long
			}
			for seed := uint64(1); seed <= seeds; seed++ {
				for n := 1; n <= 2; n++ {
					if err := check(policy, seed, jobs(n)); err != nil {
						t.Fatalf("seed %d, %d jobs: %v", seed, n, err)
					}
				}
			}
		})
	}
}

func config(m *sim.Market, p sim.Policy, seed uint64, jobs []sim.Job, r sim.Recorder) sim.Config {
	return sim.Config{Market: m, Jobs: jobs, Policy: p, Seed: seed, Billing: sim.PerSecond(), Recorder: r}
}

func world(c sim.Config) *sim.World {
	w, err := sim.New(c)
	if err != nil {
		panic(err)
	}
	return w
}

// clone returns a deep copy of a world's books.
func clone(t *sim.Totals) sim.Totals {
	c := *t
	c.Jobs, c.Pools = append([]sim.JobTotals(nil), t.Jobs...), append([]sim.PoolTotals(nil), t.Pools...)
	return c
}

func run(policy NewPolicy, m *sim.Market, seed uint64, jobs []sim.Job, r sim.Recorder) sim.Totals {
	return clone(world(config(m, policy(m), seed, jobs, r)).Run())
}

func same(what string, a, b any) error {
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("%s:\n%+v\n%+v", what, a, b)
	}
	return nil
}

// diary keeps what a recorder is told.
type diary struct {
	spans     []sim.Span
	decisions []entry
}

type entry struct {
	at      sim.Time
	trigger sim.Trigger
	holds   [][]int
	wake    sim.Time
	why     string
}

func (d *diary) Span(s *sim.Span) {
	c := *s
	c.Pools, c.Jobs = append([]sim.PoolSpan(nil), s.Pools...), append([]sim.JobSpan(nil), s.Jobs...)
	d.spans = append(d.spans, c)
}

func (d *diary) Decision(v sim.View, plan *sim.Plan, _ bool) {
	e := entry{at: v.Now(), trigger: v.Trigger(), wake: plan.Wake(), why: plan.Reason()}
	for _, j := range plan.Jobs {
		e.holds = append(e.holds, append([]int(nil), j.Hold...))
	}
	d.decisions = append(d.decisions, e)
}

func determinism(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	m := Market(seed, suiteSpan, sim.Never)
	var a, b diary
	first, second := run(policy, m, seed, jobs, &a), run(policy, m, seed, jobs, &b)
	if err := same("two runs differ", first, second); err != nil {
		return err
	}
	if err := same("two runs decide differently", a.decisions, b.decisions); err != nil {
		return err
	}
	p := policy(m)
	w := world(config(m, p, seed+1, jobs, nil)) // a world and a policy that were used before
	w.Run()
	if err := w.Reset(config(m, p, seed, jobs, nil)); err != nil {
		return err
	}
	bare := clone(w.Run())
	bare.Events = first.Events // a recorder is told of prices too
	return same("recording, or a used world or policy, changes the run", first, bare)
}

// Causality changes the future of a market and compares the decisions before
// the change. Histories record removals, and a notice is as early as it is
// long: decisions are compared until the longest notice before the change.
func Causality(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	for hour := time.Duration(1); hour < 4; hour++ {
		cut := sim.Time(0).Add(hour * time.Hour)
		var a, b diary
		run(policy, Market(seed, suiteSpan, sim.Never), seed, jobs, &a)
		run(policy, Market(seed, suiteSpan, cut), seed, jobs, &b)
		until := cut.Add(-2 * time.Minute)
		if err := same(fmt.Sprintf("the future after %v changes decisions before", cut.Sub(0)), before(a.decisions, until), before(b.decisions, until)); err != nil {
			return err
		}
	}
	return nil
}

func before(all []entry, t sim.Time) []entry {
	n := 0
	for n < len(all) && all[n].at < t {
		n++
	}
	return all[:n]
}

// restless asks to be woken for nothing, and does nothing then.
type restless struct {
	sim.Policy
	due sim.Time
}

func (r *restless) Decide(v sim.View, plan *sim.Plan) {
	if v.Trigger() != sim.TriggerWake || v.Now() >= r.due {
		r.Policy.Decide(v, plan)
		r.due = plan.Wake()
	} else if r.due != sim.Never {
		plan.WakeIn(r.due.Sub(v.Now()))
	}
	plan.WakeIn(7 * time.Second)
}

// watchful is restless and is asked for prices.
type watchful struct{ restless }

func (*watchful) WatchPrices() {}

func unrest(p sim.Policy) sim.Policy {
	if _, ok := p.(sim.PriceWatcher); ok {
		return &watchful{restless{Policy: p}}
	}
	return &restless{Policy: p}
}

func pointlessWakes(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	m := Market(seed, suiteSpan, sim.Never)
	calm := run(policy, m, seed, jobs, nil)
	woken := run(func(m *sim.Market) sim.Policy { return unrest(policy(m)) }, m, seed, jobs, nil)
	if woken.Wakes <= calm.Wakes {
		return fmt.Errorf("it was not woken more often: %d, %d", calm.Wakes, woken.Wakes)
	}
	woken.Wakes, woken.Decisions, woken.Events = calm.Wakes, calm.Decisions, calm.Events
	return same("waking for nothing changes numbers", calm, woken)
}

// Forks runs forks of a world and compares them and their parent with one that
// was never forked.
func Forks(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	m := Market(seed, suiteSpan, sim.Never)
	alone := run(policy, m, seed, jobs, nil)
	var fork sim.World
	parent := world(config(m, policy(m), seed, jobs, nil))
	for at := 10 * time.Minute; parent.RunUntil(sim.Time(0).Add(at)); at += 50 * time.Minute {
		parent.Fork(&fork, policy(m))
		if err := same("a fork goes its own way", alone, clone(fork.Run())); err != nil {
			return err
		}
	}
	return same("a fork changes its parent", alone, clone(parent.Run()))
}

// warden notes quotas that are not kept.
type warden struct {
	diary
	m   *sim.Market
	err error
}

func (w *warden) Span(s *sim.Span) {
	w.diary.Span(s)
	for p, x := range s.Pools {
		held := x.Starting + x.Ready + x.Noticed
		if quota := w.m.Pool(p).Quota; held > quota {
			w.err = fmt.Errorf("%v: pool %d holds %d, quota %d", s.From.Sub(0), p, held, quota)
		}
		if x.Capacity >= 0 && held > x.Capacity {
			w.err = fmt.Errorf("%v: pool %d holds %d, capacity %d", s.From.Sub(0), p, held, x.Capacity)
		}
	}
}

func quotas(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	w := warden{m: Market(seed, suiteSpan, sim.Never)}
	run(policy, w.m, seed, jobs, &w)
	for _, d := range w.decisions {
		for p := range w.m.Pools() {
			want := 0
			for j := range d.holds {
				want += d.holds[j][p]
			}
			if quota := w.m.Pool(p).Quota; want > quota && w.err == nil {
				w.err = fmt.Errorf("%v: wants %d of pool %d, quota %d", d.at.Sub(0), want, p, quota)
			}
		}
	}
	return w.err
}

func allocations(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	if seed > 2 || raceDetector {
		return nil // slow, and every seed takes the same paths
	}
	m := Market(seed, suiteSpan, sim.Never)
	c := config(m, policy(m), seed, jobs, nil)
	w := world(c)
	w.Run()
	n := testing.AllocsPerRun(3, func() {
		if w.Reset(c) == nil {
			w.Run()
		}
	})
	if n != 0 {
		return fmt.Errorf("%v allocations a run when warm", n)
	}
	return nil
}

// notices compares the notices that the spans show with those that the policy
// was told: at the instant, or a microsecond later where its own request came
// under notice at once.
func notices(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	m := Market(seed, suiteSpan, sim.Never)
	var d diary
	t := run(policy, m, seed, jobs, &d)
	told := map[sim.Time]bool{}
	for _, e := range d.decisions {
		if e.trigger&sim.TriggerNotice != 0 {
			told[e.at], told[e.at-1] = true, true
		}
	}
	before := make([]int, m.Pools())
	for _, s := range d.spans {
		for p, x := range s.Pools {
			if x.Noticed > before[p] && !told[s.From] {
				return fmt.Errorf("%v: an instance of pool %d is under notice, and the policy was not told", s.From.Sub(0), p)
			}
			before[p] = x.Noticed
		}
	}
	if t.Grants > t.Requests || t.Notices+t.Unannounced < t.Preemptions || t.Preemptions > t.Grants {
		return fmt.Errorf("%d requests, %d grants, %d notices, %d preemptions, %d of them unannounced", t.Requests, t.Grants, t.Notices, t.Preemptions, t.Unannounced)
	}
	return nil
}

// books adds the spans up and compares: instance time, dollars, activities; of Linear
// jobs also the training that counts with what came of it.
func books(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	m := Market(seed, suiteSpan, sim.Never)
	var d diary
	t := run(policy, m, seed, jobs, &d)
	var instances time.Duration
	usd, at := 0.0, sim.Time(0)
	for _, s := range d.spans {
		if s.From != at || s.To <= s.From {
			return fmt.Errorf("a span from %v to %v follows %v", s.From.Sub(0), s.To.Sub(0), at.Sub(0))
		}
		at = s.To
		for _, p := range s.Pools {
			held := time.Duration(p.Starting+p.Ready+p.Noticed) * s.To.Sub(s.From)
			instances += held
			usd += held.Hours() * p.Price
		}
	}
	var booked, activities time.Duration
	for i, j := range t.Jobs {
		if m, ok := jobs[i].Model.(Linear); ok {
			counts := j.Activities[sim.Useful] + j.Activities[sim.Redundant]
			if made := m.PerWorker * counts.Seconds(); !near(made, j.Samples) {
				return fmt.Errorf("job %d made %v samples, in the time that counts it makes %v", i, j.Samples, made)
			}
		}
		booked += j.InstanceTime
		for _, a := range j.Activities {
			if a < 0 {
				return fmt.Errorf("negative time is booked: %v", j.Activities)
			}
			activities += a
		}
	}
	pools := 0.0
	for _, p := range t.Pools {
		pools += p.USD
	}
	switch {
	case at != t.End:
		return fmt.Errorf("the spans end at %v, the run at %v", at.Sub(0), t.End.Sub(0))
	case instances != booked || activities != booked:
		return fmt.Errorf("instances were held for %v, %v is booked, %v by activity", instances, booked, activities)
	case !near(usd, t.Bill.Spot+t.Bill.OnDemand) || !near(pools, usd):
		return fmt.Errorf("the spans cost %v, the pools %v, the bill says %v", usd, pools, t.Bill)
	case len(d.spans) > 0 && !near(d.spans[len(d.spans)-1].USD, t.Bill.Total()):
		return fmt.Errorf("the last span ends at %v USD, the bill at %v", d.spans[len(d.spans)-1].USD, t.Bill.Total())
	}
	return nil
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }
