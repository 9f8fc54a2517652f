//go:build !unix

package papers

import "time"

var began = time.Now()

// CPUTime returns the wall time since the process began, where its processor
// time cannot be had.
func CPUTime() time.Duration { return time.Since(began) }
