package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Three machines do 3 units a second; one goes after 100 s, and its successor
// could be had at once, ready 50 s later. Of 600 units 300 are left:
//
//	without replacement at 2/s: 100 + 150 s
//	with, 2/s for 50 s, then 3/s: 100 + 50 + 200/3 s
//	with two instances from the start, one of which goes: 100 + 400 s
//
// and 50 s to boot first.
func TestFixed(t *testing.T) {
	check := near.Count(t)
	h := sim.Trace{Pool: sim.Pool{Name: "spot", InstanceType: "spot", Quota: 3}, Prices: []sim.Price{{USD: 1}}}
	for n := range 3 {
		h.Nodes = append(h.Nodes, sim.NodeEvent{Node: n, Up: true})
	}
	h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.At(150), Node: 0},
		sim.NodeEvent{At: sim.At(150) + 1, Node: 0, Up: true})
	h.Boot.Median = 50 * time.Second
	od := sim.Trace{Pool: sim.Pool{Name: "od", OnDemand: true, Quota: 9}, Prices: []sim.Price{{USD: 1}}}
	for _, notice := range []time.Duration{0, 30 * time.Second} {
		h.Notice = notice
		m, err := sim.NewMarket(sim.At(3600), []sim.Trace{h, od})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			policy  policies.Fixed
			seconds float64
			grants  int64
		}{
			{policies.Fixed{}, 300, 3},
			{policies.Fixed{Replace: true}, 50 + 100 + 50 + 200./3, 4},
			{policies.Fixed{Instances: 2}, 50 + 100 + 400, 3}, // the third is granted at the loss, and given back unused
		} {
			w, err := sim.New(sim.Config{Market: m, Policy: &x.policy, Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 1},
				Objective: sim.Objective{Loss: simtest.LossAt(600), Within: time.Hour}}}})
			if err != nil {
				t.Fatal(err)
			}
			r := w.Run()
			if got := r.Jobs[0].Elapsed.Seconds(); !r.Jobs[0].Finished || check.OffRel(got, x.seconds, 1e-6) ||
				r.Grants != x.grants {
				t.Errorf("notice %v, %+v: %v s, %d grants, want %v s, %d", notice, x.policy, got, r.Grants, x.seconds, x.grants)
			}
		}
	}
}
