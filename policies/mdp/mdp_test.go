package mdp_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// config is a run of spotDNN's job in 6 h on one spot pool that is on and off for exponential times, in hours, and on demand. Off
// for 0 hours is a pool that never has room.
func config(t testing.TB, seed uint64, on, off float64, policy string) sim.Config {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	coef.BeginLoss = 4.605
	pool := sim.Pool{Name: "a/p3.2xlarge", InstanceType: "p3.2xlarge", Quota: 8, Notice: 2 * time.Minute, Boot: sim.DefaultBoot()}
	spot := sim.Trace{Pool: pool, Prices: []sim.Price{{USD: 0.918}}, Capacity: []sim.Capacity{{}}}
	draws := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+901, 0)
	for at, k := sim.At(60*20*draws.Uniform(0)), uint64(1); off > 0 && at < sim.At(7*3600); k++ {
		mean, n := on, 8
		if k%2 == 0 {
			mean, n = off, 0
		}
		spot.Capacity = append(spot.Capacity, sim.Capacity{At: at, N: n})
		at = at.After(1 + 3600*mean*draws.Exponential(k))
	}
	pool.Name, pool.OnDemand, pool.OnDemandPrice = "on-demand/p3.2xlarge", true, 3.06
	m, err := sim.NewMarket(sim.At(7*3600), []sim.Trace{spot, {Pool: pool, Prices: []sim.Price{{USD: 3.06}}}})
	if err != nil {
		t.Fatal(err)
	}
	asp, err := ps.NewASP(profile, coef, ps.FormArtifact, []string{"p3.2xlarge", "p3.2xlarge"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Config{Market: m, Seed: seed, Policy: p, Billing: sim.PerSecond(), Jobs: []sim.Job{{Model: asp, ParameterServers: 1,
		ParameterServerPrice: sim.DefaultParameterServerPrice, Objective: sim.Objective{Loss: 0.54, Within: 6 * time.Hour}}}}
}

// mean is what a policy costs in the mean of some seeds; none of its runs is late.
func mean(t testing.TB, on, off float64, policy string) (usd float64) {
	const seeds = 10
	for seed := range uint64(seeds) {
		w, err := sim.New(config(t, 100+seed, on, off, policy))
		if err != nil {
			t.Fatal(err)
		}
		r := w.Run()
		if j := r.Jobs[0]; !j.Finished || j.Elapsed > 6*time.Hour {
			t.Errorf("on %v h, off %v h, seed %d: %s is late: %v", on, off, 100+seed, policy, j.Elapsed)
		}
		usd += r.Bill.Total() / seeds
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
		usd, other := mean(t, c.on, c.off, "mdp"), mean(t, c.on, c.off, c.than)
		t.Logf("on %v h, off %v h: mdp %.2f USD, %s %.2f", c.on, c.off, usd, c.than, other)
		if usd > c.share*other {
			t.Errorf("on %v h, off %v h: mdp costs %.2f USD, expected at most %v of the %.2f of %s", c.on, c.off, usd, c.share, other, c.than)
		}
	}
}
