package judge_test

import (
	"context"
	"fmt"

	"github.com/marigram/marigram/experiments/judge"
	_ "github.com/marigram/marigram/papers/extensions"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// All policies of marigram on a small set, without one of one's own; ParseFile of package plug-in reads those.
func ExampleSet_Judge() {
	set, err := judge.Open("testdata/small") // a folder with set.yaml, or the name of a set that comes with marigram
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := set.Judge(context.Background(), []*loader.Plugin{}, judge.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Set.Name, len(result.Studies), "objectives; the best met the objective in", result.Policies[0].Met, "of", result.Policies[0].Runs, "runs")
	// Output:
	// small 1 objectives; the best met the objective in 2 of 2 runs
}
