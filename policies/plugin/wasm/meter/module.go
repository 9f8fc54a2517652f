package meter

import (
	"errors"
	"fmt"
	"slices"
)

const (
	// Chunk is how many units pace gives at a time, about a millisecond of work.
	Chunk = 1 << 20
	// Heavy is what an instruction takes that can do much by itself.
	Heavy = Chunk / 10
	// Host and Pace name the imported function, () -> i64: how many units come next.
	Host, Pace = "marigram", "pace"

	maxElements = 1 << 18 // of all tables
	maxTables   = 64
	maxLocals   = 50_000 // of a function
)

// Sections of a module, by their numbers.
const (
	types = iota + 1
	imports
	functions
	tables
	memories
	globals
	exports
	start
	elements
	code
	data
	dataCount
)

// Global is the exported name of the n-th global that can change.
func Global(n int) string { return fmt.Sprintf("marigram_global_%d", n) }

// module is a module that is being rewritten.
type module struct {
	sections [dataCount + 1][]byte
	types    uint32 // their number, without that of pace
	imported uint32 // functions, without pace
	globals  uint32 // without the counter
	changing []uint32
}

// order is that of the sections.
var order = []byte{types, imports, functions, tables, memories, globals, exports, start, elements, dataCount, code, data}

// function is the new number of a function: pace is the last of those that are imported.
func (m *module) function(n uint32) uint32 {
	if n < m.imported {
		return n
	}
	return n + 1
}

// split finds the sections; those for debuggers are left out.
func (m *module) split(binary []byte) error {
	if len(binary) < 8 || string(binary[:8]) != "\x00asm\x01\x00\x00\x00" {
		return errors.New("it does not begin as a module of WebAssembly 1.0 does")
	}
	r, last := &reader{b: binary, at: 8}, -1
	for r.at < len(r.b) && r.err == nil {
		id := r.byte()
		part := r.take(int(r.u32()))
		if id == 0 {
			continue
		}
		at := slices.Index(order, id)
		if at <= last {
			return fmt.Errorf("section %d is unknown, or not where it belongs", id)
		}
		last, m.sections[id] = at, part
	}
	return r.err
}
