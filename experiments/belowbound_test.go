package experiments

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// ender says that the job is done after a while, which no policy of a training job may say: its
// runs are below any bound.
type ender struct{}

func (ender) Name() string { return "ender" }

func (ender) Decide(v sim.View, plan *sim.Plan) {
	plan.WakeIn(10 * time.Minute)
	plan.Jobs[0].Done = v.Trigger()&sim.TriggerWake != 0
}

// A met run below its bound is an error, with its number, wherever both numbers are made.
func TestRunsBelowTheirBoundAreErrors(t *testing.T) {
	s, err := spec.Parse("below.yaml", []byte(`name: below
seeds: 3
bound: true
model: {published: spotdnn-resnet110}
objectives: [{name: easy, loss: 0.9, time_s: 36000}, {name: o, loss: 0.8, time_s: 36000}]
policies: [{name: ondemand}, {name: reactive}]
market:
  synthetic: {regions: 1, zones: 1, machines: 4}
  pools: [{type: g4dn.4xlarge, quota: 4, on_demand_quota: 8, on_demand_usd_per_h: 1.20}]
`))
	if err != nil {
		t.Fatal(err)
	}
	study, err := NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	w := study.Worker()
	defer w.Close()
	says := func(what string, err error, words ...string) {
		t.Helper()
		if !errors.As(err, new(*results.BelowBound)) {
			t.Errorf("%s: got %v", what, err)
			return
		}
		for _, x := range append(words, "is below its bound: it met the objective for ", "after 600.000000 s", "a defect of marigram") {
			if !strings.Contains(err.Error(), x) {
				t.Errorf("%s: %q is not in %v", what, x, err)
			}
		}
	}
	if _, err := w.Run(Case{Run: 1, Objective: 1, Seed: 2}); err != nil {
		t.Errorf("ondemand: %v", err)
	}
	w.policies[0] = ender{}
	c := Case{Run: 8, Objective: 1, Seed: 3}
	_, err = w.Run(c)
	says("Run", err, "run 8 (policy ondemand, objective o, start 0 s, seed 3)")
	_, err = w.Record(c)
	says("Record", err, "run 8 (")
	if row := w.Row(c); !strings.Contains(row.Error, "run 8 (policy ondemand, objective o, start 0 s, seed 3) is below its bound") {
		t.Errorf("Row: %q", row.Error)
	}
	w.policies[0], w.policies[1] = nil, ender{}
	rows := make([]BoundRow, 2)
	err = w.bounds(Case{Run: 2, Seed: 3}, true, func(o int) *BoundRow { return &rows[o] })
	says("bounds", err, "run 5 (policy reactive, objective easy, start 0 s, seed 3)") // objective 0, policy 1, seed 2 of 3
	if err := w.bounds(Case{Run: 2, Seed: 3}, false, func(o int) *BoundRow { return &rows[o] }); err != nil {
		t.Errorf("bounds alone: %v", err)
	}
	// Run numbers are those of the study.
	set, err := study.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r := set.Summaries[5]; r.Run != 5 || r.Objective != "easy" || r.Policy != "reactive" || r.Seed != s.Seed+2 {
		t.Errorf("run 5 of the study is %+v", r)
	}
}
