package wasm

import "time"

// SetLeastCompiling lets a test give a compiler up early; what it returns puts it back.
func SetLeastCompiling(d time.Duration) func() {
	before := leastCompiling
	leastCompiling = d
	return func() { leastCompiling = before }
}
