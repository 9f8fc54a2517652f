package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Hours are those of a time.Duration to the last bit, and go on where that ends.
func TestMachineTime(t *testing.T) {
	check := near.Count(t)
	for _, d := range []time.Duration{0, time.Microsecond, 1234567891 * time.Microsecond, 61 * time.Minute, 2562047 * time.Hour} {
		m := sim.MachineTime(d / time.Microsecond)
		if m.Hours() != d.Hours() || m.Seconds() != d.Seconds() || m.Span() != d {
			t.Errorf("%v: %v h, %v s, %v; want %v, %v", d, m.Hours(), m.Seconds(), m.Span(), d.Hours(), d.Seconds())
		}
	}
	if m := sim.MachineTime(math.MaxInt64); m.Span() != math.MaxInt64 || check.Below(m.Hours(), 2.5e9) {
		t.Errorf("%v h, %v", m.Hours(), m.Span())
	}
}

// Hours of many machines are those that were held: 2,562,047 were the most once. 131,072 instances for two years are 2.3 billion.
func TestHoursOfManyMachines(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct {
		pools, each int
		hours       float64
	}{{1, 2048, 60 * 24}, {1, 4096, 8760}, {32, 4096, 8760}, {32, 4096, 2 * 8760}} {
		var hs []sim.History
		for p := range c.pools {
			hs = append(hs, sim.History{Pool: sim.Pool{Name: string(rune('A' + p)), InstanceType: "x", OnDemand: true, Quota: c.each, OnDemandPrice: 1}, Prices: []sim.Price{{USD: 1}}})
		}
		m, err := sim.NewMarket(sim.At(c.hours*3600), hs)
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(sim.Config{Market: m, Billing: sim.PerSecond(), Policy: holdAll{}, Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 1}, Objective: sim.Objective{Loss: simtest.LossAt(1e15), Within: time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		r := w.Run()
		want := float64(c.pools*c.each) * c.hours
		if got := r.Jobs[0].InstanceTime.Hours(); check.Off(got/want, 1, 1e-9) || check.Off(r.Bill.Total()/want, 1, 1e-9) {
			t.Errorf("%d pools of %d for %v h: %v instance-hours, %v USD, want %v", c.pools, c.each, c.hours, got, r.Bill.Total(), want)
		}
	}
}

type holdAll struct{}

func (holdAll) Name() string { return "hold-all" }

func (holdAll) Decide(v sim.View, plan *sim.Plan) {
	for p := range plan.Jobs[0].Hold {
		plan.Jobs[0].Hold[p] = v.Pool(p).Quota
	}
}
