//go:build unix

package tracetest

import (
	"syscall"
	"testing"
)

// CPUSeconds returns the CPU time that the process has used.
func CPUSeconds(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	seconds := func(v syscall.Timeval) float64 { return float64(v.Sec) + float64(v.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}
