package schedulers_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// What the totals say of a job that the scheduler stopped, and of one that lost its GPUs.
func TestGangTotals(t *testing.T) {
	run := func(p sim.Policy, h []sim.Trace, jobs ...sim.Job) *sim.Totals {
		m, err := sim.NewMarket(sim.At(1e6), h)
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p})
		if err != nil {
			t.Fatal(err)
		}
		return w.Run()
	}
	job := func(submit time.Duration, gpus int, work float64) sim.Job {
		return sim.Job{Submit: submit, Model: &throughput.Gang{GPUs: gpus, Total: work}, Objective: sim.Objective{Within: time.Hour}}
	}
	price := []sim.Price{{USD: 2}}
	two := []sim.Trace{{Pool: sim.Pool{Name: "a", Quota: 1}, Prices: price}, {Pool: sim.Pool{Name: "b", Quota: 1}, Prices: price}}

	// The first job has both until the second, which is shorter, takes one of them for 600 s.
	got := run(&schedulers.Shortest{}, two, job(0, 2, 3600), job(10*time.Minute, 1, 600))
	want := sim.JobTotals{Finished: true, Done: 1, Elapsed: 4200 * time.Second, Waited: 600 * time.Second, Suspensions: 1, Bill: sim.Bill{Spot: 4}}
	compare(t, "stopped", got.Jobs[0], want)
	compare(t, "short", got.Jobs[1], sim.JobTotals{Finished: true, Done: 1, Elapsed: 600 * time.Second, Bill: sim.Bill{Spot: 1. / 3}})

	// From 1,000 s on there is nothing for 500 s; the notice comes 60 s before.
	lost := []sim.Trace{{Pool: sim.Pool{Name: "a", Quota: 1, Reserved: true, Notice: time.Minute}, Prices: price,
		Capacity: []sim.Capacity{{N: 1}, {At: sim.At(1000)}, {At: sim.At(1500), N: 1}}}}
	got = run(&schedulers.FIFO{}, lost, job(0, 1, 3600), job(time.Minute, 1, 60))
	compare(t, "preempted", got.Jobs[0], sim.JobTotals{Finished: true, Done: 1, Elapsed: 4100 * time.Second, Waited: 500 * time.Second, Preemptions: 1,
		Bill: sim.Bill{Spot: 2}})
	compare(t, "behind it", got.Jobs[1], sim.JobTotals{Finished: true, Done: 1, Started: 4040 * time.Second, Elapsed: 4100 * time.Second,
		Waited: 4040 * time.Second, Bill: sim.Bill{Spot: 1. / 30}})
}

func compare(t *testing.T, what string, got, want sim.JobTotals) {
	t.Helper()
	for _, x := range []struct {
		name      string
		got, want any
	}{{"finished", got.Finished, want.Finished}, {"elapsed", got.Elapsed, want.Elapsed}, {"started", got.Started, want.Started},
		{"waited", got.Waited, want.Waited}, {"suspensions", got.Suspensions, want.Suspensions}, {"preemptions", got.Preemptions, want.Preemptions},
		{"moves", got.Moves, want.Moves}, {"USD", float32(got.Bill.Total()), float32(want.Bill.Total())}} {
		if x.got != x.want {
			t.Errorf("%s: %s is %v, expected %v", what, x.name, x.got, x.want)
		}
	}
}
