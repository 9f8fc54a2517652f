package auction_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers/hadar/auction"
	"github.com/marigram/marigram/sim"
)

// hadar runs jobs on a server of 2 fast GPUs and one of 2 slow GPUs.
func hadar(t *testing.T, gangs ...*throughput.Gang) *sim.Totals {
	var pools []sim.Trace
	for _, model := range []string{"slow", "fast"} {
		pools = append(pools, sim.Trace{Pool: sim.Pool{Name: model, GPU: model, Quota: 2}, Prices: []sim.Price{{}}})
	}
	m, err := sim.NewMarket(sim.At(1e6), pools)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []sim.Job
	for _, g := range gangs {
		jobs = append(jobs, sim.Job{Model: g, Objective: sim.Objective{Within: time.Hour}})
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: &auction.Hadar{}})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}

// Jobs go where they are fastest, the shortest first: a job of 100 s and one of 400 s on two fast GPUs, that
// are as fast as two slow ones for a third of 600 s.
func TestHadarPlaces(t *testing.T) {
	totals := hadar(t,
		&throughput.Gang{GPUs: 2, Total: 400, Speeds: []float64{0.25, 1}},
		&throughput.Gang{GPUs: 2, Total: 100, Speeds: []float64{0.25, 1}},
		&throughput.Gang{GPUs: 2, Total: 600, Speeds: []float64{1, 1}})
	// The second has the fast server until 100 s, the first starts then; the third has the slow one.
	for j, want := range []time.Duration{500 * time.Second, 100 * time.Second, 600 * time.Second} {
		if got := totals.Jobs[j].Elapsed; got != want {
			t.Errorf("job %d: %v, expected %v", j, got, want)
		}
	}
}

// A gang of more GPUs than there are of any model trains on several, as fast as on the slowest; where it does not
// run on one, it waits for ever.
func TestHadarMixes(t *testing.T) {
	totals := hadar(t, &throughput.Gang{GPUs: 3, Total: 100, Speeds: []float64{0.5, 1}})
	if got := totals.Jobs[0].Elapsed; got != 200*time.Second {
		t.Errorf("%v, expected 200 s", got)
	}
	if totals := hadar(t, &throughput.Gang{GPUs: 3, Total: 100, Speeds: []float64{0, 1}}); totals.Jobs[0].Finished {
		t.Error("a job ended on GPUs on which it does not run")
	}
}
