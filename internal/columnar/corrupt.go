//go:build !js

package columnar

import (
	"fmt"
)

// corrupt says why a file cannot be read. Decoding panics with it, and parse
// recovers: so the decoders stay as short as their formats.
type corrupt string

func (c corrupt) Error() string { return "cannot be read: " + string(c) }

func fail(format string, args ...any) { panic(corrupt(fmt.Sprintf(format, args...))) }

// nameColumn adds a column's name to what is wrong with it; it is deferred.
func nameColumn(name string) {
	switch r := recover().(type) {
	case nil:
	case corrupt:
		fail("column %q: %s", name, string(r))
	default:
		fail("column %q: %v", name, r)
	}
}

// A budget is how many more bytes may be allocated for a file's content.
type budget int64

func (b *budget) take(n int) {
	if *b -= budget(n); *b < 0 {
		fail("it unpacks to more than its size allows")
	}
}
