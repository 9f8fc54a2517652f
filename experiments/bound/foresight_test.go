package bound_test

import (
	"flag"
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/sim"
)

var (
	tiny      = flag.Int("tiny", 4, "markets of TestTinyMarkets")
	tinyFrom  = flag.Int("tiny-from", 0, "the first of them")
	tinyRuns  = flag.Int("tiny-futures", 20, "futures of each")
	pageSeeds = flag.Int("page", 16, "futures of each market of TestWithoutForesight")
)

// chain is a pool that is on and off for exponential times, means in seconds, next to one on demand.
type chain struct {
	on, off     float64
	spot, quota int     // instances of the pool, and on demand
	usd         float64 // on spot, USD/h; 3.06 on demand
	within      time.Duration
	loss        float64
	boot        sim.Boot
	notice      time.Duration
}

var page = chain{spot: 8, quota: 8, usd: 0.918, within: 6 * time.Hour, loss: 0.54, boot: sim.DefaultBoot(), notice: 2 * time.Minute}

// future is a course of it: bound.Course.
type future struct {
	chain
	at []sim.Time
	up []bool
}

func (c chain) future(seed uint64, span time.Duration) *future {
	f := &future{chain: c}
	draws := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+901, 0)
	up := draws.Uniform(0) < c.on/(c.on+c.off)
	for at, k := sim.Time(0), uint64(1); at < sim.Time(0).Add(span); k++ {
		f.at, f.up = append(f.at, at), append(f.up, up)
		mean := c.off
		if up {
			mean = c.on
		}
		at, up = at.After(mean*draws.Exponential(k)), !up
	}
	return f
}

func (f *future) Len() int { return len(f.at) }

func (f *future) State(i int) (sim.Time, []int) {
	if f.up[i] {
		return f.at[i], []int{f.spot, f.quota}
	}
	return f.at[i], []int{0, f.quota}
}

func (f *future) Rates(i int, regime func([]int) int, into []float64) {
	clear(into)
	if f.up[i] {
		into[regime([]int{0, f.quota})] = 1 / f.on
	} else {
		into[regime([]int{f.spot, f.quota})] = 1 / f.off
	}
}

func (c chain) law(seed uint64) bound.Law {
	return bound.Law{Future: c.future(seed, c.within+time.Hour), Sample: c.future(seed^1<<60, 100*time.Hour)}
}

// config is a run of spotDNN's job on the future of a seed.
func (c chain) config(t testing.TB, seed uint64, policy sim.Policy) sim.Config {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	coef.BeginLoss = 4.605
	pool := sim.Pool{Name: "a/p3.2xlarge", InstanceType: "p3.2xlarge", Quota: c.spot, Notice: c.notice, Boot: c.boot}
	spot := sim.Trace{Pool: pool, Prices: []sim.Price{{USD: c.usd}}}
	f := c.future(seed, c.within+time.Hour)
	for i := range f.at {
		_, n := f.State(i)
		spot.Capacity = append(spot.Capacity, sim.Capacity{At: f.at[i], N: n[0]})
	}
	pool.Name, pool.OnDemand, pool.OnDemandPrice, pool.Quota = "on-demand/p3.2xlarge", true, 3.06, c.quota
	m, err := sim.NewMarket(sim.Time(0).Add(c.within+time.Hour), []sim.Trace{spot, {Pool: pool, Prices: []sim.Price{{USD: 3.06}}}})
	if err != nil {
		t.Fatal(err)
	}
	asp, err := ps.NewASP(profile, coef, ps.FormArtifact, []string{"p3.2xlarge", "p3.2xlarge"})
	if err != nil {
		t.Fatal(err)
	}
	return sim.Config{Market: m, Seed: seed, Policy: policy, Billing: sim.PerSecond(), Jobs: []sim.Job{{Model: asp, ParameterServers: 1,
		ParameterServerPrice: sim.DefaultParameterServerPrice, Objective: sim.Objective{Loss: c.loss, Within: c.within}}}}
}

// planned is a planner: the programme of the policy mdp.
func planned(n int, seen func(*mdp.Values, float64)) bound.Planner {
	return func(regimes []bound.Regime, work, seconds, boot float64) bound.Values {
		list := make([]mdp.Regime, len(regimes))
		for i, r := range regimes {
			list[i] = mdp.Regime{Clusters: []mdp.Cluster{{}}, Next: r.Next}
			for _, c := range r.Clusters {
				list[i].Clusters = append(list[i].Clusters, mdp.Cluster{Rate: c[0], USD: c[1]})
			}
		}
		v := mdp.NewValues(list, work, seconds, n, boot)
		if seen != nil {
			seen(v, work)
		}
		return v
	}
}

// sample is the mean of numbers and its standard error.
type sample struct{ n, sum, squares, last float64 }

func (s *sample) add(x float64) { s.n, s.sum, s.squares, s.last = s.n+1, s.sum+x, s.squares+x*x, x }
func (s *sample) mean() float64 { return s.sum / s.n }
func (s *sample) spread() float64 {
	return math.Sqrt(max(s.squares/s.n-s.mean()*s.mean(), 0) / (s.n - 1))
}

// without returns the bound without foresight in one future.
func (c chain) without(t testing.TB, seed uint64, plan bound.Planner) float64 {
	t.Helper()
	usd, err := bound.WithoutForesight(c.config(t, seed, nil), c.law(seed), plan)
	if err != nil {
		t.Fatal(err)
	}
	return usd
}

