//go:build race

package simtest

// raceDetector says that a sync.Pool forgets what it has, now and then: then
// allocations are not counted.
const raceDetector = true
