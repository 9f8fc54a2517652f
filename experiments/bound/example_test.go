package bound_test

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/sim"
)

// The least that any policy can cost in one market.
func ExampleHindsight() {
	pool := sim.Pool{Name: "a", InstanceType: "p3.2xlarge", Quota: 4}
	market, err := sim.NewMarket(sim.At(48*3600), []sim.Trace{{Pool: pool, Prices: []sim.Price{{USD: 0.9}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	profile, coefficients, _ := ps.Published("spotdnn-resnet110")
	model, _ := ps.NewASP(profile, coefficients, ps.FormArtifact, []string{"p3.2xlarge"})
	job := sim.Job{Model: model, ParameterServers: 1, ParameterServerPrice: 0.192, Objective: sim.Objective{Loss: 0.6, Within: 6 * time.Hour}}
	b, err := bound.Hindsight(sim.Config{Market: market, Jobs: []sim.Job{job}, Billing: sim.PerSecond()})
	fmt.Printf("%.2f USD, not before %.0f s, %v\n", b.USD, b.Seconds, err)
	// Output:
	// 3.67 USD, not before 6042 s, <nil>
}
