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
	"fmt"
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
