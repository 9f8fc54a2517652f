package schedulers_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// slowMoves has a job's state take so long to another pool.
type slowMoves time.Duration

// Move implements sim.Mover.
func (m slowMoves) Move(*sim.Job, *sim.Pool, *sim.Pool) sim.Move {
	return sim.Move{Time: time.Duration(m)}
}

// TestEDFGoesBackToServers: a job has to rent 6 minutes before two servers are free, and goes back to them at once. To
// go on elsewhere takes 120 s: a restart, or a restart and the way of the state. GPUs on demand boot for 100 s. The
// job of 4 hours has the servers for an hour, and then one of 2 hours that has a minute to spare. It has to be done 20
// s before 6 hours, with 3 hours left at 3 hours. So it rents 361 s before: two GPUs boot for 100 s, restart for 120 s
// and train for 141 s; then it restarts for 120 s on servers and is done a second early. Two GPUs cost 3 USD an hour
// for 361 s.
func TestEDFGoesBackToServers(t *testing.T) {
	check := near.Count(t)
	for what, way := range map[string]time.Duration{"restarts": 0, "restarts and moves": 50 * time.Second} {
		market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{
			{Pool: sim.Pool{Name: "own", Quota: 2, Reserved: true}, Prices: []sim.Price{{}}},
			{
				Pool: sim.Pool{
					Name:     "cloud",
					OnDemand: true,
					Quota:    20,
					Boot:     sim.Boot{Median: 100 * time.Second},
				},
				Prices: []sim.Price{{USD: 3}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		job := func(submit time.Duration, hours float64, within time.Duration) sim.Job {
			return sim.Job{
				Submit:    submit,
				Objective: sim.Objective{Within: within},
				Model:     &throughput.Gang{GPUs: 2, Total: 3600 * hours, Restart: 2*time.Minute - way},
			}
		}
		c := sim.Config{Market: market, Policy: schedulers.NewEDF(), Jobs: []sim.Job{
			job(0, 4, 6*time.Hour-20*time.Second),
			job(time.Hour, 2, 2*time.Hour+time.Minute),
		}}
		if way > 0 {
			c.Moves = slowMoves(way)
		}
		w, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		totals := w.Run()
		if want := 2 * 3.0 * 361 / 3600; check.Off(totals.Bill.OnDemand, want, 1e-3) {
			t.Errorf("%s: %v USD on demand, expected %v", what, totals.Bill.OnDemand, want)
		}
		for j, want := range []time.Duration{6*time.Hour - 21*time.Second, 2 * time.Hour} {
			if took := totals.Jobs[j].Elapsed; !totals.Jobs[j].Finished || took.Round(time.Millisecond) != want {
				t.Errorf("%s: job %d takes %v, expected %v", what, j, took, want)
			}
		}
	}
}
