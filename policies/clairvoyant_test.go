package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// foreseen is a run of simtest's market that a policy was told, and what comes of it.
func foreseen(t *testing.T, p sim.Policy, seed uint64, within time.Duration) (sim.Config, *sim.Totals) {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	coef.BeginLoss = 4.605
	m := simtest.Market(seed, 6*time.Hour, sim.Never)
	types := make([]string, m.Pools())
	for i := range types {
		types[i] = map[string]string{"small": "g4dn.4xlarge", "large": "p3.2xlarge"}[m.Pool(i).InstanceType]
	}
	model, err := ps.NewASP(profile, coef, ps.FormArtifact, types)
	if err != nil {
		t.Fatal(err)
	}
	c := sim.Config{Market: m, Policy: p, Seed: seed, Billing: sim.PerSecond(), Jobs: []sim.Job{{Model: model, ParameterServers: 1,
		ParameterServerPrice: 0.192, Objective: sim.Objective{Loss: 0.62, Within: within}}}}
	if oracle, ok := p.(policies.RunOracle); ok {
		if err := oracle.SetRun(c); err != nil {
			t.Fatal(err)
		}
	}
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return c, w.Run()
}

// Who knows the future meets the objective wherever another does, and at no higher cost.
func TestClairvoyantIsNeverBeaten(t *testing.T) {
	check := near.Count(t)
	met := 0
	for seed := range uint64(6) {
		within := time.Duration(2+seed%3) * time.Hour
		oracle, _ := policies.New("clairvoyant")
		_, best := foreseen(t, oracle, seed, within)
		for _, name := range []string{"ondemand", "reactive", "spotdnn", "spotdnn-safe", "mdp"} {
			p, err := policies.New(name)
			if err != nil {
				t.Fatal(err)
			}
			_, total := foreseen(t, p, seed, within)
			if j := total.Jobs[0]; !j.Finished || j.Elapsed > within {
				continue
			}
			met++
			if j := best.Jobs[0]; !j.Finished || j.Elapsed > within || check.Above(best.Bill.Total(), total.Bill.Total()) {
				t.Errorf("seed %d: clairvoyant %v USD after %v, %s %v USD", seed, best.Bill.Total(), j.Elapsed, name, total.Bill.Total())
			}
		}
	}
	if met == 0 {
		t.Error("no policy met an objective")
	}
}

// It decides by what it sees: a fork ends as the run does, and a run again as the first.
func TestClairvoyantForks(t *testing.T) {
	p, _ := policies.New("clairvoyant")
	c, total := foreseen(t, p, 3, 3*time.Hour)
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(sim.At(3000))
	var fork sim.World
	w.Fork(&fork, p)
	for name, got := range map[string]*sim.Totals{"fork": fork.Run(), "run": w.Run()} {
		if got.Bill != total.Bill || got.Jobs[0].Elapsed != total.Jobs[0].Elapsed {
			t.Errorf("the %s costs %+v, the first run %+v", name, got.Bill, total.Bill)
		}
	}
}

// It is an error, or a panic, to run it without the future.
func TestClairvoyantNeedsTheRun(t *testing.T) {
	p, _ := policies.New("clairvoyant")
	m := simtest.Market(1, time.Hour, sim.Never)
	if err := p.(policies.RunOracle).SetRun(sim.Config{Market: m, Jobs: simtest.Jobs(2)}); err == nil {
		t.Error("two jobs were accepted")
	}
	defer func() {
		if recover() == nil {
			t.Error("a run that was not foretold began")
		}
	}()
	w, err := sim.New(sim.Config{Market: m, Jobs: simtest.Jobs(1), Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	w.Run()
}
