package read

import (
	"regexp"
	"sync"
)

// Pattern returns a function that returns the compiled expression, always the same: compiling all of the formats at
// the start would take a millisecond. It may be called from several goroutines. It panics if the expression is none.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
