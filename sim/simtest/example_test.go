package simtest_test

import (
	"fmt"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// one holds an instance of the first pool.
type one struct{}

func (one) Name() string { return "one" }

func (one) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		clear(plan.Jobs[j].Hold)
		if j == 0 {
			plan.Jobs[j].Hold[0] = 1
		}
	}
}

// What every policy is asked, on two made-up markets; Suite does the same as a test.
func ExampleCheck() {
	findings, err := simtest.Check(func(*sim.Market) sim.Policy { return one{} }, 2)
	for _, f := range findings[:3] {
		fmt.Println(f.Check, f.Err)
	}
	fmt.Println(err)
	// Output:
	// determinism <nil>
	// causality <nil>
	// pointless wakes <nil>
	// <nil>
}
