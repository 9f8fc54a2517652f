package pipeline

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// four holds four instances in two pipelines of two stages, and saves at 30s.
type four struct{}

func (four) Name() string { return "four" }

func (four) Decide(v sim.View, plan *sim.Plan) {
	job, elapsed := &plan.Jobs[0], v.Now().Sub(v.Start())
	job.Hold[0], job.Pipelines, job.Stages = 4, 2, 2
	if job.Save = elapsed == 30*time.Second; elapsed < 30*time.Second {
		plan.WakeIn(30*time.Second - elapsed)
	}
}

// Pipelines make 4 samples a second in steps of 40, and have saved 120 when instances go at 55s, where 220 are done.
// The run ends at 100s, while the job waits for others: it has what its recovery would go on with.
func TestWhatARunThatEndsWaitingHasDone(t *testing.T) {
	check := near.Count(t)
	speeds := []LayoutSpeed{{2, 2, 4}}
	of := func(r Recovery) sim.Model {
		m, err := New(1000, 40, speeds, r)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	migrating := small()
	migrating.Batch = 40
	migrates, err := NewMigrating(1000, NewParcae(*migrating, speeds), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		model   sim.Model
		servers int
		gone    []int // 0 and 2 are in the first stage, 1 and 3 in the second
		samples float64
	}{
		{"from the last save", of(Recovery{Loss: LossRestarts}), 0, []int{0}, 120},
		{"neighbours, and nobody else has what they did", of(Recovery{Loss: LossCovered, Slowdown: 2}), 0, []int{0, 1}, 120},
		{"one is covered, at half of the speed, and does not wait", of(Recovery{Loss: LossCovered, Slowdown: 2}), 0, []int{0}, 220 + 2*45},
		{"a replica is left, and the step is lost", of(Recovery{Loss: LossReinstantiated}), 0, []int{0}, 200},
		{"no replica is left", of(Recovery{Loss: LossReinstantiated}), 0, []int{0, 2}, 120},
		{"migrates from a replica, and the step is lost", migrates, 0, []int{0}, 200},
		{"migrates without a replica", migrates, 0, []int{0, 2}, 120},
		{"migrates without a replica, from servers", migrates, 1, []int{0, 2}, 200},
	} {
		fleet := sim.Trace{Pool: sim.Pool{Name: "fleet", Quota: 4}, Prices: []sim.Price{{USD: 1}}}
		for n := range 4 {
			fleet.Nodes = append(fleet.Nodes, sim.NodeEvent{Node: n, Up: true})
		}
		for _, n := range c.gone {
			fleet.Nodes = append(fleet.Nodes, sim.NodeEvent{At: sim.Time(0).Add(55 * time.Second), Node: n})
		}
		market, err := sim.NewMarket(sim.Time(0).Add(100*time.Second), []sim.Trace{fleet})
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(sim.Config{Market: market, Policy: four{}, Jobs: []sim.Job{{Model: c.model, ParameterServers: c.servers,
			Objective: sim.Objective{Within: time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		x := &w.Run().Jobs[0]
		if check.Off(x.Samples, c.samples, 1e-6) || check.Off(x.Done, c.samples/1000, 1e-9) {
			t.Errorf("%s: %v samples, %v done, want %v", c.name, x.Samples, x.Done, c.samples)
		}
		if working := (x.Activities[sim.Useful] + x.Activities[sim.Redone]).Seconds(); len(c.gone) > 1 && check.Off(working, 4*55, 1e-4) {
			t.Errorf("%s: instances worked for %v s, want 4 x 55", c.name, working)
		}
	}
}
