// Life runs the scenario of docs/design/038 and prints which functions of package sim run, in the order of their first calls: a
// line "# " and the part of the scenario, then a function a line. It needs a package sim that says what it calls (life_test.go).
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/marigram/marigram/sim"
)

// model trains on each instance at one rate. A change that lost instances stops it for a minute.
type model struct{}

func (model) Rate(layout *sim.Layout) sim.Rate {
	workers := layout.Total()
	return sim.Rate{Progress: float64(workers), Working: int32(workers)}
}

func (model) Begin(*sim.Layout) float64 { return 0 }

func (model) Goal(loss float64) float64 { return 1e9 * (1 - loss) }

func (model) Loss(progress float64) float64 { return 1 - progress/1e9 }

func (model) SaveTime(*sim.Layout) (stall, persist time.Duration) { return 0, 0 }

func (model) Change(change *sim.Change) sim.Pause {
	if change.Lost == 0 {
		return sim.Pause{}
	}
	return sim.Pause{Stall: time.Minute, As: sim.Restoring}
}

// replacing holds two instances of the first pool. At a notice it holds one of the second pool for the one that goes.
type replacing struct{}

func (replacing) Name() string { return "replacing" }

func (replacing) Decide(v sim.View, plan *sim.Plan) {
	hold := plan.Jobs[0].Hold
	if v.Trigger()&sim.TriggerStart != 0 {
		hold[0] = 2
	}
	if v.Trigger()&sim.TriggerNotice != 0 {
		hold[0] = 1
		hold[1] = 1
	}
}

func main() {
	notice := 2 * time.Minute
	fall := sim.Time(0).Add(time.Hour)
	pool := func(name string, capacity ...sim.Capacity) sim.Trace {
		facts := sim.Pool{
			Name: name, Quota: 4, Notice: notice, Boot: sim.Boot{Median: 90 * time.Second}, Victim: sim.VictimNewest,
		}
		return sim.Trace{Pool: facts, Prices: []sim.Price{{USD: 1}}, Capacity: capacity}
	}
	market, err := sim.NewMarket(sim.Time(0).Add(2*time.Hour), []sim.Trace{
		pool("first", sim.Capacity{N: 2}, sim.Capacity{At: fall, N: 1}),
		pool("second", sim.Capacity{N: 2}),
	})
	exit(err)
	job := sim.Job{Model: model{}, Objective: sim.Objective{Loss: 0, Within: sim.NoDeadline}}
	world, err := sim.New(sim.Config{
		Market: market, Jobs: []sim.Job{job}, Policy: replacing{}, Billing: sim.PerSecond(), Seed: 1,
	})
	exit(err)

	show := func(part string, from, until sim.Time) {
		world.RunUntil(from - 1)
		fmt.Println("#", part)
		seen := map[string]bool{}
		sim.Called = func(function string) {
			if !seen[function] {
				seen[function] = true
				fmt.Println(function)
			}
		}
		world.RunUntil(until)
		sim.Called = nil
	}
	atNotice := fall.Add(-notice)
	ready := atNotice.Add(90 * time.Second)
	show("The notice", atNotice, atNotice)
	show("The replacement is ready", ready, ready)
	show("The instance goes", fall, fall)
	if totals := world.Totals(); totals.Preemptions != 1 || totals.Notices != 1 || totals.Grants != 3 {
		exit(fmt.Errorf("%d preemptions, %d notices, %d grants, expected 1, 1 and 3",
			totals.Preemptions, totals.Notices, totals.Grants))
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "life:", err)
		os.Exit(1)
	}
}
