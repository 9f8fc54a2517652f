// Package pattern has regular expressions that are compiled when they are first
// used: those of all formats together would cost every start of the program a
// millisecond.
package pattern

import (
	"regexp"
	"sync"
)

// Of returns a function that returns the compiled expression, always the same. It
// may be called from several goroutines. It panics if the expression is none.
func Of(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
