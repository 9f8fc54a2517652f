package schedulers_test

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// Two servers of four GPUs, three jobs, by two schedulers: the long job keeps the others waiting
// first come first served, and is stopped for them by Tiresias.
func Example() {
	var servers []sim.Trace
	for _, name := range []string{"s0", "s1"} {
		servers = append(servers, sim.Trace{Pool: sim.Pool{Name: name, Quota: 4}, Prices: []sim.Price{{USD: 1}}})
	}
	market, err := sim.NewMarket(sim.At(1e6), servers)
	if err != nil {
		fmt.Println(err)
		return
	}
	job := func(submit time.Duration, gpus int, seconds float64) sim.Job {
		return sim.Job{Submit: submit, Model: &throughput.Gang{GPUs: gpus, Total: seconds}, Objective: sim.Objective{Within: time.Hour}}
	}
	jobs := []sim.Job{job(0, 8, 7200), job(10*time.Minute, 4, 600), job(20*time.Minute, 2, 600)}
	for _, scheduler := range []sim.Policy{&schedulers.FIFO{}, &schedulers.LAS{Limits: schedulers.DefaultLimits}} {
		world, err := sim.New(sim.Config{Market: market, Jobs: jobs, Policy: scheduler})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(scheduler.Name(), ":")
		for _, j := range world.Run().Jobs {
			fmt.Print(" ", j.Elapsed)
		}
		fmt.Println()
	}
	// Output:
	// fifo: 2h0m0s 2h0m0s 1h50m0s
	// tiresias: 2h20m0s 10m0s 10m0s
}
