package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// Up to six instances, ready at once, on pipelines of 2 stages. What follows is
// arithmetic: idle instances are given back a minute after the numbers changed,
// and asked for at 900 and 1800 s; a regroup takes 0.5 s.
func TestParcaeRobust(t *testing.T) {
	check := near.Count(t)
	for name, c := range map[string]struct {
		speeds    [3]float64 // of 1, 2 and 3 pipelines
		capacity  []sim.Capacity
		set       map[string]any
		samples   float64
		instanceS float64
	}{
		"the third pipeline is not worth it": {[3]float64{10, 20, 21}, []sim.Capacity{{N: 6}}, nil, 2000 * 20,
			4*2000 + 3*2*60},
		"half its share is worth it": {[3]float64{10, 20, 25}, []sim.Capacity{{N: 6}}, nil, 2000 * 25, 6 * 2000},
		"slack is a bound": {[3]float64{10, 20, 21}, []sim.Capacity{{N: 6}}, map[string]any{"slack": 0.04},
			2000 * 21, 6 * 2000},
		"five are one too many": {[3]float64{10, 20, 30}, []sim.Capacity{{N: 5}}, nil,
			2000 * 20, 4*2000 + 3*60},
		"nothing fits": {[3]float64{0, 0, 30}, []sim.Capacity{{N: 5}}, nil, 0, 3 * 5 * 60},
		// Without servers somebody keeps the state.
		"nothing fits, no servers": {[3]float64{0, 0, 30}, []sim.Capacity{{N: 5}}, map[string]any{"servers": 0}, 0, 5 * 2000},
		// Notice at 900 s, places are left at 980, one goes at 1000; the fifth is idle until 1020.
		"places are left late": {[3]float64{10, 20, 30}, []sim.Capacity{{N: 6}, {At: sim.At(1000), N: 5}}, nil,
			980*30 + (1020-0.5)*20, 6*1000 + 5*20 + 4*980 + 60},
		"and in time": {[3]float64{10, 20, 30}, []sim.Capacity{{N: 6}, {At: sim.At(1000), N: 5}},
			map[string]any{"lead_s": 0, "patience_s": 2000},
			900*30 + (1100-0.5)*20, 6*1000 + 5*1000},
		// Notice at 600 s; what is asked for then comes under notice at once, and three
		// more come at 710, whose state and start take 7.524 s.
		"asked for when one goes": {[3]float64{10, 20, 30},
			[]sim.Capacity{{N: 5}, {At: sim.At(700), N: 3}, {At: sim.At(710), N: 6}}, nil,
			680*20 + (30-0.5)*10 + (1290-7.524)*30, 5*60 + 4*540 + 5*100 + 3*10 + 6*1290},
	} {
		t.Run(name, func(t *testing.T) {
			var speeds []pipeline.LayoutSpeed
			for d, v := range c.speeds {
				if v > 0 {
					speeds = append(speeds, pipeline.LayoutSpeed{Pipelines: d + 1, Stages: 2, SamplesPerS: v})
				}
			}
			costs := pipeline.NewParcae(pipeline.Parcae{Batch: 10, MinPipelines: 1, Layers: []float64{1e6, 1e6, 1e6},
				Depths: []int{2},
				Restart: pipeline.RestartCosts{Rendezvous: 5000, Process: 100, Regroup: 400, Save: 14000,
					Build: func(int) float64 { return 2000 }},
				Transfer: pipeline.TransferTable{Bytes: []float64{0, 1e9}, MS: []float64{0, 1000}},
			}, speeds)
			model, err := pipeline.NewMigrating(1e9, costs, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			market, err := sim.NewMarket(sim.At(2000),
				[]sim.Trace{{Pool: sim.Pool{Name: "p", Quota: 6, Notice: 100 * time.Second},
					Prices: []sim.Price{{USD: 3600}}, Capacity: c.capacity}})
			if err != nil {
				t.Fatal(err)
			}
			w, err := sim.New(sim.Config{Market: market, Policy: with(t, "parcae-robust", c.set),
				Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}}}, Billing: sim.PerSecond()})
			if err != nil {
				t.Fatal(err)
			}
			got := w.Run()
			if check.Off(got.Jobs[0].Samples, c.samples, 1e-3) {
				t.Errorf("%v samples, want %v", got.Jobs[0].Samples, c.samples)
			}
			if paid := got.Bill.Spot + got.Bill.TopUp; check.Off(paid, c.instanceS, 1e-3) {
				t.Errorf("%v s of instances are paid, want %v", paid, c.instanceS)
			}
		})
	}
}
