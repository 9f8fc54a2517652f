package runs

import (
	"strconv"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/format"
)

// Repeated returns the error of a row of a folder. Where it is that of a run below its bound it says how to do that run
// again.
func Repeated(dir string, err error) error {
	return cli.Repeated(err, func(x *results.BelowBound) string {
		_, p, wrong := results.ReadRuns(dir)
		if wrong != nil || IsSweep(dir) {
			return format.Command([]string{"marigram", "explain", dir, "--run", strconv.FormatInt(x.Run, 10), "--at", "0:00"})
		}
		return cli.RepeatLine(p.CommandLine, x)
	})
}
