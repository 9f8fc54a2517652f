//go:build unix

package simtest

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that the process has used, all threads and
// the garbage collector included. Unlike the wall clock it says the same on a
// machine that others use.
func CPUTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
