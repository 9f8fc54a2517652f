package sweep_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/marigram/marigram/experiments/sweep"
)

// A grid of two cells, and what each policy costs beside reactive under the same luck.
func Example() {
	dir, err := os.MkdirTemp("", "sweep")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "notice.yaml")
	if err := os.WriteFile(file, []byte("base: quickstart\nseeds: 40\nmatrix: {market.replay.notice_s: [30, 120]}\n"), 0o666); err != nil {
		panic(err)
	}
	spec, err := sweep.Open(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := spec.Plan(context.Background(), "example", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	folder, err := plan.Begin(filepath.Join(dir, "out")) // the same again goes on where it was stopped
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := folder.Run(context.Background(), sweep.Options{Workers: 2, Shard: sweep.Whole}); err != nil {
		fmt.Println(err)
		return
	}
	rows, err := folder.Compare(sweep.By{Baseline: "reactive"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range rows {
		if c.Policy == "spotdnn" && c.Objective == "loss-0.8-in-40min" {
			fmt.Printf("%s: missed %.0f %% (%.0f to %.0f), %+.2f USD\n", c.Parameters, 100*c.Missed, 100*c.MissedCI.Low, 100*c.MissedCI.High, c.Diff)
		}
	}
	// Output:
	// {"market.replay.notice_s":30}: missed 38 % (24 to 53), +1.27 USD
	// {"market.replay.notice_s":120}: missed 35 % (22 to 50), +1.38 USD
}
