package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/skynomad"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// nomadic runs a job of 20 h within some time under SkyNomad: zones a and b of 1 and 0.4 USD/h, with
// on demand at 3, where b has capacity during some hours only.
func nomadic(t *testing.T, within time.Duration, b []sim.Capacity, block []sim.Trace, change func(*skynomad.Policy)) *sim.Totals {
	t.Helper()
	boot := sim.Boot{Median: 3 * time.Minute}
	pools := append([]sim.Trace{
		{Pool: sim.Pool{Name: "a", Region: "a", Quota: 1, Boot: boot, Notice: 2 * time.Minute}, Prices: []sim.Price{{USD: 1}}, Capacity: []sim.Capacity{{N: 1}}},
		{Pool: sim.Pool{Name: "b", Region: "b", Quota: 1, Boot: boot, Notice: 2 * time.Minute}, Prices: []sim.Price{{USD: 0.4}}, Capacity: b},
		{Pool: sim.Pool{Name: "on-demand", OnDemand: true, Quota: 1, Boot: boot}, Prices: []sim.Price{{USD: 3}}},
	}, block...)
	m, err := sim.NewMarket(sim.Time(0).Add(100*time.Hour), pools)
	if err != nil {
		t.Fatal(err)
	}
	p := skynomad.NewPolicy()
	p.Gate = 0.05
	change(p)
	job := sim.Job{Model: simtest.Linear{PerWorker: 1, Min: 1}, Objective: sim.Objective{Loss: simtest.LossAt(20 * 3600), Within: within}}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: p, Moves: oneMove{USD: 0.5, Time: time.Minute}, Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	totals := *w.Run()
	if x := &totals.Jobs[0]; !x.Finished || x.Elapsed > within {
		t.Fatalf("finished %v, %v of %v", x.Finished, x.Elapsed, within)
	}
	return &totals
}

func at(hours float64) sim.Time { return sim.Time(0).Add(time.Duration(hours * float64(time.Hour))) }

// It goes where it is cheapest, back where that is gone, and on demand where nothing else
// would meet the deadline.
func TestSkyNomadGoesWhereValueIs(t *testing.T) {
	check := near.Count(t)
	nothing := func(*skynomad.Policy) {}
	on := func(totals *sim.Totals, p int) float64 { return totals.Pools[p].Bill.Total() / []float64{1, 0.4, 3}[p] }
	always := nomadic(t, 40*time.Hour, []sim.Capacity{{N: 1}}, nil, nothing)
	if check.Below(on(always, 1), 20) || check.Above(on(always, 0), 0.5) || check.Above(on(always, 2), 0) {
		t.Errorf("b is there: %v h in a, %v in b, %v on demand", on(always, 0), on(always, 1), on(always, 2))
	}
	later := nomadic(t, 40*time.Hour, []sim.Capacity{{N: 0}, {At: at(6), N: 1}, {At: at(12), N: 0}}, nil, nothing)
	if check.Outside(on(later, 1), 4, 6.5) || check.Below(on(later, 0), 12) || later.Moves < 2 {
		t.Errorf("b is there from 6 h to 12 h: %v h in a, %v in b, %d moves", on(later, 0), on(later, 1), later.Moves)
	}
	tight := nomadic(t, 20*time.Hour+12*time.Minute, []sim.Capacity{{N: 1}}, nil, nothing)
	if check.Below(on(tight, 2), 19) {
		t.Errorf("no time to lose: %v h on demand", on(tight, 2))
	}
	// probes are instances that are paid: a minute each
	idle := nomadic(t, 40*time.Hour, []sim.Capacity{{N: 0}, {At: at(6), N: 1}, {At: at(12), N: 0}}, nil,
		func(p *skynomad.Policy) { p.Probe, p.Revalidate = 0, true })
	if later.Requests <= idle.Requests {
		t.Errorf("%d requests with probes, %d without", later.Requests, idle.Requests)
	}
}

// A capacity block is paid already: it is used first, and left at its end.
func TestSkyNomadUsesABlockFirst(t *testing.T) {
	check := near.Count(t)
	block := sim.Trace{Pool: sim.Pool{Name: "block", Region: "a", Quota: 1, Boot: sim.Boot{Median: 3 * time.Minute}, Notice: 10 * time.Minute, Until: at(10)},
		Prices: []sim.Price{{}}, Capacity: []sim.Capacity{{N: 1}, {At: at(10), N: 0}}, Commitments: []sim.Commitment{{Instances: 1, USDPerHour: 2, Until: at(10)}}}
	x := nomadic(t, 40*time.Hour, []sim.Capacity{{N: 1}}, []sim.Trace{block}, func(*skynomad.Policy) {})
	if x.Bill.Commitments != 20 || check.Above(x.Pools[1].Bill.Spot, 0.4*10.7) || check.Above(x.Pools[0].Bill.Spot, 0.1) {
		t.Errorf("commitments %v USD, b %v, a %v", x.Bill.Commitments, x.Pools[1].Bill.Spot, x.Pools[0].Bill.Spot)
	}
}
