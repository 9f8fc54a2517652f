package policies_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// A job that trains on no fewer than two or three workers, or on some numbers only, is trained by every policy of
// worker models: with the settings as they are, or, where the policy holds a fixed number of instances, with one that
// can train.
func TestJobsOfSeveralWorkers(t *testing.T) {
	compared := 0
	for _, job := range []parallel.Job{{Min: 1, Max: 4}, {Min: 2, Max: 4}, {Min: 3, Max: 4}, {Min: 1, Max: 4, Sizes: []int{2, 4}}} {
		job.Samples, job.Batch, job.Restart, job.Resize, job.Save = 3e5, 64, time.Minute, time.Minute, 10*time.Second
		m := hostile(t, []string{"a", "b"}, time.Minute, time.Minute, []time.Duration{20 * time.Hour}, time.Hour)
		laws := make([]parallel.Law, m.Pools())
		for p := range laws {
			laws[p] = parallel.Law{Scaling: parallel.Strong, Alone: 1, Exchange: 0.1}
		}
		model, err := parallel.New(job, laws)
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range policies.List() {
			if info.Needs != policies.WorkerModels && info.Needs != policies.AnyModel && info.Needs != policies.OneType {
				continue
			}
			if sim.TraitsOf(info.Defaults()).KnowsFuture {
				continue
			}
			p := info.Defaults()
			for _, x := range policies.Settings(p) {
				if x.Name == "instances" && x.Min >= 1 {
					if err := x.Set(4.0); err != nil {
						t.Fatal(err)
					}
				}
			}
			w, err := sim.New(sim.Config{Market: m, Seed: 1, Billing: sim.PerSecond(), Policy: p,
				Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: 6 * time.Hour}}}})
			if err != nil {
				t.Fatal(err)
			}
			r := w.Run()
			compared++
			if !r.Jobs[0].Finished || !(r.Bill.Total() > 0) {
				t.Errorf("%s on %s: done %v of the job for %v USD", info.Name, fmt.Sprintf("%d to %d workers, sizes %v", job.Min, job.Max, job.Sizes),
					r.Jobs[0].Done, r.Bill.Total())
			}
		}
	}
	if compared < 30 {
		t.Errorf("%d runs: the test shows nothing", compared)
	}
}
