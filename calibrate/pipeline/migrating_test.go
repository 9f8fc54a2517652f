package pipeline

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// small is a network of five layers on three or two stages, with round numbers: a
// megabyte takes 1 ms to send, so that a layer of 1e6 parameters takes 12 ms.
func small() *Parcae {
	return NewParcae(Parcae{Batch: 8, MinPipelines: 1, Layers: []float64{1e6, 1e6, 1e6, 1e6, 1e6}, Depths: []int{2, 3},
		Restart:  RestartCosts{Rendezvous: 5000, Process: 100, Regroup: 400, Save: 14000, Build: func(int) float64 { return 2000 }},
		Transfer: TransferTable{Bytes: []float64{0, 1e9}, MS: []float64{0, 1000}},
	}, []LayoutSpeed{{1, 2, 10}, {2, 2, 19}, {3, 2, 27}, {1, 3, 14}, {2, 3, 26}})
}

func TestMigratingChange(t *testing.T) {
	check := near.Count(t)
	m, err := NewMigrating(1e6, small(), 0, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	layout := func(d, p, servers int32) *sim.Layout {
		return &sim.Layout{Workers: []int32{d * p}, Pipelines: d, Stages: p, Servers: servers}
	}
	type places = []sim.Place
	for _, c := range []struct {
		name    string
		from    sim.Place
		hit     places
		lost    int32
		to      *sim.Layout
		restart bool
		ms      float64
		as      sim.Activity
		back    bool // to the last save
		step    bool // the step under way is lost
	}{
		{"nothing", sim.Place{Pipeline: 2, Stage: 2}, nil, 0, layout(2, 2, 1), false, 0, 0, false, false},
		{"an idle instance", sim.Place{Pipeline: 2, Stage: 2}, nil, 1, layout(2, 2, 1), false, 0, 0, false, false},
		// 1 of 3 pipelines goes: groups are rebuilt
		{"intra-stage, at the notice", sim.Place{Pipeline: 3, Stage: 2}, places{{Pipeline: 0, Stage: 1}}, 0, layout(2, 2, 1), false, 500, sim.Reconfiguring,
			false, false},
		{"intra-stage, when it is gone", sim.Place{Pipeline: 3, Stage: 2}, places{{Pipeline: 0, Stage: 1}}, 1, layout(2, 2, 1), false, 500, sim.Reconfiguring,
			false, true},
		// a spare takes a place: it joins; stage 0 has 3 layers, so 36 ms
		{"inter-stage", sim.Place{Pipeline: 3, Stage: 2}, places{{Pipeline: 1, Stage: 0}}, 1, layout(3, 2, 1), false, 36 + 5000 + 2000 + 500,
			sim.Reconfiguring, false, true},
		{"a stage is extinct", sim.Place{Pipeline: 2, Stage: 2}, places{{Pipeline: 0, Stage: 0}, {Pipeline: 1, Stage: 0}}, 2, layout(1, 2, 1), false,
			36 + 2000 + 500, sim.Restoring, false, true},
		{"a stage is extinct, no servers", sim.Place{Pipeline: 2, Stage: 2}, places{{Pipeline: 0, Stage: 0}, {Pipeline: 1, Stage: 0}}, 2, layout(1, 2, 0),
			false, 36 + 2000 + 500, sim.Restoring, true, true},
		{"a stage that will be, no servers", sim.Place{Pipeline: 2, Stage: 2}, places{{Pipeline: 0, Stage: 0}, {Pipeline: 1, Stage: 0}}, 0, layout(1, 2, 0),
			false, 36 + 2000 + 500, sim.Reconfiguring, false, false},
		{"a restart", sim.Place{Pipeline: 3, Stage: 2}, places{{Pipeline: 0, Stage: 1}}, 1, layout(2, 2, 0), true, 14000 + 60 + 2000 + 500, sim.Restoring,
			true, true},
		{"a restart with servers", sim.Place{Pipeline: 3, Stage: 2}, places{{Pipeline: 0, Stage: 1}}, 1, layout(2, 2, 1), true, 60 + 2000 + 500,
			sim.Restoring, false, true},
		{"suspended", sim.Place{Pipeline: 2, Stage: 2}, places{{Pipeline: 0, Stage: 1}}, 1, layout(0, 0, 1), false, 0, 0, false, false},
	} {
		p := m.Change(&sim.Change{From: layout(c.from.Pipeline, c.from.Stage, 1), To: c.to, Lost: c.lost, LostPlaces: c.hit, Grid: c.from, Restart: c.restart})
		want := sim.Pause{Stall: time.Duration(c.ms * 1e6), As: c.as, Rollback: c.back, DropStep: c.step}
		if d := p.Stall - want.Stall; d > -2 && d < 2 {
			p.Stall = want.Stall
		}
		if p != want {
			t.Errorf("%s: %+v, want %+v", c.name, p, want)
		}
	}
	slow := small()
	slow.Transfer.MS[1] = 1e300
	if m, err = NewMigrating(1e6, NewParcae(*slow, []LayoutSpeed{{1, 2, 10}, {1, 3, 14}}), 0, 0.1); err != nil {
		t.Fatal(err)
	}
	if p := m.Change(&sim.Change{From: layout(1, 2, 1), To: layout(1, 3, 1), Grid: sim.Place{Pipeline: 1, Stage: 2}}); p.Stall < 24*365*time.Hour {
		t.Errorf("over a link that sends nothing a migration takes %v", p.Stall)
	}
	if m, err = NewMigrating(1e6, small(), 0, 0.1); err != nil {
		t.Fatal(err)
	}
	if v := m.Rate(layout(2, 2, 1)).Samples; check.Off(v, 0.9*19, 1e-12) {
		t.Errorf("with servers %v samples/s", v)
	}
	if v := m.Rate(layout(2, 2, 0)).Samples; v != 19 {
		t.Errorf("without %v", v)
	}
	if _, err := NewMigrating(1e6, small(), 0, 1); err == nil {
		t.Error("parameter servers may take all of the speed")
	}
}
