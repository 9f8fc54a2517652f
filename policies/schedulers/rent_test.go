package schedulers_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// rent runs one job of 2 GPUs, 40,000 s of work, on a slow pool that costs 1 USD/h until 1 h 40 min and then another
// price, and on one on demand at 3 USD/h that is twice as fast, both with GPUs in a minute.
func rent(t *testing.T, p sim.Policy, later float64, capacity int) *sim.Totals {
	boot := sim.Boot{Median: time.Minute}
	m, err := sim.NewMarket(sim.At(1e6), []sim.Trace{
		{Pool: sim.Pool{Name: "slow", GPU: "slow", Quota: 4, Boot: boot}, Prices: []sim.Price{{USD: 1}, {At: sim.At(6000), USD: later}},
			Capacity: []sim.Capacity{{N: capacity}}},
		{Pool: sim.Pool{Name: "fast", GPU: "fast", Quota: 4, Boot: boot, OnDemand: true}, Prices: []sim.Price{{USD: 3}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	jobs := []sim.Job{{Model: &throughput.Gang{GPUs: 2, Total: 40_000, Speeds: []float64{1, 2}, Restart: 30 * time.Second},
		Objective: sim.Objective{Within: time.Hour}}}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}

// A job goes where its work is cheapest; eva-like moves it when that changes, no-packing does not.
func TestRentMoves(t *testing.T) {
	check := near.Count(t)
	// Slow: 60 s of boot and 40,000 s at 2 GPUs. From 6,000 s on the slow pool costs 4 USD/h, at half the speed.
	stays := rent(t, schedulers.NewRent(false), 4, 4)
	if got := stays.Jobs[0].Elapsed.Seconds(); got != 40_060 {
		t.Errorf("no-packing: %v s, expected 40060", got)
	}
	if want := 2 * (6000*1 + 34_060*4) / 3600.0; check.Off(stays.Pools[0].Bill.Total(), want, 1e-6) {
		t.Errorf("no-packing: %v USD, expected %v", stays.Pools[0].Bill.Total(), want)
	}
	// At 6,000 s, 5,940 s are done; 60 s of boot, 30 s of restart, and 34,060/2 s.
	moves := rent(t, schedulers.NewRent(true), 4, 4)
	if got := moves.Jobs[0].Elapsed.Seconds(); got != 6000+60+30+34_060/2 {
		t.Errorf("eva-like: %v s", got)
	}
	if rent(t, schedulers.NewRent(true), 1.4, 4).Jobs[0].Elapsed != rent(t, schedulers.NewRent(false), 1.4, 4).Jobs[0].Elapsed {
		t.Error("eva-like moves where work is no cheaper")
	}
}

// Where requests are not granted, the job goes on to the next pool after its patience.
func TestRentGoesOn(t *testing.T) {
	totals := rent(t, schedulers.NewRent(false), 1, 0)
	if got := totals.Jobs[0].Elapsed.Seconds(); got != 300+60+20_000 {
		t.Errorf("%v s, expected 20360", got)
	}
}
