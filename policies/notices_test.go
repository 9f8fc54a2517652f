package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// A job on four instances, of which one goes at 500 s: a sample a second on each,
// 1100 s in all, a restart of 50 s. What is counted is what was saved by then,
// by the instances that trained it, and what the others train from 550 s on.
func TestSavesOnNotice(t *testing.T) {
	check := near.Count(t)
	recovery := pipeline.Recovery{Restart: 50 * time.Second, Save: 10 * time.Second}
	persists := recovery
	persists.Persist = 5 * time.Second
	free := pipeline.Recovery{Restart: 50 * time.Second}
	for _, c := range []struct {
		name     string
		interval time.Duration
		recovery pipeline.Recovery
		notice   float64
		gone     []float64
		samples  float64
	}{
		{"saved from 490 to 500 s", time.Hour, recovery, 30, []float64{500}, 4*490 + 3*550},
		{"however long the notice is", time.Hour, recovery, 400, []float64{500}, 4*490 + 3*550},
		{"no notice: all is lost", time.Hour, recovery, 0, []float64{500}, 3 * 550},
		{"a notice shorter than the save: all is lost", time.Hour, recovery, 5, []float64{500}, 3 * 550},
		{"a save of no time", time.Hour, free, 120, []float64{500}, 4*500 + 3*550},
		{"a save of no time between others", 300 * time.Second, free, 120, []float64{500}, 4*500 + 3*550},
		{"safe 5 s after the save, from 485 s on", time.Hour, persists, 120, []float64{500}, 4*485 + 3*550},
		// saves after 100, 210, 320 and 430 s, and from 550 s on after 650, 760, 870, 980 and 1090 s
		{"beside saves every 100 s", 100 * time.Second, recovery, 120, []float64{500}, 4*(490-40) + 3*(550-50)},
		// saves after 155 and 320 s; that after 485 s would end at 495 s: it waits until 490 s; then after 705, 870
		// and 1035 s
		{"in place of one that is in the way", 155 * time.Second, recovery, 120, []float64{500}, 4*(490-20) + 3*(550-30)},
		{"again for each", time.Hour, recovery, 400, []float64{500, 700}, 4*490 + 3*140 + 2*350},
		// the second is back from a restart at 550 s with nothing to save
		{"nothing to save", time.Hour, recovery, 120, []float64{500, 520}, 4*490 + 2*530},
	} {
		p := &policies.Checkpoint{Interval: c.interval, OnNotice: true}
		if got := announced(t, p, c.recovery, c.notice, c.gone); check.Off(got, c.samples, 1e-3) {
			t.Errorf("%s: %v samples, want %v", c.name, got, c.samples)
		}
	}
}

// announced returns the samples that a policy keeps of 1100 s on four instances, of
// which some go, one by one, each announced n seconds before.
func announced(t *testing.T, p sim.Policy, r pipeline.Recovery, notice float64, gone []float64) float64 {
	t.Helper()
	h := sim.Trace{Pool: sim.Pool{Name: "p", Quota: 4, Notice: time.Duration(notice * 1e9)},
		Prices: []sim.Price{{USD: 1}}}
	for i := range 4 {
		h.Nodes = append(h.Nodes, sim.NodeEvent{Node: i, Up: true})
	}
	for i, at := range gone {
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.At(at), Node: i})
	}
	market, err := sim.NewMarket(sim.At(1100), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	var speeds []pipeline.LayoutSpeed
	for n := 1; n <= 4; n++ {
		speeds = append(speeds, pipeline.LayoutSpeed{Pipelines: n, Stages: 1, SamplesPerS: float64(n)})
	}
	model, err := pipeline.New(1e6, 4, speeds, r)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: p,
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	return 1e6 - w.Run().Jobs[0].Loss
}
