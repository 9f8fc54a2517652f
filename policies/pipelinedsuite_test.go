package policies_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

const pipedSamples = 30000

// inPipelines are the jobs of simtest on pipelines of two and three stages, with
// what a policy needs of a loss.
func inPipelines(needs policies.Needs) func(n int) []sim.Job {
	loss := map[policies.Needs]pipeline.LossRule{policies.CoveredPipelines: pipeline.LossCovered, policies.ReplicatedPipelines: pipeline.LossReinstantiated}[needs]
	model, err := pipeline.New(pipedSamples, 16, []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 2, SamplesPerS: 1},
		{Pipelines: 1, Stages: 3, SamplesPerS: 1.3}, {Pipelines: 2, Stages: 2, SamplesPerS: 1.9}, {Pipelines: 2, Stages: 3, SamplesPerS: 2.5},
		{Pipelines: 3, Stages: 3, SamplesPerS: 3.6}, {Pipelines: 4, Stages: 3, SamplesPerS: 4.5}},
		pipeline.Recovery{Loss: loss, Restart: 70 * time.Second, Reconfigure: 20 * time.Second, Save: 8 * time.Second, Persist: 30 * time.Second,
			Slowdown: 1.5, Redundant: 0.1})
	if err != nil {
		panic(err)
	}
	var on sim.Model = model
	if needs == policies.MigratingPipelines {
		on = migrating(pipedSamples)
	}
	return func(n int) []sim.Job {
		jobs := simtest.Jobs(n)
		for i := range jobs {
			jobs[i].Model, jobs[i].ParameterServers = on, 0
			jobs[i].Objective = sim.Objective{Within: 3 * time.Hour}
		}
		return jobs
	}
}

// migrating is a small network with migrations: six layers, and the layouts of
// inPipelines.
func migrating(samples float64) *pipeline.Migrating {
	costs := pipeline.NewParcae(pipeline.Parcae{Batch: 16, MinPipelines: 1, Layers: []float64{3e6, 1e6, 1e6, 1e6, 1e6, 2e6}, Depths: []int{2, 3},
		Restart: pipeline.RestartCosts{Rendezvous: 7000, Process: 200, Regroup: 1500, Save: 14000,
			Build: func(stages int) float64 { return 9000 / float64(stages) }},
		Transfer: pipeline.TransferTable{Bytes: []float64{0, 1e9}, MS: []float64{1, 8000}},
	}, []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 2, SamplesPerS: 1}, {Pipelines: 1, Stages: 3, SamplesPerS: 1.3}, {Pipelines: 2, Stages: 2, SamplesPerS: 1.9},
		{Pipelines: 2, Stages: 3, SamplesPerS: 2.5}, {Pipelines: 3, Stages: 3, SamplesPerS: 3.6}, {Pipelines: 4, Stages: 3, SamplesPerS: 4.5}})
	m, err := pipeline.NewMigrating(samples, costs, 8*time.Second, 0.02)
	if err != nil {
		panic(err)
	}
	return m
}

// withMarket tells an oracle the future.
func withMarket(p sim.Policy, m *sim.Market) sim.Policy {
	if oracle, ok := p.(policies.Oracle); ok {
		oracle.SetMarket(m)
	}
	return p
}

// forPipelines calls visit with every policy that pipelines can have, and with
// those on a fixed number of instances on several.
func forPipelines(visit func(name string, needs policies.Needs, fresh func() sim.Policy)) {
	for _, info := range policies.List() {
		switch info.Needs {
		case policies.WorkerModels, policies.ServerModels, policies.Gangs, policies.Sessions, policies.Layouts:
		case policies.OneType:
			visit(info.Name, info.Needs, info.Defaults)
			visit(info.Name+" on 6", info.Needs, func() sim.Policy {
				p := info.Defaults()
				err := policies.Configure(p, map[string]any{"instances": 6, "poll_s": 60, "changeover_s": 120})
				if err != nil {
					panic(err)
				}
				return p
			})
		default:
			visit(info.Name, info.Needs, func() sim.Policy { return quick(info) })
		}
	}
}

func TestSuiteInPipelines(t *testing.T) {
	forPipelines(func(name string, needs policies.Needs, fresh func() sim.Policy) {
		t.Run(name, func(t *testing.T) {
			simtest.Suite(t, func(m *sim.Market) sim.Policy { return withMarket(fresh(), m) }, simtest.On(inPipelines(needs)), simtest.Seeds(*suites))
		})
	})
}

// Samples are those that are not left to do, whatever was lost; no policy asks to
// be woken for ever without getting on.
func TestWorkInPipelines(t *testing.T) {
	check := near.Count(t)
	forPipelines(func(name string, needs policies.Needs, fresh func() sim.Policy) {
		seeds, trained := testutil.Size(6, 20), 0.0
		for seed := range uint64(seeds) {
			m := simtest.Market(seed, 8*time.Hour, sim.Never)
			w, err := sim.New(sim.Config{Market: m, Jobs: inPipelines(needs)(2), Policy: withMarket(fresh(), m), Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			total := w.Run()
			for i, j := range total.Jobs {
				counts := 0.0
				if !math.IsInf(j.Loss, 1) {
					counts = pipedSamples - j.Loss
				}
				if check.Off(j.Samples, counts, 1e-3) {
					t.Errorf("%s, seed %d, job %d: %v samples, %v are not left", name, seed, i, j.Samples, counts)
				}
				trained += j.Samples
			}
			if total.Decisions > 5000 {
				t.Errorf("%s, seed %d: %d decisions, %d on its own timer", name, seed, total.Decisions, total.Wakes)
			}
		}
		t.Logf("%s: %.0f samples on the mean", name, trained/float64(2*seeds))
		if trained == 0 {
			t.Errorf("%s: nothing was trained", name)
		}
	})
}

// With instances on demand for all, and a changeover that covers boot, restart and
// what is lost between two saves, a deadline that can be met is met on any market:
// the saves at every poll, an eighth of the time here, are reckoned with, also where
// the policy says how many instances there are to be.
func TestDeadlinesInPipelines(t *testing.T) {
	for _, c := range []struct {
		name      string
		instances float64
		within    time.Duration
	}{
		{"greedy", 6, 5 * time.Hour}, {"uniform-progress", 6, 5 * time.Hour}, {"time-sliced", 6, 5 * time.Hour}, // of which it trains 3 h 20 min
		{"greedy", 0, 5 * time.Hour}, {"uniform-progress", 0, 7 * time.Hour}, {"time-sliced", 0, 8 * time.Hour},
	} {
		late := 0
		for seed := range uint64(60) {
			p := with(t, c.name, map[string]any{"instances": c.instances, "poll_s": 60, "changeover_s": 300})
			jobs := inPipelines(policies.OneType)(1)
			jobs[0].Objective.Within = c.within
			w, err := sim.New(sim.Config{Market: simtest.Market(seed, 12*time.Hour, sim.Never), Jobs: jobs, Policy: p, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			j := w.Run().Jobs[0]
			if !j.Finished || j.Elapsed > c.within {
				late++
				t.Logf("%+v, seed %d: finished %v after %v: %v", c, seed, j.Finished, j.Elapsed, j.Activities)
			}
		}
		if late > 0 {
			t.Errorf("%+v: %d of 60 are late", c, late)
		}
	}
}
