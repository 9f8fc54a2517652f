package mdp_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/sim"
)

// diarist is a policy that notes when it was asked and what it would hold.
type diarist struct {
	*mdp.MDP
	diary []string
	at    []sim.Time
}

func (d *diarist) Decide(v sim.View, plan *sim.Plan) {
	d.MDP.Decide(v, plan)
	d.diary = append(d.diary, fmt.Sprint(v.Now(), plan.Jobs[0].Hold, plan.Wake()))
	d.at = append(d.at, v.Now())
}

// until returns what it decided before an instant.
func (d *diarist) until(at sim.Time) []string {
	n := slices.IndexFunc(d.at, func(t sim.Time) bool { return t >= at })
	if n < 0 {
		n = len(d.at)
	}
	return d.diary[:n]
}

// begun is the instant of a record of two days at which runs of the tests below begin.
const begun = sim.Time(30 * 3600e6)

// recordedPast is a run from within a record: capacity by one law until cut, and by another from there on.
func recordedPast(t *testing.T, before, after *law, cut sim.Time, recorded bool) sim.Config {
	t.Helper()
	c := kinds[0].config(t, before, 1, "ondemand")
	var traces []sim.Trace
	for p := range c.Market.Pools() {
		trace := sim.Trace{Pool: *c.Market.Pool(p), Prices: []sim.Price{{USD: c.Market.Price(p, 0)}}}
		if !trace.OnDemand {
			trace.Recorded = recorded
			for _, capacity := range before.capacity(5, 0, trace.Quota, 48) {
				if capacity.At < cut {
					trace.Capacity = append(trace.Capacity, capacity)
				}
			}
			for _, capacity := range after.capacity(6, 0, trace.Quota, 48) {
				if capacity.At >= cut {
					trace.Capacity = append(trace.Capacity, capacity)
				}
			}
		}
		traces = append(traces, trace)
	}
	var err error
	if c.Market, err = sim.NewMarket(sim.At(48*3600), traces); err != nil {
		t.Fatal(err)
	}
	c.Start = begun
	return c
}

// decided runs and returns what the policy decided.
func decided(t *testing.T, c sim.Config, pastWeight float64) *diarist {
	t.Helper()
	d := &diarist{MDP: mdp.New()}
	d.Past = pastWeight
	c.Policy = d
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if x := w.Run(); !x.Jobs[0].Finished {
		t.Fatal("the run is late")
	}
	return d
}

// What it decides from within a record does not depend on what comes: not at the start, and not later.
func TestThePastHasNoFuture(t *testing.T) {
	often := &law{on: 1, off: 0.5}
	rare := &law{on: 0.3, off: 3}
	whole := decided(t, recordedPast(t, often, often, sim.Never, true), mdp.New().Past)
	for _, after := range []time.Duration{0, time.Minute, time.Hour, 3 * time.Hour} {
		cut := begun.Add(after)
		scrambled := decided(t, recordedPast(t, often, rare, cut, true), mdp.New().Past)
		asked := max(cut.Add(-2*time.Minute), begun+1) // notices are as early
		got := scrambled.until(asked)
		want := whole.until(asked)
		if after == 0 {
			got = got[:1]
			want = want[:1]
		}
		if !slices.Equal(got, want) {
			t.Errorf("another record from %v after the start on changes decisions before: %v, expected %v",
				after, got, want)
		}
	}
}

// The past counts where it was recorded, and nowhere else.
func TestThePastCounts(t *testing.T) {
	often := &law{on: 6, off: 0.2}
	rare := &law{on: 0.3, off: 3}
	recorded := recordedPast(t, rare, often, begun, true)
	generated := recordedPast(t, rare, often, begun, false)
	weight := mdp.New().Past
	without := decided(t, recorded, 0)
	if got := decided(t, generated, weight); !slices.Equal(got.diary, without.diary) {
		t.Error("the past of a market that was not recorded counts")
	}
	if got := decided(t, recorded, weight); slices.Equal(got.diary, without.diary) {
		t.Error("the past of a record does not count")
	}
}
