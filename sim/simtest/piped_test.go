package simtest_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// pipedJobs are those of Jobs in pipelines, whose saves take a minute to be safe.
func pipedJobs(n int) []sim.Job {
	jobs := simtest.Jobs(n)
	for i := range jobs {
		jobs[i].Model = simtest.Piped{Linear: simtest.Linear{PerWorker: 1, Redundant: 0.25, Stall: 20 * time.Second, Reshape: 5 * time.Second,
			Save: 10 * time.Second},
			Persist: time.Minute}
	}
	return jobs
}

// pipedWhim is a whim in pipelines of up to three stages, laid out again and spread over zones at
// any time.
type pipedWhim struct{ whim }

func (w pipedWhim) Decide(v sim.View, plan *sim.Plan) {
	w.whim.Decide(v, plan)
	for j := range v.Jobs() {
		draw := func(k int) float64 { return w.draws.Uniform(sim.PurposeUser, uint64(v.Now()), uint64(5000+10*j+k)) }
		p := &plan.Jobs[j]
		if p.Stages == 0 || draw(0) < 0.2 {
			p.Pipelines, p.Stages = 1+int(2*draw(1)), 1+int(3*draw(2))
		}
		p.Refill, p.AcrossZones = draw(3) < 0.1, draw(4) < 0.5
		p.Drain, p.Restart = draw(5) < 0.5, draw(6) < 0.5
	}
}

func TestSuiteOnPipedWhims(t *testing.T) {
	for seed := range uint64(2) {
		simtest.Suite(t, func(*sim.Market) sim.Policy { return pipedWhim{whim{sim.Rand{Seed: seed}}} }, simtest.On(pipedJobs))
	}
}

// What counts is what progress says, whatever was covered, dropped or rolled back,
// and whims meet all of it.
func TestPipedWork(t *testing.T) {
	check := near.Count(t)
	var met [sim.Activities]sim.MachineTime
	for seed := range uint64(60) {
		w, err := sim.New(sim.Config{Market: simtest.Market(seed, 6*time.Hour, sim.Never), Jobs: pipedJobs(2), Policy: pipedWhim{whim{sim.Rand{Seed: seed}}},
			Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range w.Run().Jobs {
			progress := 0.0
			if !math.IsInf(j.Loss, 1) {
				progress = 1/j.Loss - 1
			}
			if check.Off(j.Samples, progress, 1e-4) || check.Off(j.Iterations, progress, 1e-4) {
				t.Errorf("seed %d: %v samples, %v iterations, progress %v", seed, j.Samples, j.Iterations, progress)
			}
			for a, d := range j.Activities {
				met[a] += d
			}
		}
	}
	for a, d := range met {
		if d == 0 && sim.Activity(a) != sim.Slowed { // no machine of these markets is slow
			t.Errorf("no time is %v", sim.Activity(a))
		}
	}
}
