package policies_test

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// tied is a market of pools of two types whose prices are of a few levels, so that many are the same.
func tied(t testing.TB, seed uint64, pools int) *sim.Market {
	t.Helper()
	const draws = sim.PurposeUser
	dice, span := sim.Rand{Seed: seed}, 6*time.Hour
	var hs []sim.Trace
	for z := range uint64(pools) {
		h := sim.Trace{Pool: zone(z)}
		h.InstanceType = []string{"p3.2xlarge", "g4dn.4xlarge"}[dice.Intn(draws, z, 0, 2)]
		h.Quota = 1 + dice.Intn(draws, z, 1, 5)
		for n, at := uint64(0), sim.Time(0); at < sim.Time(0).Add(span); n++ {
			h.Prices = append(h.Prices, sim.Price{At: at, USD: 0.3 * float64(1+dice.Intn(draws+1, z, n, 4))})
			at = at.After(3600 * dice.Exponential(draws+2, z, n))
		}
		if h.OnDemand = z%7 == 3; h.OnDemand {
			h.Prices, h.Notice = h.Prices[:1], 0
			hs = append(hs, h)
			continue
		}
		for n, at := uint64(0), sim.Time(0); at < sim.Time(0).Add(span); n++ {
			h.Capacity = append(h.Capacity, sim.Capacity{At: at, N: dice.Intn(draws+3, z, n, 6)})
			at = at.After(1200 * dice.Exponential(draws+4, z, n))
		}
		hs = append(hs, h)
	}
	m, err := sim.NewMarket(sim.Time(0).Add(span), hs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// waiter asks for numbers of spot instances that change, and looks whether what is given back is that which
// a search for the most expensive pool finds, one after another.
type waiter struct {
	t     *testing.T
	gives int
}

func (*waiter) Name() string { return "waiter" }

func (a *waiter) Decide(v sim.View, plan *sim.Plan) {
	plan.WakeIn(7 * time.Minute)
	hold := plan.Jobs[0].Hold
	largest := int(v.Now().Seconds()/420*5) % 37
	want, missing := make([]int, len(hold)), largest
	for p := range hold {
		if !v.Pool(p).OnDemand {
			missing -= v.Active(0, p)
		}
	}
	for p := range hold {
		if !v.Pool(p).OnDemand {
			want[p] = v.Active(0, p) + min(max(missing, 0), policyutil.Headroom(v, plan, 0, p))
		}
	}
	for ; missing < 0; missing++ {
		a.gives++
		mostExpensive := -1
		for p := range want {
			if want[p] > 0 && (mostExpensive < 0 || v.Price(p) > v.Price(mostExpensive)) {
				mostExpensive = p
			}
		}
		want[mostExpensive]--
	}
	policyutil.RequestSpot(v, 0, largest, plan)
	if !slices.Equal(hold, want) {
		a.t.Errorf("%d instances at %v: %v, want %v", largest, v.Now().Sub(0), hold, want)
	}
}

// What comes in excess is given back from the most expensive pools, of one price from the first.
func TestGivesBackTheMostExpensive(t *testing.T) {
	for seed := range uint64(8) {
		c := configIn(t, tied(t, seed, []int{3, 9, 40, 100}[seed%4]))
		a := &waiter{t: t}
		c.Policy, c.Seed = a, seed
		w, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		if w.Run(); a.gives < 10 {
			t.Errorf("seed %d: %d instances given back, too few to tell", seed, a.gives)
		}
	}
}
