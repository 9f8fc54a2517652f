// Package meter rewrites WebAssembly modules so that they count what they do, and can be stopped.
//
// A module gets a counter of its own. Every function and every turn of a loop takes from it as many units as the
// code up to the next such place has bytes; whatever can take long by itself (a call of the host or through a
// table, filling and copying) takes Heavy units. At 0 the module calls the host's function pace, which fills the
// counter up or ends the call. So neither loops nor recursion without end get by, and a call costs no
// goroutine and no timer.
//
// Rewriting also exports the globals that can change, so that the host can keep them with the memory, bounds tables,
// and refuses what would remember anything elsewhere.
package meter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Rewrite returns the module with its counter, and how many globals it has that can change, which are exported by
// the names of Global. Errors are about what a module may not have, or say that it is none; what else is wrong with
// it, its compiler says.
func Rewrite(binary []byte) (counting []byte, changing int, err error) {
	m := new(module)
	if err := m.split(binary); err != nil {
		return nil, 0, err
	}
	for _, id := range order {
		r := &reader{b: m.sections[id]}
		out := m.section(id, r)
		if r.err == nil && len(r.b) > r.at {
			r.fail("bytes after its end")
		}
		if r.err != nil {
			return nil, 0, fmt.Errorf("section %d: %w", id, r.err)
		}
		m.sections[id] = out
	}
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, id := range order {
		if s := m.sections[id]; len(s) > 0 {
			out = append(unsigned(append(out, id), uint32(len(s))), s...)
		}
	}
	return out, len(m.changing), nil
}

// section rewrites one section; those that are not there may be made.
func (m *module) section(id byte, r *reader) []byte {
	switch id {
	case types:
		m.types = r.optional()
		return append(append(unsigned(nil, m.types+1), r.rest()...), 0x60, 0, 1, valueI64)
	case imports:
		return m.imports(r)
	case tables:
		return m.tables(r)
	case globals:
		return m.globalsSection(r)
	case exports:
		return m.exports(r)
	case start:
		if len(r.b) == 0 {
			return nil
		}
		return unsigned(nil, m.function(r.u32()))
	case elements:
		return m.elements(r)
	case code:
		return m.code(r)
	}
	return r.rest()
}

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

// reader reads parts of a module; the first error stays.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(why string) {
	if r.err == nil {
		r.err = errors.New(why)
	}
	r.at = len(r.b)
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b)-r.at {
		r.fail("it ends too early")
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) rest() []byte { return r.take(len(r.b) - r.at) }

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// u32 reads a number as LEB128.
func (r *reader) u32() uint32 {
	x, n := binary.Uvarint(r.b[r.at:min(len(r.b), r.at+5)])
	if n <= 0 || x > 1<<32-1 {
		r.fail("a number is not as it should be")
		return 0
	}
	r.at += n
	return uint32(x)
}

// optional is u32, 0 where there is nothing.
func (r *reader) optional() uint32 {
	if len(r.b) == 0 {
		return 0
	}
	return r.u32()
}

// count reads how many elements follow, each of a byte at least.
func (r *reader) count() int {
	n := r.optional()
	if int(n) > len(r.b)-r.at {
		r.fail("it ends too early")
		return 0
	}
	return int(n)
}

// number passes a number of any sign as LEB128, of at most n bytes.
func (r *reader) number(largest int) {
	for range largest {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail("a number is not as it should be")
}

// unsigned appends a number as LEB128.
func unsigned(b []byte, x uint32) []byte { return binary.AppendUvarint(b, uint64(x)) }

// padded writes a number below 2^32 as a signed one of five bytes.
func padded(b []byte, x int) {
	for i := range 4 {
		b[i] = byte(x>>(7*i))&0x7f | 0x80
	}
	b[4] = byte(x>>28) & 0x7f
}
