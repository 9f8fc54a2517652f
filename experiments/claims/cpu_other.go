//go:build !unix

package claims

import "time"

var began = time.Now()

// cpuTime returns the wall time since the process began, where its processor
// time cannot be had.
func cpuTime() time.Duration { return time.Since(began) }
