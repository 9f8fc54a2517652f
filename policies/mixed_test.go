package policies_test

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// heldAt is a recorder of what is held on spot and on demand, ready or not.
type heldAt struct {
	at              []sim.Time
	spot, expensive []int
}

func (*heldAt) Decision(sim.View, *sim.Plan, bool) {}

func (h *heldAt) Span(s *sim.Span) {
	n := [2]int{}
	for p, x := range s.Pools {
		n[p%2] += x.Starting + x.Ready + x.Noticed
	}
	h.at, h.spot, h.expensive = append(h.at, s.From), append(h.spot, n[0]), append(h.expensive, n[1])
}

// on returns what was held at an instant.
func (h *heldAt) on(t sim.Time) [2]int {
	at, found := slices.BinarySearch(h.at, t)
	if !found {
		at--
	}
	return [2]int{h.spot[at], h.expensive[at]}
}

// mixedRun runs mixed on four workers of one type: spot at 1 USD per hour, full but from 1 h
// to 2 h, at 2 USD from 4 h on; on demand at 3 USD.
func mixedRun(t *testing.T, job sim.Job, billing sim.Billing, set map[string]any) (*heldAt, *sim.Totals) {
	t.Helper()
	boot := sim.Boot{Median: time.Minute}
	m, err := sim.NewMarket(sim.At(20*3600), []sim.Trace{
		{Pool: sim.Pool{Name: "spot", InstanceType: "a", Quota: 8, Boot: boot}, Prices: []sim.Price{{USD: 1}, {At: sim.At(4 * 3600), USD: 2}},
			Capacity: []sim.Capacity{{N: 8}, {At: sim.At(3600)}, {At: sim.At(7200), N: 8}}},
		{Pool: sim.Pool{Name: "dear", InstanceType: "a", Quota: 8, Boot: boot, OnDemand: true}, Prices: []sim.Price{{USD: 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.New("mixed")
	if err == nil {
		err = policies.Configure(p, set)
	}
	if err != nil {
		t.Fatal(err)
	}
	h := &heldAt{}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: p, Recorder: h, Billing: billing})
	if err != nil {
		t.Fatal(err)
	}
	return h, w.Run()
}

func TestMixed(t *testing.T) {
	job := sim.Job{Model: simtest.Linear{PerWorker: 1, Ahead: 1}, Objective: sim.Objective{Loss: simtest.LossAt(4 * 6 * 3600), Within: 8 * time.Hour}}
	for name, c := range map[string]struct {
		set  map[string]any
		want map[time.Duration][2]int // spot, on demand
	}{
		"falls back and returns": {map[string]any{"instances": 4}, map[time.Duration][2]int{30 * time.Minute: {3, 1}, 62 * time.Minute: {0, 1},
			70 * time.Minute: {0, 4}, 125 * time.Minute: {3, 1}, 5 * time.Hour: {3, 1}}},
		"waits for spot": {map[string]any{"instances": 4, "fallback_s": 0}, map[time.Duration][2]int{70 * time.Minute: {0, 1}, 125 * time.Minute: {3, 1}}},
		"stays":          {map[string]any{"instances": 4, "return_s": 0}, map[time.Duration][2]int{70 * time.Minute: {0, 4}, 3 * time.Hour: {0, 4}}},
		"shares":         {map[string]any{"instances": 6, "on_demand": 2, "spot_share": 0.5}, map[time.Duration][2]int{30 * time.Minute: {2, 4}}},
		"price cap":      {map[string]any{"instances": 4, "price_cap_usd": 1.5}, map[time.Duration][2]int{3 * time.Hour: {3, 1}, 5 * time.Hour: {0, 4}}},
		"smallest":       {map[string]any{"on_demand": 0}, map[time.Duration][2]int{30 * time.Minute: {4, 0}}},
	} {
		h, total := mixedRun(t, job, sim.PerSecond(), c.set)
		for at, want := range c.want {
			if got := h.on(sim.Time(0).Add(at)); got != want {
				t.Errorf("%s, after %v: %v on spot and on demand, want %v", name, at, got, want)
			}
		}
		if !total.Jobs[0].Finished {
			t.Errorf("%s: not finished", name)
		}
	}
}

// A budget is never exceeded, and nearly used up where it is too small.
func TestMixedKeepsToItsBudget(t *testing.T) {
	check := near.Count(t)
	job := sim.Job{Model: simtest.Linear{PerWorker: 1}, Objective: sim.Objective{Loss: simtest.LossAt(4 * 6 * 3600), Within: 8 * time.Hour},
		ParameterServers: 2, ParameterServerPrice: 0.5}
	taxed := sim.PerSecond()
	taxed.Tax = 0.25
	for _, budget := range []float64{1, 7.5, 20, 30} {
		if _, total := mixedRun(t, job, taxed, map[string]any{"instances": 4, "budget_usd": budget}); check.Above(total.Bill.Total(), budget) {
			t.Errorf("a budget of %v: %v USD spent, with tax", budget, total.Bill.Total())
		}
		_, total := mixedRun(t, job, sim.PerSecond(), map[string]any{"instances": 4, "budget_usd": budget})
		if bill := total.Bill.Total(); check.Outside(bill, budget-0.5, budget) || total.Jobs[0].Finished {
			t.Errorf("a budget of %v: %v USD spent, finished %v", budget, bill, total.Jobs[0].Finished)
		}
	}
	if _, total := mixedRun(t, job, sim.PerSecond(), map[string]any{"instances": 4, "budget_usd": 100}); !total.Jobs[0].Finished {
		t.Error("a budget that is enough keeps the job from its end")
	}
}
