package mdp_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/sim"
)

// run runs, and reports whether the job ended in 6 h and what it cost, USD.
func run(t testing.TB, c sim.Config) (ended bool, usd float64) {
	t.Helper()
	if p, oracle := c.Policy.(interface{ SetRun(sim.Config) error }); oracle {
		if err := p.SetRun(c); err != nil {
			t.Fatal(err)
		}
	}
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	r := w.Run()
	return r.Jobs[0].Finished && r.Jobs[0].Elapsed <= 6*time.Hour, r.Bill.Total()
}

// mean is what a policy costs in the mean of some seeds on one pool; none of its runs is late.
func mean(t testing.TB, l *law, policy string) (usd float64) {
	const seeds = 10
	for seed := range uint64(seeds) {
		ended, total := run(t, kinds[0].config(t, l, 100+seed, policy))
		if !ended {
			t.Errorf("on %v h, off %v h, seed %d: %s is late", l.on, l.off, 100+seed, policy)
		}
		usd += total / seeds
	}
	return usd
}

// Planning ahead pays where spot comes and goes, and waiting costs little where it never comes.
func TestPlansAhead(t *testing.T) {
	for _, c := range []struct {
		on, off float64
		than    string
		share   float64
	}{{1, 2, "spotdnn-safe", 0.85}, {2, 1, "spotdnn-safe", 0.85}, {0, 0, "ondemand", 1.04}} {
		l := &law{on: c.on, off: c.off}
		usd, other := mean(t, l, "mdp"), mean(t, l, c.than)
		t.Logf("on %v h, off %v h: mdp %.2f USD, %s %.2f", c.on, c.off, usd, c.than, other)
		if usd > c.share*other {
			t.Errorf("on %v h, off %v h: mdp costs %.2f USD, expected at most %v of the %.2f of %s", c.on, c.off, usd, c.share, other, c.than)
		}
	}
}

// mover is one price for a move between two zones, and five minutes.
type mover float64

// Move implements sim.Mover.
func (m mover) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	if from.Zone == to.Zone {
		return sim.Move{}
	}
	return sim.Move{USD: float64(m), Time: 5 * time.Minute}
}

// moved is a run of five hours of work within seven in two zones: a is there from the beginning at 2 USD/h, b from
// the second hour on at 0.5 USD/h.
func moved(t *testing.T, usd float64) (*sim.World, *sim.Totals) {
	t.Helper()
	pool := func(name string) sim.Pool {
		return sim.Pool{Name: name, Zone: name, InstanceType: "x", Quota: 1, Notice: 2 * time.Minute, Boot: sim.Boot{Median: time.Minute}}
	}
	onDemand := sim.Pool{Name: "on-demand", Zone: "a", InstanceType: "x", Quota: 1, OnDemand: true, OnDemandPrice: 3, Boot: sim.Boot{Median: time.Minute}}
	m, err := sim.NewMarket(sim.At(8*3600), []sim.Trace{
		{Pool: pool("a"), Prices: []sim.Price{{USD: 2}}, Capacity: []sim.Capacity{{N: 1}}},
		{Pool: pool("b"), Prices: []sim.Price{{USD: 0.5}}, Capacity: []sim.Capacity{{N: 0}, {At: sim.At(3600), N: 1}}},
		{Pool: onDemand, Prices: []sim.Price{{USD: 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	law := parallel.Law{Scaling: parallel.Strong, Alone: 1}
	model, err := parallel.New(parallel.Job{Samples: 5 * 3600, Batch: 1, Min: 1, Max: 1, Restart: time.Minute, Save: time.Second}, []parallel.Law{law, law, law})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Seed: 1, Policy: mdp.New(), Billing: sim.PerSecond(), Moves: mover(usd),
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: 7 * time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w, w.Run()
}

// An hour in b costs 1.50 USD less, and four hours are left when b is there: a move of 0.25 USD pays, one of 20 does
// not.
func TestMovesWhereItPays(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct {
		price float64
		moves int64
		usd   float64
	}{
		{0.25, 1, 1*2 + 0.25 + 4*0.5},
		{20, 0, 5 * 2},
	} {
		_, r := moved(t, c.price)
		if usd := r.Bill.Total(); !r.Jobs[0].Finished || r.Moves != c.moves || check.OffRel(usd, c.usd, 0.05) {
			t.Errorf("at %v USD a move: ended %v, %d moves, %.3f USD; expected %d and some %.3f USD", c.price, r.Jobs[0].Finished, r.Moves, usd, c.moves, c.usd)
		}
	}
}
