package mdp_test

import (
	"testing"
	"time"

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
