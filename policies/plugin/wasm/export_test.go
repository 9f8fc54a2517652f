package wasm

import "time"

// SetMinCompiling lets a test give a compiler up early; what it returns puts it back.
func SetMinCompiling(d time.Duration) func() {
	before := minCompiling
	minCompiling = d
	return func() { minCompiling = before }
}
