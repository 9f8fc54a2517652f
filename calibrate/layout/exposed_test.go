package layout

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// On drawn sets, the layouts for a range of the factor of transfers cover it without a gap, and at a factor drawn
// within it none is better than the one that is given there, by asking Best at that very factor; both times of a layout
// are those of Cost.
func TestBestByExposedAgainstBest(t *testing.T) {
	check := near.Count(t)
	seed := uint64(1)
	flips, compared, missed := 0, 0, 0
	for k := range 120 {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		m, pools, batch := random(r)
		const low, high = 0.5, 5
		chosen, err := m.BestByExposed(pools, batch, Want{}, low, high)
		m.Runtime.Exposed = low
		if _, none := m.Best(pools, batch, Want{}); (err != nil) != (none != nil) {
			t.Fatalf("set %d: %v, and at one factor %v", k, err, none)
		}
		if err != nil {
			continue
		}
		flips += len(chosen) - 1
		if chosen[0].From != low || chosen[len(chosen)-1].To != high {
			t.Errorf("set %d: from %v to %v, want %v to %v", k, chosen[0].From, chosen[len(chosen)-1].To, low, high)
		}
		for i := 1; i < len(chosen); i++ {
			if check.Above(chosen[i].From-chosen[i-1].To, flipStep+1e-9) {
				t.Errorf("set %d: a gap from %v to %v", k, chosen[i-1].To, chosen[i].From)
			}
		}
		factor := low + (high-low)*r.Float64()
		m.Runtime.Exposed = factor
		best, err := m.Best(pools, batch, Want{})
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for i := range chosen {
			c := &chosen[i]
			if factor >= c.From-flipStep && factor <= c.To+flipStep {
				cost, err := m.Cost(&c.Layout)
				if err != nil {
					t.Fatal(err)
				}
				least = min(least, cost.Step)
			}
		}
		compared++
		if check.Above(least, best.Step*(1+1e-9)) {
			missed++
			t.Logf("set %d: at %v the best step takes %v s, the one given %v", k, factor, best.Step, least)
		}
		for _, c := range chosen {
			for at, plan := range map[float64]*Plan{low: &c.AtFrom, high: &c.AtTo} {
				m.Runtime.Exposed = at
				cost, err := m.Cost(&c.Layout)
				if err != nil || check.Off(plan.Step, cost.Step, 1e-12) {
					t.Errorf("set %d: at %v a step takes %v, want %v, %v", k, at, plan.Step, cost.Step, err)
				}
			}
		}
	}
	t.Logf("%d sets, seed %d: %d flips, %d of them with a better layout between equal answers", compared, seed, flips, missed)
	if flips == 0 || missed*50 > compared {
		t.Errorf("%d flips, and %d of %d sets have a better layout than is given, expected at most 1 in 50", flips, missed, compared)
	}
}
