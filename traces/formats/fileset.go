package formats

import (
	"context"

	"github.com/marigram/marigram/traces"
)

// files are those that were read.
type files struct {
	ctx      context.Context
	window   int // bytes of a text in memory at once
	max      int // rows and names held in memory
	list     []traces.SourceFile
	contents map[string]string // by SHA-256: the file that was read first
}

// maxHeld bounds the rows and names of a trace in memory.
const maxHeld = 8 << 20
