package ps_test

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/sim"
)

// How fast a published model trains on one and on four workers.
func ExamplePublished() {
	profile, coefficients, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := ps.NewASP(profile, coefficients, ps.FormArtifact, []string{"p3.2xlarge"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []int32{1, 4} {
		layout := &sim.Layout{Workers: []int32{n}, Servers: 1}
		seconds := (model.Goal(0.8) - model.Begin(layout)) / model.Rate(layout).Progress
		fmt.Printf("%d: %.0f s\n", n, seconds)
	}
	// Output:
	// 1: 3709 s
	// 4: 1974 s
}
