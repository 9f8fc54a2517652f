package calibrate_test

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
)

// Measured runs become a model, which says how good it is and what it was fitted on.
func Example() {
	const runs = `model,gpu,gpus,batch_per_gpu,step_time_s,source
net,V100,1,16,0.060,made up
net,V100,1,32,0.101,made up
net,V100,1,48,0.139,made up
net,V100,1,64,0.180,made up
net,V100,1,96,0.261,made up
`
	profile, err := fit.ReadMeasured("runs.csv", strings.NewReader(runs))
	if err != nil {
		panic(err)
	}
	family, err := calibrate.FamilyNamed("step-time-linear")
	if err != nil {
		panic(err)
	}
	model, err := fit.Fit(family, profile, nil, "example")
	if err != nil {
		panic(err)
	}
	for _, p := range model.Parameters {
		fmt.Printf("%s = %.4f %s\n", p.Name, p.Value, p.Unit)
	}
	fmt.Printf("held out: %.1f %% off\n", 100**model.Errors.HeldOut)
	seconds, outside := model.Predict(&fit.Measurement{Model: "net", GPU: "V100", GPUs: 1, Batch: 128})
	fmt.Printf("batch 128: %.3f s; %s\n", seconds, outside)
	// Output:
	// a = 0.0200 s
	// b = 0.0025 s/sample
	// held out: 1.1 % off
	// batch 128: 0.341 s; batch_per_gpu 128 is outside 16 to 96
}
