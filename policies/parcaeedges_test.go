package policies_test

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// listener is a recorder that only listens.
type listener struct{}

func (listener) Span(*sim.Span)                     {}
func (listener) Decision(sim.View, *sim.Plan, bool) {}

// A plan of one interval needs no forecast, and has none to explain.
func TestParcaeOneInterval(t *testing.T) {
	for _, name := range []string{"parcae", "parcae-ideal"} {
		m := simtest.Market(1, 2*time.Hour, sim.Never)
		p := told(with(t, name, map[string]float64{"look_ahead": 1}), m)
		w, err := sim.New(sim.Config{Market: m, Policy: p, Jobs: inPipelines(policies.MigratingPipelines)(1), Recorder: listener{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Run().Jobs[0].Samples; !(got > 0) {
			t.Errorf("%s: %v samples, want some", name, got)
		}
	}
}

// with returns a policy with settings.
func with(t *testing.T, name string, set map[string]float64) sim.Policy {
	t.Helper()
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range policies.Settings(p) {
		if x, other := set[s.Name]; other {
			if err := s.Set(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// What a policy decided for one job says nothing about another that can use more.
func TestParcaeForecastsByJob(t *testing.T) {
	large := migrating(1e6)
	small := onLayouts(1e6, 3)
	h := sim.History{Pool: sim.Pool{Name: "p", Quota: 12}, Prices: []sim.Price{{USD: 1}}, Capacity: []sim.Capacity{{N: 2}}}
	for i := 1; i < 40; i++ {
		h.Capacity = append(h.Capacity, sim.Capacity{At: sim.At(float64(60*i) - 1), N: 2 + 10*i/40})
	}
	market, err := sim.NewMarket(sim.At(2400), []sim.History{h})
	if err != nil {
		t.Fatal(err)
	}
	run := func(p sim.Policy, m sim.Model) []sim.Input {
		var told inputs
		w, err := sim.New(sim.Config{Market: market, Policy: p, Jobs: []sim.Job{{Model: m, Objective: sim.Objective{Within: time.Hour}}}, Recorder: &told})
		if err != nil {
			t.Fatal(err)
		}
		w.Run()
		return told.all
	}
	used := with(t, "parcae", nil)
	run(used, small)
	if got, want := run(used, large), run(with(t, "parcae", nil), large); !slices.Equal(got, want) {
		t.Errorf("after another job, decisions rest on\n%v\nbefore it, on\n%v", got, want)
	}
}

// inputs is a recorder of what decisions rest on.
type inputs struct {
	listener
	all []sim.Input
}

func (i *inputs) Decision(_ sim.View, plan *sim.Plan, _ bool) {
	i.all = append(i.all, plan.Inputs()...)
}

// onLayouts is migrating on layouts of at most so many instances.
func onLayouts(samples float64, most int) *calibrate.Migrating {
	m := migrating(samples)
	var speeds []calibrate.LayoutSpeed
	for d := 1; d <= most; d++ {
		for _, s := range m.Stages() {
			if x := m.Speed(d, s); x > 0 && d*s <= most {
				speeds = append(speeds, calibrate.LayoutSpeed{Pipelines: d, Stages: s, SamplesPerS: x})
			}
		}
	}
	costs, err := m.Parcae.WithSpeeds(speeds)
	if err != nil {
		panic(err)
	}
	other, err := calibrate.NewMigrating(samples, costs, m.Recovery.Save, m.ServerShare)
	if err != nil {
		panic(err)
	}
	return other
}
