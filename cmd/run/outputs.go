package run

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
)

// ownFiles are what run writes: those of an earlier run are taken away, lest its
// figures lie next to other results.
var ownFiles = slices.Concat(results.Files(), plots.SavedFiles())

// checkOutputs refuses to replace an input of a run, and to write into the folder of a
// sweep: each would hide the results of the other.
func checkOutputs(out, trace string, inputs []string) error {
	if err := cli.CheckOutputs(inputs, trace); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	if out == "" {
		return nil
	}
	if trace != "" && cli.SamePath(filepath.Dir(trace), out) && cli.Matches(filepath.Base(trace), ownFiles...) {
		return fmt.Errorf("--trace %s has the name of a file that --out writes, expected another one", trace)
	}
	if cli.IsSweep(out) {
		return fmt.Errorf("--out %s is the folder of a sweep, expected another one", out)
	}
	if err := cli.CheckInto(inputs, out, ownFiles...); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}
