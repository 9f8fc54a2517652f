package policies_test

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// The cheapest cluster that trains ResNet-110 to a loss of 0.8 within 40 minutes,
// by the speeds, prices and coefficients that spotDNN published.
func ExampleStrategy() {
	profile, coefficients, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		panic(err)
	}
	model, err := ps.NewASP(profile, coefficients, ps.FormArtifact, profile.Types())
	if err != nil {
		panic(err)
	}
	task := spotdnn.Task{Model: model, From: math.Inf(1), To: 0.8, Seconds: 2400, Margin: 0.03,
		Have: make([]int, len(profile))}
	for _, r := range profile {
		task.Free, task.USD = append(task.Free, r.Quota), append(task.USD, r.SpotUSDPerH)
	}
	var strategy spotdnn.Strategy = &spotdnn.Window{}
	choice := strategy.Search(&task)
	for i, n := range choice.Counts {
		if n > 0 {
			fmt.Println(n, profile[i].InstanceType)
		}
	}
	fmt.Printf("%.0f s, %.2f USD\n", choice.Seconds, choice.USD)
	// Output:
	// 2 p3.2xlarge
	// 4 g3.8xlarge
	// 2351 s, 2.99 USD
}

// A policy by its name, with a setting of its own.
func ExampleConfigure() {
	policy, err := policies.New("reactive")
	if err != nil {
		panic(err)
	}
	if err := policies.Configure(policy, map[string]any{"patience_s": 60}); err != nil {
		panic(err)
	}
	for _, s := range policies.Settings(policy) {
		fmt.Println(s.Name, s.Value)
	}
	// Output:
	// instances 0
	// patience_s 60
}

// A policy of one's own, in a world of one's own.
func Example() {
	market, err := sim.NewMarket(sim.At(24*3600), []sim.Trace{
		{Pool: sim.Pool{Name: "spot", InstanceType: "p3.2xlarge", Quota: 4}, Prices: []sim.Price{{USD: 1}},
			Capacity: []sim.Capacity{{N: 4}, {At: sim.At(1800)}}}, // all are taken after half an hour
		{Pool: sim.Pool{Name: "on-demand", InstanceType: "p3.2xlarge", Quota: 4, OnDemand: true},
			Prices: []sim.Price{{USD: 3}}},
	})
	if err != nil {
		panic(err)
	}
	profile, coefficients, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		panic(err)
	}
	model, err := ps.NewASP(profile, coefficients, ps.FormArtifact, []string{"p3.2xlarge", "p3.2xlarge"})
	if err != nil {
		panic(err)
	}
	world, err := sim.New(sim.Config{Market: market, Seed: 1, Policy: &Steady{Instances: 2, Patience: 5 * time.Minute},
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Loss: 0.8, Within: time.Hour},
			ParameterServers: 1}}})
	if err != nil {
		panic(err)
	}
	total := world.Run()
	fmt.Printf("finished %v after %v, %.2f USD, %d preemptions\n",
		total.Jobs[0].Finished, total.Jobs[0].Elapsed.Round(time.Second), total.Bill.Total(), total.Preemptions)
	// Output:
	// finished true after 50m22s, 2.54 USD, 2 preemptions
}
