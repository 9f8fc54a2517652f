package rollout_test

import (
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/rollout"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/synth"
)

// config is a run of spotDNN's job on a synthetic market with on demand beside it.
func config(t testing.TB, seed uint64, within time.Duration, p sim.Policy) sim.Config {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	var hs []sim.Trace
	for _, zone := range []string{"a", "b"} {
		for i := range profile {
			row := &profile[i]
			pool := sim.Pool{Name: zone + "/" + row.InstanceType, Region: "r", InstanceType: row.InstanceType, Quota: row.Quota,
				Notice: 2 * time.Minute, Boot: sim.DefaultBoot()}
			h := sim.Trace{Pool: pool, Prices: []sim.Price{{USD: row.SpotUSDPerH}}}
			draws := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+900, sim.NameEntity(pool.Name))
			for at, k := sim.Time(0), uint64(0); at < sim.At(9*3600); k++ {
				n := int(3*float64(row.Quota)*draws.Uniform(2*k)) - row.Quota
				h.Capacity = append(h.Capacity, sim.Capacity{At: at, N: min(max(n, 0), row.Quota)})
				at = at.After(3000 * draws.Exponential(2*k+1))
			}
			hs, types = append(hs, h), append(types, row.InstanceType)
			if zone == "b" {
				pool.Name, pool.OnDemand, pool.Quota, pool.Region = "on-demand/"+row.InstanceType, true, 2*row.Quota, ""
				hs = append(hs, sim.Trace{Pool: pool, Prices: []sim.Price{{USD: 3 * row.SpotUSDPerH}}})
				types = append(types, row.InstanceType)
			}
		}
	}
	m, err := sim.NewMarket(sim.At(9*3600), hs)
	if err != nil {
		t.Fatal(err)
	}
	asp, err := ps.NewASP(profile, coef, ps.FormArtifact, types)
	if err != nil {
		t.Fatal(err)
	}
	loss := 0.54
	if within < time.Hour {
		loss = 0.8
	}
	return sim.Config{Market: m, Seed: seed, Policy: p, Billing: sim.PerSecond(), Jobs: []sim.Job{{Model: asp, ParameterServers: 1,
		ParameterServerPrice: sim.DefaultParameterServerPrice, Objective: sim.Objective{Loss: loss, Within: within}}}}
}

func fresh(t testing.TB, name string, settings map[string]any) sim.Policy {
	t.Helper()
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := policies.Configure(p, settings); err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t testing.TB, c sim.Config) sim.Totals {
	t.Helper()
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return *w.Run()
}

// Without futures it is its base, to the last bit, but for looks that a policy within another one does not leave out.
func TestNoFutures(t *testing.T) {
	for seed := range uint64(2) {
		base := run(t, config(t, seed, 6*time.Hour, fresh(t, "spotdnn-safe", nil)))
		none := run(t, config(t, seed, 6*time.Hour, fresh(t, "rollout", map[string]any{"futures": 0})))
		base.Wakes, base.Decisions, base.Events = none.Wakes, none.Decisions, none.Events
		if !reflect.DeepEqual(base, none) {
			t.Errorf("seed %d:\n%+v, the base\n%+v", seed, none, base)
		}
	}
}

// It meets the deadline whatever it believes, decides otherwise than its base now and
// then, and the same on any number of cores.
func TestMeetsTheDeadline(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	priors := []map[string]any{
		{"futures": 2, "every_s": 7200},
		{"futures": 2, "every_s": 7200, "shocks_per_h": 0.01, "empty": 0.01, "full": 0.98, "prior_weight": 1e6}, // all will stay
		{"futures": 2, "every_s": 7200, "shocks_per_h": 30, "empty": 0.9, "full": 0.05, "prior_weight": 1e6},    // nothing will
	}
	var usd [4]float64
	for seed := range uint64(2) {
		base := run(t, config(t, seed, 6*time.Hour, fresh(t, "spotdnn-safe", nil)))
		usd[3] += base.Bill.Total()
		totals := make([]sim.Totals, 2*len(priors))
		var wait sync.WaitGroup
		for k := range totals {
			c := config(t, seed, 6*time.Hour, fresh(t, "rollout", priors[k/2]))
			wait.Go(func() { totals[k] = run(t, c) })
		}
		wait.Wait()
		for k, settings := range priors {
			if !reflect.DeepEqual(totals[2*k], totals[2*k+1]) {
				t.Errorf("seed %d, %v: two runs differ", seed, settings)
			}
			if job := totals[2*k].Jobs[0]; !job.Finished || job.Elapsed > 6*time.Hour {
				t.Errorf("seed %d, %v: %+v", seed, settings, job)
			}
			usd[k] += totals[2*k].Bill.Total()
		}
	}
	if usd[0] == usd[3] || usd[1] == usd[2] {
		t.Errorf("%v USD under three beliefs and the base: what is imagined changes nothing", usd)
	}
}

// diary keeps what was considered.
type diary struct{ candidates, chosen, futures int }

func (*diary) Span(*sim.Span) {}

func (d *diary) Decision(_ sim.View, plan *sim.Plan, _ bool) {
	for _, c := range plan.Candidates() {
		if strings.Contains(c.Note, "meets the objective in") {
			d.candidates++
			if c.Chosen {
				d.chosen++
			}
		}
	}
	for _, x := range plan.Inputs() {
		if x.Name == "imagined futures" {
			d.futures++
		}
	}
}

// A recorder is told what was tried; of each list one is chosen.
func TestExplains(t *testing.T) {
	var d diary
	c := config(t, 1, 6*time.Hour, fresh(t, "rollout", map[string]any{"futures": 1, "every_s": 7200}))
	c.Recorder = &d
	run(t, c)
	if d.futures < 5 || d.chosen != d.futures || d.candidates < 5*d.futures {
		t.Errorf("%+v", d)
	}
}

// What is believed at first is what the calibrated generator makes: with the masses that
// the prior has, and as often anew.
func TestPriorIsPublished(t *testing.T) {
	check := near.Count(t)
	prior, synthetic := rollout.DefaultPrior(), synth.DefaultSynthetic()
	if rate := synthetic.GlobalShocks + synthetic.RegionShocks + synthetic.PoolShocks; check.Off(prior.Shocks, rate, 1e-9) {
		t.Errorf("%v shocks an hour, made %v", prior.Shocks, rate)
	}
	if prior.Empty != synthetic.Empty || check.Off(prior.Alike-synthetic.GlobalShare, synthetic.RegionShare, 1e-9) {
		t.Errorf("%+v, made %+v", prior, synthetic)
	}
}
