//go:build linux

package sim_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that the process has used, all threads and
// the garbage collector included. Unlike the wall clock it says the same on a
// machine that others use.
func cpuTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}
