package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// oneMove is a price of all moves.
type oneMove sim.Move

func (m oneMove) Move(*sim.Job, *sim.Pool, *sim.Pool) sim.Move { return sim.Move(m) }

// twoPrices is a job of 60 h where a costs 1 USD/h for 12 h and then 3, and b 2; each boots
// for 6 minutes. taken says when a is preempted; 0: never.
func twoPrices(t *testing.T, policy sim.Policy, move sim.Move, taken time.Duration) *sim.Totals {
	t.Helper()
	hour := func(n float64) sim.Time { return sim.Time(0).Add(time.Duration(n * float64(time.Hour))) }
	boot := sim.Boot{Median: 6 * time.Minute}
	a := sim.Trace{Pool: sim.Pool{Name: "a", Quota: 1, Boot: boot}, Prices: []sim.Price{{USD: 1}, {At: hour(12), USD: 3}}}
	if taken > 0 {
		a.Capacity = []sim.Capacity{{N: 1}, {At: sim.Time(0).Add(taken), N: 0}}
	}
	m, err := sim.NewMarket(hour(200), []sim.Trace{a, {Pool: sim.Pool{Name: "b", Quota: 1, Boot: boot}, Prices: []sim.Price{{USD: 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	job := sim.Job{Model: simtest.Linear{PerWorker: 1, Min: 1}, Objective: sim.Objective{Loss: simtest.LossAt(60 * 3600), Within: 100 * time.Hour}}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: policy, Moves: oneMove(move)})
	if err != nil {
		t.Fatal(err)
	}
	totals := *w.Run()
	if !totals.Jobs[0].Finished {
		t.Fatalf("not finished: %+v", totals)
	}
	return &totals
}

// After a day a has done 23.9 h. The rest, 36.1 h, costs 36.1 USD more there than in b.
func TestDynamicPricingMovesWhereItPays(t *testing.T) {
	check := near.Count(t)
	day := 24 * time.Hour
	for _, c := range []struct {
		name   string
		policy policies.DynamicPricing
		move   sim.Move
		moves  int64
		hours  float64 // to the finish
		usd    float64
	}{
		// 12 + 36 in a until the other has booted, whose 6 min are paid twice: 0.3 + 0.2; then 36 h of work, less
		// what a did meanwhile, in b
		{"it pays", policies.DynamicPricing{Every: day, CountMoves: true}, sim.Move{USD: 5, Time: 30 * time.Minute}, 1, 60.6, 12 + 36 + 0.3 + 0.2 + 2*36.5 + 5},
		{"it does not", policies.DynamicPricing{Every: day, CountMoves: true}, sim.Move{USD: 37}, 0, 60.1, 12 + 48.1*3},
		{"it is not counted", policies.DynamicPricing{Every: day}, sim.Move{USD: 37}, 1, 60.1, 12 + 36 + 0.3 + 0.2 + 2*36 + 37},
		{"it stays", policies.DynamicPricing{}, sim.Move{}, 0, 60.1, 12 + 48.1*3},
	} {
		c.policy.Instances = 1
		got := twoPrices(t, &c.policy, c.move, 0)
		if hours := got.Jobs[0].Elapsed.Hours(); got.Moves != c.moves || check.Off(hours, c.hours, 1e-6) || check.Off(got.Bill.Total(), c.usd, 1e-6) {
			t.Errorf("%s: %d moves, %v h, %v USD; want %d, %v, %v", c.name, got.Moves, hours, got.Bill.Total(), c.moves, c.hours, c.usd)
		}
	}
}

// A lost instance is replaced elsewhere after the patience, and the state is moved.
func TestDynamicPricingLeavesWhatIsLost(t *testing.T) {
	check := near.Count(t)
	got := twoPrices(t, &policies.DynamicPricing{Instances: 1, Every: 24 * time.Hour, Patience: 10 * time.Minute, CountMoves: true},
		sim.Move{USD: 5, Time: 30 * time.Minute}, 6*time.Hour)
	// 6 h in a, of which 5.9 trained; 10 min of patience, 6 of boot, 30 of the move; 54.1 h in b
	if hours := got.Jobs[0].Elapsed.Hours(); got.Moves != 1 || check.Off(hours, 6+46.0/60+54.1, 1e-6) {
		t.Errorf("%d moves, %v h", got.Moves, hours)
	}
}

// The only pool that can train the job has no room for an hour, and instances are ready at once:
// the request waits on after its patience, and is not withdrawn and made again for ever.
func TestDynamicPricingWaitsWhereThereIsNoOther(t *testing.T) {
	m, err := sim.NewMarket(at(100), []sim.Trace{{Pool: sim.Pool{Name: "a", Quota: 1}, Prices: []sim.Price{{USD: 1}},
		Capacity: []sim.Capacity{{}, {At: at(1), N: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	job := sim.Job{Model: simtest.Linear{PerWorker: 1, Min: 1}, Objective: sim.Objective{Loss: simtest.LossAt(10 * 3600), Within: 20 * time.Hour}}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: &policies.DynamicPricing{Instances: 1, Every: 24 * time.Hour,
		Patience: 5 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Run(); got.Jobs[0].Elapsed != 11*time.Hour || got.Requests != 1 {
		t.Errorf("%v with %d requests; want 11 h with 1", got.Jobs[0].Elapsed, got.Requests)
	}
}
