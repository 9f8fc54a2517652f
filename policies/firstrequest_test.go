package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// zones is a cheap zone without room for two hours, a more expensive one, and on demand.
func zones(t *testing.T, moreExpensive []sim.Capacity) *sim.Market {
	t.Helper()
	pool := func(name string, usd float64, capacity []sim.Capacity) sim.Trace {
		boot := sim.Boot{Median: time.Minute}
		return sim.Trace{Pool: sim.Pool{Name: name, InstanceType: "x", Quota: 1, Boot: boot, OnDemand: name == "on demand"},
			Prices: []sim.Price{{USD: usd}}, Capacity: capacity}
	}
	m, err := sim.NewMarket(sim.At(20*3600), []sim.Trace{pool("a", 1, full), pool("b", 1.1, moreExpensive), pool("on demand", 3, nil)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var full = []sim.Capacity{{}, {At: sim.At(7200), N: 1}}

// Nothing happens before the cheap zone has room. The requests of the start still go on to where
// there is room after the policy's patience.
func TestFirstRequestsWaitNoLongerThanPatience(t *testing.T) {
	for _, c := range []struct {
		policy        string
		set           map[string]any
		moreExpensive []sim.Capacity
		waits         time.Duration
	}{
		{"reactive", nil, nil, 5 * time.Minute},
		{"dynamic-pricing", nil, nil, 5 * time.Minute},
		{"spotdnn", map[string]any{"poll_s": 0}, nil, 2 * time.Minute},
		{"mixed", map[string]any{"on_demand": 0, "fallback_s": 600}, full, 10 * time.Minute},
	} {
		p, err := policies.New(c.policy)
		if err == nil {
			err = policies.Configure(p, c.set)
		}
		if err != nil {
			t.Fatal(err)
		}
		job := sim.Job{Model: simtest.Linear{PerWorker: 1, Min: 1}, Objective: sim.Objective{Loss: simtest.LossAt(3600), Within: 10 * time.Hour}}
		w, err := sim.New(sim.Config{Market: zones(t, c.moreExpensive), Jobs: []sim.Job{job}, Policy: p})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Run().Jobs[0].Elapsed; got != c.waits+61*time.Minute {
			t.Errorf("%s: done after %v, expected %v: the wait, a minute of boot and an hour of work", c.policy, got, c.waits+61*time.Minute)
		}
	}
}
