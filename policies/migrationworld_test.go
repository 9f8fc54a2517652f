package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// Six instances, ready at once, train 3 pipelines of 2 stages; the trace takes
// one at 1000 s, with a notice of 100 s. What follows is arithmetic: a regroup takes
// 0.5 s, a restart 2.56 s with servers and 14 s more without.
func TestMigrationInTheWorld(t *testing.T) {
	check := near.Count(t)
	costs := pipeline.NewParcae(pipeline.Parcae{Batch: 10, MinPipelines: 1, Layers: []float64{1e6, 1e6, 1e6, 1e6, 1e6},
		Depths: []int{2},
		Restart: pipeline.RestartCosts{Rendezvous: 5000, Process: 100, Regroup: 400, Save: 14000,
			Build: func(int) float64 { return 2000 }},
		Transfer: pipeline.TransferTable{Bytes: []float64{0, 1e9}, MS: []float64{0, 1000}},
	}, []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 2, SamplesPerS: 10}, {Pipelines: 2, Stages: 2, SamplesPerS: 20},
		{Pipelines: 3, Stages: 2, SamplesPerS: 30}})
	model, err := pipeline.NewMigrating(1e9, costs, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	h := sim.Trace{Pool: sim.Pool{Name: "p", Quota: 6, Notice: 100 * time.Second}, Prices: []sim.Price{{USD: 1}},
		Capacity: []sim.Capacity{{N: 6}, {At: sim.At(1000), N: 5}}}
	market, err := sim.NewMarket(sim.At(2000), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		policy  string
		set     map[string]any
		samples float64
	}{
		{"parcae", nil, 900*30 + (1100-0.5)*20},
		{"parcae-reactive", nil, 900*30 + (1100-0.5)*20},
		// the loss comes at the end of a step of 10 samples, which counts
		{"parcae-reactive", map[string]any{"grace": false}, 1000*30 + (1000-0.5)*20},
		{"parcae", map[string]any{"grace": false}, 1000*30 + (1000-0.5)*20},
		{"parcae-ideal", nil, 900*30 + (1100-0.5)*20},
		{"parcae", map[string]any{"optimise": false, "migrations": false}, 900*30 + (1100-2.56)*20},
		// without servers the state is saved within the notice
		{"throughput-optimal", nil, 900*30 + (1100-16.56)*20},
		// or, if that is not used, all since the last save is done again: saves at 300, 600, 900
		{"throughput-optimal", map[string]any{"grace": false, "save_s": 300}, 900*30 + (1000-16.56)*20},
		// where changes cost nothing nobody leaves early
		{"ideal-no-overhead", nil, 1000*30 + 1000*20},
	} {
		p := with(t, c.policy, c.set)
		w, err := sim.New(sim.Config{Market: market, Policy: withMarket(p, market),
			Jobs:    []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}, ParameterServerPrice: 0.68}},
			Billing: sim.PerSecond()})
		if err != nil {
			t.Fatal(err)
		}
		got := w.Run()
		if check.Off(got.Jobs[0].Samples, c.samples, 1e-3) {
			t.Errorf("%s %v: %v samples, want %v", c.policy, c.set, got.Jobs[0].Samples, c.samples)
		}
		servers := 0.68 * 2000 / 3600
		if c.policy == "throughput-optimal" || c.policy == "ideal-no-overhead" {
			servers = 0
		}
		if check.Off(got.Bill.ParameterServers, servers, 1e-9) {
			t.Errorf("%s: parameter servers cost %v, want %v", c.policy, got.Bill.ParameterServers, servers)
		}
	}
}