// On markets that are on and off, the bound without foresight is above that of who knows the future, and a little
// below what the policy mdp costs that knows the law.
func TestWithoutForesight(t *testing.T) {
	for _, hours := range [][2]float64{{2, 1}, {1, 2}, {4, 4}} {
		c := page
		c.on, c.off = 3600*hours[0], 3600*hours[1]
		p, err := policies.New("mdp")
		if err != nil {
			t.Fatal(err)
		}
		m := p.(*mdp.MDP)
		m.On, m.Off, m.Weight, m.Regret = time.Duration(c.on*1e9), time.Duration(c.off*1e9), 1e6, 100
		var foresight, without, cost, above, below sample
		for seed := range uint64(*pageSeeds) {
			config := c.config(t, 7000+seed, m)
			b, err := bound.Hindsight(config)
			if err != nil {
				t.Fatal(err)
			}
			w, err := sim.New(config)
			if err != nil {
				t.Fatal(err)
			}
			usd, least := w.Run().Bill.Total(), c.without(t, 7000+seed, planned(180, nil))
			foresight.add(b.USD)
			without.add(least)
			cost.add(usd)
			above.add(least - b.USD)
			below.add(usd - least)
		}
		t.Logf("on %v h, off %v h: bound %.2f, without foresight %.2f +- %.2f, mdp %.2f USD; above the bound by %.2f +- %.2f, below mdp by %.2f +- %.2f", hours[0],
			hours[1], foresight.mean(), without.mean(), without.spread(), cost.mean(), above.mean(), above.spread(), below.mean(), below.spread())
		if !(above.mean() >= -3*above.spread() && below.mean() >= -3*below.spread() && below.mean()-3*below.spread() <= 0.055*cost.mean()) { // NaN fails
			t.Errorf("on %v h, off %v h: %.2f USD, expected above %.2f and at most 5.5 %% below %.2f", hours[0], hours[1], without.mean(), foresight.mean(), cost.mean())
		}
	}
}

// wild values have nothing to do with the job.
type wild struct {
	dice  sim.Stream
	scale float64
}

func (w wild) number(k, regime int, seconds float64) float64 {
	return w.scale * w.dice.Uniform(uint64(k+8*regime+64*int(seconds/600)))
}
func (w wild) Value(r int, s, _ float64) float64 { return 10 * w.number(0, r, s) }
func (w wild) Price(r int, s, _ float64) float64 { return w.number(1, r, s) }
func (w wild) Rate(r int, s, _ float64) float64  { return 0.002 * w.number(2, r, s) }

// Any values give a bound: wild ones a lower one, in the mean never above what the optimum costs. The optimum is that
// of backward induction; with its values the bound is the optimum.
func TestTinyMarkets(t *testing.T) {
	draws := sim.Rand{Seed: 33}.Stream(sim.PurposeUser+902, 0)
	var gap, wildGap sample
	for i := *tinyFrom; i < *tinyFrom+*tiny; i++ {
		u := func(k int, low, high float64) float64 {
			return low * math.Pow(high/low, draws.Uniform(uint64(100*i)+uint64(k)))
		}
		c := chain{on: u(0, 600, 14400), off: u(1, 600, 14400), spot: int(u(2, 1, 9)), quota: int(u(3, 2, 9)), usd: u(4, 0.2, 3), loss: 0.54}
		c.within = time.Duration(u(5, 1.05, 3) * 24.76 / (0.000796 * math.Sqrt(float64(c.quota))) * 1e9)
		var optimum, exact, random sample
		for k := range uint64(*tinyRuns) {
			seed := uint64(100_000*i) + k
			_, start := c.future(seed, c.within).State(0)
			least := c.without(t, seed, planned(240, func(v *mdp.Values, work float64) {
				regime := 0
				if start[0] > 0 {
					regime = 1
				}
				optimum.add(v.Value(regime, 0, work))
			}))
			exact.add(least - optimum.last)
			random.add(c.without(t, seed, func([]bound.Regime, float64, float64, float64) bound.Values {
				return wild{sim.Rand{Seed: uint64(i)}.Stream(sim.PurposeUser+903, 0), u(6, 0.1, 3)}
			}) - optimum.last)
		}
		z := exact.mean() / optimum.mean()
		if sum := z + exact.spread() + random.mean() + random.spread(); math.IsNaN(sum) || math.IsInf(sum, 0) {
			t.Fatalf("%d: %v and %v are no numbers to compare", i, exact.mean(), random.mean())
		}
		t.Logf("%d: on %.0f s, off %.0f s, %d and %d, %.2f USD/h, %v: optimum %.3f, bound %+.2f %% +- %.2f, wild %+.1f %% +- %.1f", i,
			c.on, c.off, c.spot, c.quota,
			c.usd, c.within, optimum.mean(), 100*z, 100*exact.spread()/optimum.mean(), 100*random.mean()/optimum.mean(), 100*random.spread()/optimum.mean())
		gap.add(z)
		wildGap.add(random.mean() / optimum.mean())
		if z > 0.003+3*exact.spread()/optimum.mean() {
			t.Errorf("%d: %.2f %% above the optimum", i, 100*z)
		}
		if x := (random.mean() - 6*random.spread()) / optimum.mean(); x > 0.003 {
			t.Errorf("%d: wild values give a bound above the optimum", i)
		}
		if z < -0.03-3*exact.spread()/optimum.mean() {
			t.Errorf("%d: %.2f %% below the optimum, with its values", i, -100*z)
		}
	}
	if wildGap.mean() > 3*wildGap.spread() { // numbers of one market are skewed
		t.Errorf("wild values give a bound %.1f %% above the optimum in the mean", 100*wildGap.mean())
	}
	if gap.mean() < -0.02 {
		t.Errorf("%.2f %% below the optimum in the mean, with its values", -100*gap.mean())
	}
	t.Logf("bound %+.2f %% of the optimum in the mean, with wild values %+.1f %%", 100*gap.mean(), 100*wildGap.mean())
}
