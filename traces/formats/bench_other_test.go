//go:build !unix

package formats

import (
	"testing"
	"time"
)

var processStart = time.Now()

// cpuSeconds is wall time where the CPU time of a process is not to be had.
func cpuSeconds(testing.TB) float64 { return time.Since(processStart).Seconds() }
