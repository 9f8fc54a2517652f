//go:build !unix

package tracetest

import (
	"testing"
	"time"
)

var processStart = time.Now()

// CPUSeconds is wall time where the CPU time of a process is not to be had.
func CPUSeconds(testing.TB) float64 { return time.Since(processStart).Seconds() }
