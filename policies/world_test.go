package policies_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/deadline"
	"github.com/marigram/marigram/sim"
)

// A job in pipelines that restarts from saves keeps its work when a deadline
// policy changes its machine, but for what two instances do between a notice and
// its removal, 10 s later: 3600 samples at 1 a second within 2 h, spot from
// minute 20 to 40 and from 50 on, a boot of 5 minutes.
func TestUniformProgressKeepsWork(t *testing.T) {
	boot := sim.Boot{Median: 5 * time.Minute}
	spot := sim.Trace{Pool: sim.Pool{Name: "spot", Quota: 2, Boot: boot, Notice: 10 * time.Second},
		Prices:   []sim.Price{{USD: 1}},
		Capacity: []sim.Capacity{{N: 0}, {At: sim.At(1200), N: 2}, {At: sim.At(2400), N: 0}, {At: sim.At(3000), N: 2}}}
	expensive := sim.Trace{Pool: sim.Pool{Name: "on-demand", Quota: 2, Boot: boot, OnDemand: true},
		Prices: []sim.Price{{USD: 3}}}
	m, err := sim.NewMarket(sim.At(4*3600), []sim.Trace{spot, expensive})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []pipeline.Recovery{{}, {Save: 2 * time.Second}, {Save: 2 * time.Second, Persist: 3 * time.Second}} {
		model, err := pipeline.New(3600, 10, []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 2, SamplesPerS: 1}}, r)
		if err != nil {
			t.Fatal(err)
		}
		settings := deadline.Settings{Instances: 2, Changeover: 5 * time.Minute, Poll: 10 * time.Minute}
		p := &deadline.UniformProgress{Settings: settings, Hysteresis: -1}
		w, err := sim.New(sim.Config{Market: m, Policy: p,
			Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: 2 * time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		total := w.Run()
		job := total.Jobs[0]
		largest := 2*10*time.Second + 2*2*(r.Persist+time.Millisecond) // a removal, and two machines given back
		if !job.Finished || job.Elapsed > 2*time.Hour || job.Activities[sim.Redone].Span() > largest || total.Decisions > 100 {
			t.Errorf("%+v: finished %v after %v, redone %v, %d decisions", r, job.Finished, job.Elapsed,
				job.Activities[sim.Redone], total.Decisions)
		}
		if total.Pools[1].Grants == 0 || total.Pools[0].Grants < 4 {
			t.Errorf("%+v: %d grants on demand, %d on spot: the machine never changed", r, total.Pools[1].Grants,
				total.Pools[0].Grants)
		}
	}
}

// A deadline policy asks every zone for its one instance, and trains on one: where
// zones have none to give it takes as long as one on demand takes, however many
// zones it asks.
func TestDeadlineSetsUpForWhatItTrainsOn(t *testing.T) {
	check := near.Count(t)
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	const loss, seconds, changeover = 1.0, 6000, 100 * time.Second
	expensive := sim.Trace{Pool: sim.Pool{Name: "on-demand", Quota: 1, OnDemand: true, Boot: sim.Boot{Median: changeover}},
		Prices: []sim.Price{{USD: 3.06}}}
	for _, zones := range []int{1, 3, 6} {
		traces, types := []sim.Trace{expensive}, []string{"p3.2xlarge"}
		for z := range zones {
			h := sim.Trace{Pool: sim.Pool{Name: fmt.Sprint("zone ", z), Quota: 1}, Prices: []sim.Price{{USD: 1}},
				Capacity: []sim.Capacity{{N: 0}}}
			traces, types = append(traces, h), append(types, "p3.2xlarge")
		}
		market, err := sim.NewMarket(sim.At(4*seconds), traces)
		if err != nil {
			t.Fatal(err)
		}
		model, err := ps.NewASP(profile, coef, ps.FormArtifact, types)
		if err != nil {
			t.Fatal(err)
		}
		one := sim.Layout{Workers: make([]int32, 1+zones), Servers: 1}
		one.Workers[0] = 1
		alone := (model.Goal(loss) - model.Begin(&one)) / model.Rate(&one).Progress
		settings := deadline.Settings{Instances: 1, Changeover: changeover, Poll: time.Minute}
		for _, p := range []sim.Policy{&deadline.Greedy{Settings: settings},
			&deadline.UniformProgress{Settings: settings, Hysteresis: 2},
			&deadline.TimeSliced{Settings: settings, Slices: 4}} {
			w, err := sim.New(sim.Config{Market: market, Policy: p,
				Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Loss: loss, Within: seconds * time.Second}, ParameterServers: 1}}})
			if err != nil {
				t.Fatal(err)
			}
			job := w.Run().Jobs[0]
			if got := job.Activities[sim.Useful].Seconds(); check.Off(got, alone, .01) || !job.Finished ||
				job.Elapsed > seconds*time.Second {
				t.Errorf("%s in %d zones: trained for %v s, alone it takes %v; finished after %v", p.Name(), zones, got, alone,
					job.Elapsed)
			}
		}
	}
}
