package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that this process has used, all threads
// and the garbage collector included.
func cpuTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}
