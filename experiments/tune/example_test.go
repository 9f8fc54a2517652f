package tune_test

import (
	"context"
	"fmt"

	"github.com/marigram/marigram/experiments/tune"
)

// The cheapest of two settings of a policy on the quickstart's market.
func ExampleFind() {
	a, err := tune.Find(context.Background(), tune.Question{
		Spec: "quickstart", Policy: "spotdnn-safe", Objective: "loss-0.8-in-40min",
		Set: []string{"policy.reserve_s=300,600"}, Share: 0.95, Within: 0.05,
	}, tune.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Verdict, string(a.Winner))
	fmt.Print(a.WinnerYAML)
	// Output:
	// proven {"policy.reserve_s":300}
	// policies:
	//   - name: spotdnn-safe
	//     settings:
	//       reserve_s: 300
}
