package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/runs"
	"github.com/marigram/marigram/experiments/results"
)

// ownFiles are what run writes: those of an earlier run are taken away, lest its
// figures stand beside other results.
var ownFiles = append(results.Files(),
	"timeline-*.svg", "timeline-*.png", "timeline-*.pdf", "activities-*.svg", "activities-*.png", "activities-*.pdf",
	"cost-objective.svg", "cost-objective.png", "cost-objective.pdf")

// checkOutputs refuses to replace an input of a run, and to write into the folder of a
// sweep: each would hide the results of the other.
func checkOutputs(out, trace string, inputs []string) error {
	if err := cli.CheckOutputs(inputs, trace); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	if out == "" {
		return nil
	}
	if runs.IsSweep(out) {
		return fmt.Errorf("--out %s is the folder of a sweep, expected another one", out)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		return nil // it is new, or whoever writes there reports what is wrong
	}
	var replaced []string
	for _, e := range entries {
		if slices.ContainsFunc(ownFiles, func(own string) bool {
			is, _ := filepath.Match(own, e.Name()) // each is a pattern
			return is
		}) {
			replaced = append(replaced, filepath.Join(out, e.Name()))
		}
	}
	if err := cli.CheckReplaced(inputs, replaced...); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}
