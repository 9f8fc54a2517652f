package policies_test

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// onFour runs a policy for 1100 s on four instances, ready at once, of which the
// first goes at lossAt (0: none), with one sample a second an instance in steps
// of ten samples an instance.
func onFour(t *testing.T, p sim.Policy, r pipeline.Recovery, lossAt float64) *sim.Totals {
	t.Helper()
	h := sim.Trace{Pool: sim.Pool{Name: "p", Quota: 4}, Prices: []sim.Price{{USD: 1}}}
	for i := range 4 {
		h.Nodes = append(h.Nodes, sim.NodeEvent{Node: i, Up: true})
	}
	if lossAt > 0 {
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.At(lossAt)})
	}
	market, err := sim.NewMarket(sim.At(1100), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	model, err := pipeline.New(1e6, 40, []pipeline.LayoutSpeed{{Pipelines: 4, Stages: 1, SamplesPerS: 4}, {Pipelines: 3, Stages: 1, SamplesPerS: 3}}, r)
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
	check := near.Count(t)
	recovery := pipeline.Recovery{Restart: 50 * time.Second, Save: 10 * time.Second}
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
		if j := &got.Jobs[0]; j.Activities[sim.Checkpointing].Span().Round(time.Millisecond) != c.saves || check.Off(1e6-j.Loss, c.samples, 1e-3) {
			t.Errorf("%s: saved for %v, %v samples, want %v, %v", c.name, j.Activities[sim.Checkpointing], 1e6-j.Loss, c.saves, c.samples)
		}
	}
}

// Daly's first order reckons with the model's restart, of 600 s: the first save is
// after 707.39 s, the t of t = sqrt(2 * 60 (3600 + t + 600)) - 60, where the mean
// time between losses is 3600 s and what was lived since. Without it, 654.52 s.
func TestFirstOrderKnowsTheRestart(t *testing.T) {
	check := near.Count(t)
	recovery := pipeline.Recovery{Restart: 10 * time.Minute, Save: time.Minute}
	got := onFour(t, &policies.Checkpoint{Rule: "daly-first", Prior: time.Hour}, recovery, 720) // lost in the save
	j := &got.Jobs[0]
	if training := (j.Activities[sim.Redone] + j.Activities[sim.Useful]).Seconds() / 4; check.Off(training, 707.39, .01) {
		t.Errorf("trained for %v s before the save", training)
	}
}

// Laying pipelines out anew puts no save off: what was done before is still to be
// saved, after 340, 690 and 1040 s, although there is a pause after 100 s.
func TestSavesThroughReconfigurations(t *testing.T) {
	recovery := pipeline.Recovery{Loss: pipeline.LossReinstantiated, Reconfigure: 20 * time.Second, Save: 10 * time.Second}
	got := onFour(t, &policies.Oobleck{Interval: 340 * time.Second}, recovery, 100)
	if saved := got.Jobs[0].Activities[sim.Checkpointing].Span(); saved != 3*3*10*time.Second {
		t.Errorf("saved for %v of instance time", saved)
	}
}

// The defaults let a job grow, however often it saves: three instances until
// 400 s, four from then on, which are laid out at the latest after they have
// settled.
func TestGrowsAtDefaults(t *testing.T) {
	check := near.Count(t)
	h := sim.Trace{Pool: sim.Pool{Name: "p", Quota: 4}, Prices: []sim.Price{{USD: 1}}, Capacity: []sim.Capacity{{N: 3}, {At: sim.At(400), N: 4}}}
	market, err := sim.NewMarket(sim.At(2000), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"checkpoint", "checkfreq", "varuna"} {
		model, err := pipeline.New(1e6, 4, []pipeline.LayoutSpeed{{Pipelines: 4, Stages: 1, SamplesPerS: 4}, {Pipelines: 3, Stages: 1, SamplesPerS: 3}},
			pipeline.Recovery{Reconfigure: 20 * time.Second, Save: 100 * time.Millisecond, Persist: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		p, err := policies.New(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(sim.Config{Market: market, Policy: p, Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		j := w.Run().Jobs[0]
		saving := j.Activities[sim.Checkpointing].Seconds()
		if want := 3*400 + 4*(1600-20) - saving; check.Off(j.Samples, want, 1) {
			t.Errorf("%s: %v samples, want %v", name, j.Samples, want)
		}
	}
}

// The step under way at a loss is dropped although the policy is asked only after
// the layout has come to a stop.
func TestOobleckDropsTheStep(t *testing.T) {
	check := near.Count(t)
	got := onFour(t, &policies.Oobleck{}, pipeline.Recovery{Loss: pipeline.LossReinstantiated, Reconfigure: 20 * time.Second}, 107)
	if samples := 1e6 - got.Jobs[0].Loss; check.Off(samples, 10*40+(1100-127)*3, 1e-3) {
		t.Errorf("%v samples", samples)
	}
}

// Where too few are left the job has no pipelines; when others have come, what was
// lost is judged by the pipelines before. At 110 s two neighbours are gone: all is
// lost, and a restart begins. At 120 s one of the two left goes, whose work the
// other holds: at 300 s pipelines are laid out in 20 s.
func TestBambooComesBack(t *testing.T) {
	check := near.Count(t)
	h := sim.Trace{Pool: sim.Pool{Name: "p", Quota: 6}, Prices: []sim.Price{{USD: 1}}}
	for i := range 6 {
		at := sim.At(0)
		if i > 1 {
			at = sim.At(300 * float64(i/4))
		}
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: at, Node: i, Up: true})
	}
	for i := range 3 {
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.At(100 + 10*float64(i)), Node: i})
	}
	slices.SortStableFunc(h.Nodes, func(a, b sim.NodeEvent) int { return int(a.At - b.At) })
	market, err := sim.NewMarket(sim.At(1000), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	model, err := pipeline.New(1e6, 1, []pipeline.LayoutSpeed{{Pipelines: 2, Stages: 2, SamplesPerS: 2}, {Pipelines: 1, Stages: 2, SamplesPerS: 1}},
		pipeline.Recovery{Loss: pipeline.LossCovered, Restart: 60 * time.Second, Reconfigure: 20 * time.Second, Slowdown: 1.5})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: &policies.Bamboo{Risk: 1}, Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	j := w.Run().Jobs[0]
	if j.Activities[sim.Restoring].Span() != 2*10*time.Second || check.Off(1e6-j.Loss, 1000-320, 1e-3) {
		t.Errorf("%v samples, %v restoring, want 680 and 20 s", 1e6-j.Loss, j.Activities[sim.Restoring])
	}
}

// On demand the fastest layout is held for good, and nothing beyond it.
func TestPipelinesOnDemand(t *testing.T) {
	check := near.Count(t)
	h := sim.Trace{Pool: sim.Pool{Name: "on-demand", Quota: 8, OnDemand: true, OnDemandPrice: 3, Boot: sim.Boot{Median: 50 * time.Second}},
		Prices: []sim.Price{{USD: 3}}}
	market, err := sim.NewMarket(sim.At(1050), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: &ondemand.OnDemand{Instances: 7}, Billing: sim.PerSecond(),
		Jobs: []sim.Job{{Model: migrating(1e6), Objective: sim.Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	got := w.Run() // 2 pipelines of 3 stages train 2.5 samples/s
	if j := &got.Jobs[0]; check.Off(j.Samples, 2.5*1000, 1e-3) || check.Off(got.Bill.OnDemand, 6*3*1050./3600, 1e-9) || got.Preemptions != 0 {
		t.Errorf("%v samples, %+v", j.Samples, got.Bill)
	}
}
