//go:build !linux

package sim_test

import "time"

var started = time.Now()

// cpuTime falls back to the wall clock where the process clock is not asked.
func cpuTime() time.Duration { return time.Since(started) }
