package policies_test

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// oneWorker is a job of 36,000 s of work on one worker, which saves every 700 s and restarts in 60 s.
func oneWorker(t testing.TB) sim.Job {
	t.Helper()
	law := parallel.Law{Scaling: parallel.Strong, Alone: 1}
	m, err := parallel.New(parallel.Job{Samples: 36000, Batch: 1, Min: 1, Max: 1, Restart: time.Minute, Interval: 700 * time.Second},
		[]parallel.Law{law, law})
	if err != nil {
		t.Fatal(err)
	}
	return sim.Job{Model: m, Objective: sim.Objective{Within: 20 * time.Hour}}
}

func retried(t testing.TB, settings map[string]any) (sim.JobTotals, sim.Bill) {
	t.Helper()
	p, err := policies.New("retry:reactive")
	if err != nil {
		t.Fatal(err)
	}
	settings["instances"], settings["patience_s"] = 1, 0
	if err := policies.Configure(p, settings); err != nil {
		t.Fatal(err)
	}
	takes := []time.Duration{time.Hour, 2 * time.Hour, 3 * time.Hour}
	m := hostile(t, []string{"a"}, 0, 0, takes, 10*time.Minute)
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{oneWorker(t)}, Policy: p, Seed: 1, Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Run()
	return r.Jobs[0], r.Bill
}

// Spot goes at the hours 1, 2 and 3 for 600 s each, and costs 0.1 USD an hour; on demand costs 3 USD. Saves of a
// microsecond are 700 s apart, so that an hour's loss takes 100 s back; the pause for a restart follows.
func TestRetryByArithmetic(t *testing.T) {
	check := near.Count(t)
	for name, c := range map[string]struct {
		settings               map[string]any
		ends, spotH, onDemandH float64 // s, h, h
		finished, givenUp      bool
	}{
		// 3500 s are saved when the first goes; on demand restarts at once.
		"on demand after one": {map[string]any{"after_losses": 1}, 3660 + 32500, 1, (60 + 32500) / 3600.0, true, false},
		// 4200 to 7200: 60 s of restart, then 2940 s of work, of which four saves keep 2800.
		"on demand after two": {map[string]any{"after_losses": 2}, 7260 + 29700, 1 + 3000/3600.0, (60 + 29700) / 3600.0, true, false},
		"given up after two":  {map[string]any{"give_up_after": 2}, 7200, 1 + 3000/3600.0, 0, false, true},
		"both at once":        {map[string]any{"after_losses": 1, "give_up_after": 1}, 3600, 1, 0, false, true},
		"on demand, never given up": {map[string]any{"after_losses": 1, "give_up_after": 2}, 3660 + 32500, 1, (60 + 32500) / 3600.0,
			true, false},
	} {
		job, bill := retried(t, c.settings)
		if job.Finished != c.finished || job.GivenUp != c.givenUp || job.Lost {
			t.Errorf("%s: finished %v, given up %v, lost %v", name, job.Finished, job.GivenUp, job.Lost)
		}
		if check.Off(job.Elapsed.Seconds(), c.ends, 1e-3) || check.Off(bill.Spot, 0.1*c.spotH, 1e-6) || check.Off(bill.OnDemand, 3*c.onDemandH, 1e-5) {
			t.Errorf("%s: %v, %v USD spot, %v USD on demand; want %v s, %v and %v USD", name, job.Elapsed, bill.Spot, bill.OnDemand, c.ends, 0.1*c.spotH,
				3*c.onDemandH)
		}
	}
}

// Without limits the form is its base to the last bit.
func TestRetryWithoutLimits(t *testing.T) {
	base, err := policies.New("reactive")
	if err != nil {
		t.Fatal(err)
	}
	form, err := policies.New("retry:reactive")
	if err != nil {
		t.Fatal(err)
	}
	m, job := hostile(t, []string{"a"}, 30*time.Second, time.Minute, []time.Duration{time.Hour, 3 * time.Hour}, time.Hour), oneWorker(t)
	var totals [2]sim.Totals
	for i, p := range []sim.Policy{base, form} {
		w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: p, Seed: 3, Billing: sim.PerSecond()})
		if err != nil {
			t.Fatal(err)
		}
		totals[i] = *w.Run()
	}
	if totals[0].Bill != totals[1].Bill || totals[0].Jobs[0] != totals[1].Jobs[0] {
		t.Errorf("%+v and %+v", totals[0].Jobs[0], totals[1].Jobs[0])
	}
}

func TestRetryForms(t *testing.T) {
	for name, want := range map[string]string{"retry:gavel": "expected a policy of one job", "retry:clairvoyant": "is an oracle", "retry:reactiv": "reactive"} {
		if _, err := policies.Named(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	p, err := policies.New("retry:reactive")
	if err != nil || policies.NeedsOnDemand(p) {
		t.Errorf("%v; on demand is needed without after_losses", err)
	}
	if err := policies.Configure(p, map[string]any{"after_losses": 2}); err != nil || !policies.NeedsOnDemand(p) {
		t.Errorf("%v; on demand is not needed with after_losses", err)
	}
}

func TestSuiteRetry(t *testing.T) {
	simtest.Suite(t, func(*sim.Market) sim.Policy {
		p, err := policies.New("retry:reactive")
		if err != nil {
			t.Fatal(err)
		}
		if err := policies.Configure(p, map[string]any{"after_losses": 1, "give_up_after": 3}); err != nil {
			t.Fatal(err)
		}
		return p
	}, simtest.On(dataParallel), simtest.Seeds(2))
}
