package process_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/process"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// shared is testdata/shared.py in Go.
type shared struct {
	answers policyutil.Answerer
	saw     map[string]int
}

func (*shared) Name() string { return "shared" }

func (k *shared) Decide(v sim.View, plan *sim.Plan) {
	number := func(x bool) float64 { return map[bool]float64{true: 1}[x] }
	for _, j := range v.ActiveJobs() {
		hold := plan.Jobs[j].Hold
		for p := range v.Pools() {
			free, ready := policyutil.Headroom(v, plan, j, p), policyutil.ReadyAfter(v.Pool(p).Boot, 1+p, 0.9)
			plan.AddInput("headroom", float64(free), "")
			plan.AddInput("ready after", math.Round(1000*ready), "ms")
			hold[p] = v.Held(j, p).Active() + min(free, 2)
			if free < v.Pool(p).Quota-v.Held(j, p).Active() {
				k.saw["limited"]++
			}
		}
		answer := k.answers.Ask(v, &message.Ask{Job: j, Instances: 3})
		plan.AddInput("whole", *answer.WholeS, "s")
		if v.Trigger() == sim.TriggerWake {
			saved := policyutil.Saved(v, j, plan)
			plan.AddInput("saved", number(saved), "")
		}
		policyutil.KeepSaved(v, j, 15*time.Minute, j == 0, plan)
		k.saw[plan.Reason()]++
	}
}

// What policies share in Go (policyutil) and in Python does the same, on quotas over several pools, too.
func TestShared(t *testing.T) {
	saw := map[string]int{}
	for seed := range uint64(2) {
		traces, limit := simtest.Traces(seed, 6*time.Hour), sim.Limit{Name: "three", Pools: []int{0, 1, 3}, Instances: 3}
		market, err := sim.NewMarket(sim.Time(0).Add(6*time.Hour), traces, limit)
		if err != nil {
			t.Fatal(err)
		}
		said := func(p sim.Policy) []string {
			d := &diary{}
			w, err := sim.New(sim.Config{Market: market, Jobs: simtest.Jobs(2), Policy: p, Seed: seed, Billing: sim.PerSecond(), Recorder: d})
			if err != nil {
				t.Fatal(err)
			}
			w.Run()
			return d.decisions
		}
		want := said(&shared{saw: saw})
		carrier := start(t, process.Command{Args: python(t, "testdata/shared.py"), Policy: "shared"})
		got := said(plugin.New("shared", func() (plugin.Carrier, error) { return carrier, nil }))
		if len(got) != len(want) {
			t.Errorf("seed %d: %d decisions in Python, %d in Go", seed, len(got), len(want))
		}
		for i := range min(len(want), len(got)) {
			if got[i] != want[i] {
				t.Fatalf("seed %d, decision %d:\n%s\nwant\n%s", seed, i, got[i], want[i])
			}
		}
	}
	for _, what := range []string{"limited", "save", "save before an announced loss"} {
		if saw[what] == 0 {
			t.Errorf("no decision was %s: %s", what, fmt.Sprint(saw))
		}
	}
}
