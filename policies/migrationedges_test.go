package policies_test

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
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
		p := withMarket(with(t, name, map[string]any{"look_ahead": 1}), m)
		w, err := sim.New(sim.Config{Market: m, Policy: p, Jobs: inPipelines(policies.MigratingPipelines)(1),
			Recorder: listener{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Run().Jobs[0].Samples; !(got > 0) {
			t.Errorf("%s: %v samples, want some", name, got)
		}
	}
}

// with returns a policy with settings.
func with(t *testing.T, name string, set map[string]any) sim.Policy {
	t.Helper()
	p, err := policies.New(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := policies.Configure(p, set); err != nil {
		t.Fatal(err)
	}
	return p
}

// Seven instances are asked for, of which six have a place: four of the cheap
// pool and two of the expensive one.
func TestOnDemandPipelinesAreCheap(t *testing.T) {
	var hs []sim.Trace
	for _, p := range []sim.Pool{{Name: "dear", OnDemandPrice: 2}, {Name: "cheap", OnDemandPrice: 1}} {
		p.InstanceType, p.OnDemand, p.Quota = "one", true, 4
		hs = append(hs, sim.Trace{Pool: p, Prices: []sim.Price{{USD: p.OnDemandPrice}}})
	}
	market, err := sim.NewMarket(sim.At(3600), hs)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: with(t, "ondemand", map[string]any{"instances": 7}),
		Jobs: []sim.Job{{Model: migrating(1e6), Objective: sim.Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Run(); got.Pools[0].Grants != 2 || got.Pools[1].Grants != 4 || got.Bill.OnDemand != 8 {
		t.Errorf("%+v, %v USD, want 2 and 4 instances for 8 USD", got.Pools, got.Bill.OnDemand)
	}
}

// What a policy decided for one job says nothing about another that can use more.
func TestParcaeForecastsByJob(t *testing.T) {
	large := migrating(1e6)
	small := onLayouts(1e6, 3)
	h := sim.Trace{Pool: sim.Pool{Name: "p", Quota: 12}, Prices: []sim.Price{{USD: 1}}, Capacity: []sim.Capacity{{N: 2}}}
	for i := 1; i < 40; i++ {
		h.Capacity = append(h.Capacity, sim.Capacity{At: sim.At(float64(60*i) - 1), N: 2 + 10*i/40})
	}
	market, err := sim.NewMarket(sim.At(2400), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	run := func(p sim.Policy, m sim.Model) []sim.Input {
		var reported inputs
		w, err := sim.New(sim.Config{Market: market, Policy: p,
			Jobs: []sim.Job{{Model: m, Objective: sim.Objective{Within: time.Hour}}}, Recorder: &reported})
		if err != nil {
			t.Fatal(err)
		}
		w.Run()
		return reported.all
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

// At 1000 s the cloud takes all that there are, who had left their places at the
// notice, 100 s before, and nobody took them: without parameter servers what they
// held is lost since the last save, of which there is none, with a save at 800 s
// but for 100 s. A restart begins with a save within the notice.
func TestParcaeNobodyHasTheState(t *testing.T) {
	check := near.Count(t)
	model := migrating(1e6)
	h := sim.Trace{Pool: sim.Pool{Name: "p", Quota: 4, Notice: 100 * time.Second}, Prices: []sim.Price{{USD: 1}},
		Capacity: []sim.Capacity{{N: 4}, {At: sim.At(1000), N: 0}, {At: sim.At(2000), N: 4}}}
	market, err := sim.NewMarket(sim.At(3000), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	const speed = 1.9 // 2 x 2
	for _, c := range []struct {
		set  map[string]any
		kept float64 // s of training
	}{
		{map[string]any{"servers": 0}, 0},
		{map[string]any{"servers": 0, "save_s": 792}, 792},
		{map[string]any{"servers": 0, "migrations": false}, 900},
		{map[string]any{"servers": 1}, 900 * 0.98},
	} {
		for _, name := range []string{"parcae", "parcae-reactive"} {
			var at2000 float64
			w, err := sim.New(sim.Config{Market: market, Policy: with(t, name, c.set),
				Jobs:     []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}}},
				Recorder: done{&at2000}})
			if err != nil {
				t.Fatal(err)
			}
			w.Run()
			if got := at2000 * 1e6; check.Off(got, speed*c.kept, 1e-3) {
				t.Errorf("%s %v: %v samples are left of those before, want %v", name, c.set, got, speed*c.kept)
			}
		}
	}
}

// done is a recorder of how much of a job was done a second after 2000 s.
type done struct{ share *float64 }

func (d done) Span(s *sim.Span) {
	if s.From < sim.At(2001) {
		*d.share = s.Jobs[0].Done
	}
}
func (done) Decision(sim.View, *sim.Plan, bool) {}

// onLayouts is migrating on layouts of at most n instances.
func onLayouts(samples float64, largest int) *pipeline.Migrating {
	m := migrating(samples)
	var speeds []pipeline.LayoutSpeed
	for d := 1; d <= largest; d++ {
		for _, s := range m.Stages() {
			if x := m.Speed(d, s); x > 0 && d*s <= largest {
				speeds = append(speeds, pipeline.LayoutSpeed{Pipelines: d, Stages: s, SamplesPerS: x})
			}
		}
	}
	costs, err := m.Parcae.WithSpeeds(speeds)
	if err != nil {
		panic(err)
	}
	other, err := pipeline.NewMigrating(samples, costs, m.Recovery.Save, m.ServerShare)
	if err != nil {
		panic(err)
	}
	return other
}
