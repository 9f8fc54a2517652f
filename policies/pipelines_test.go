package policies_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// onFour runs a policy for 1100 s on four instances, ready at once, of which the
// first goes at lossAt (0: none), with one sample a second an instance in steps
// of ten samples an instance.
func onFour(t *testing.T, p sim.Policy, r calibrate.Recovery, lossAt float64) *sim.Totals {
	t.Helper()
	h := sim.History{Pool: sim.Pool{Name: "p", Quota: 4}, Prices: []sim.Price{{USD: 1}}}
	for i := range 4 {
		h.Nodes = append(h.Nodes, sim.NodeEvent{Node: i, Up: true})
	}
	if lossAt > 0 {
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.At(lossAt)})
	}
	market, err := sim.NewMarket(sim.At(1100), []sim.History{h})
	if err != nil {
		t.Fatal(err)
	}
	model, err := calibrate.NewPipelined(1e6, 40, []calibrate.LayoutSpeed{{Pipelines: 4, Stages: 1, SamplesPerS: 4}, {Pipelines: 3, Stages: 1, SamplesPerS: 3}}, r)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: p, Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	totals := *w.Run()
	return &totals
}

// A fleet to which nothing happens is saved all the same, and one that lost an
// instance goes on from there.
func TestSavesOnAQuietFleet(t *testing.T) {
	recovery := calibrate.Recovery{Restart: 50 * time.Second, Save: 10 * time.Second}
	for _, c := range []struct {
		name    string
		policy  sim.Policy
		lossAt  float64
		saves   time.Duration // instance time
		samples float64
	}{
		{"checkpoint", &policies.Checkpoint{Interval: 100 * time.Second}, 0, 10 * 40 * time.Second, 4 * 1000},
		{"varuna", &policies.Varuna{Steps: 10}, 0, 10 * 40 * time.Second, 4 * 1000},
		// four saves until 440; lost at 500; trains from 550, with saves after 650, 760, 870, 980 and 1090 s
		{"checkpoint, a loss", &policies.Checkpoint{Interval: 100 * time.Second}, 500, 4*40*time.Second + 5*30*time.Second, 4*400 + 3*500},
	} {
		got := onFour(t, c.policy, recovery, c.lossAt)
		if j := &got.Jobs[0]; j.Activities[sim.Checkpointing].Round(time.Millisecond) != c.saves || math.Abs(1e6-j.Loss-c.samples) > 1e-3 {
			t.Errorf("%s: saved for %v, %v samples, want %v, %v", c.name, j.Activities[sim.Checkpointing], 1e6-j.Loss, c.saves, c.samples)
		}
	}
}

// The step under way at a loss is dropped although the policy is asked only after
// the layout has come to a stop.
func TestOobleckDropsTheStep(t *testing.T) {
	got := onFour(t, &policies.Oobleck{}, calibrate.Recovery{Loss: calibrate.LossReinstantiated, Relay: 20 * time.Second}, 107)
	if samples := 1e6 - got.Jobs[0].Loss; math.Abs(samples-(10*40+(1100-127)*3)) > 1e-3 {
		t.Errorf("%v samples", samples)
	}
}
