package sim_test

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// two asks for two instances of the first pool and keeps asking for what is lost.
type two struct{}

func (two) Name() string { return "two" }

func (two) Decide(_ sim.View, plan *sim.Plan) { plan.Jobs[0].Hold[0] = 2 }

// A market of one pool at 1 USD an hour, from which one of two machines is taken
// for half an hour, with a notice of two minutes; and a job of four hours of one
// machine's work.
func Example() {
	pool := sim.Pool{Name: "us-east-1a/p3.2xlarge", InstanceType: "p3.2xlarge", Quota: 2,
		Notice: 2 * time.Minute, Boot: sim.Boot{Median: time.Minute}}
	market, err := sim.NewMarket(sim.At(12*3600), []sim.Trace{{
		Pool:     pool,
		Prices:   []sim.Price{{USD: 1}},
		Capacity: []sim.Capacity{{N: 2}, {At: sim.At(3600), N: 1}, {At: sim.At(5400), N: 2}},
	}})
	if err != nil {
		panic(err)
	}
	world, err := sim.New(sim.Config{Market: market, Policy: two{}, Seed: 1, Billing: sim.PerSecond(), Jobs: []sim.Job{{
		Model:     simtest.Linear{PerWorker: 1},
		Objective: sim.Objective{Loss: simtest.LossAt(4 * 3600), Within: 3 * time.Hour},
	}}})
	if err != nil {
		panic(err)
	}
	total := world.Run()
	job := total.Jobs[0]
	fmt.Printf("finished after %v for %.2f USD\n", job.Elapsed.Round(time.Second), total.Bill.Total())
	fmt.Println(total.Notices, "notice,", total.Preemptions, "preemption")
	fmt.Println("useful:", job.Activities[sim.Useful].Span().Round(time.Second), "starting:", job.Activities[sim.Starting])
	// Output:
	// finished after 2h16m30s for 4.05 USD
	// 1 notice, 1 preemption
	// useful: 4h0m0s starting: 3m0s
}
