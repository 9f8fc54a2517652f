package meter

import (
	"fmt"
	"slices"
)

// code rewrites the bodies of all functions.
func (m *module) code(r *reader) []byte {
	if len(r.b) == 0 {
		return nil
	}
	n := r.count()
	out := unsigned(make([]byte, 0, len(r.b)*5/4), uint32(n))
	var body []byte
	for range n {
		text := r.take(int(r.u32()))
		body = m.body(slices.Grow(body[:0], len(text)*5/4), &reader{b: text}, r)
		out = append(unsigned(out, uint32(len(body))), body...)
	}
	return out
}

// loop is one that is not closed yet.
type loop struct {
	weight int // where its weight is to be written; 0: it is a block that runs once
	from   int // where it begins
}

// body rewrites a function; errors are those of the section.
func (m *module) body(out []byte, r, section *reader) []byte {
	locals := 0
	for range r.count() {
		locals += int(r.u32())
		r.byte()
		if locals > maxLocals {
			r.fail(fmt.Sprintf("a function of %d variables, expected at most %d", locals, maxLocals))
		}
	}
	out = append(out, r.b[:r.at]...)
	out, _ = m.charge(out, len(r.b)+1)
	var open []loop
	for ended := false; !ended && r.err == nil; {
		from := r.at
		if m.heavy(*r) {
			out, _ = m.charge(out, Heavy)
		}
		var op uint32
		out, op = m.instruction(out, r)
		switch op {
		case opBlock, opIf:
			open = append(open, loop{})
		case opLoop:
			var weight int
			out, weight = m.charge(out, 0)
			open = append(open, loop{weight, from})
		case opEnd:
			if ended = len(open) == 0; ended {
				continue
			}
			if l := open[len(open)-1]; l.weight > 0 {
				padded(out[l.weight:], r.at-l.from)
			}
			open = open[:len(open)-1]
		}
	}
	if r.err == nil && r.at < len(r.b) {
		r.fail("bytes after the end of a function")
	}
	if r.err != nil {
		section.fail(r.err.Error())
	}
	return out
}

// charge takes units from the counter, and asks pace for more where none is left. It returns where the number is.
func (m *module) charge(out []byte, units int) (_ []byte, at int) {
	out = append(unsigned(append(out, opGlobalGet), m.globals), opI64Const)
	at = len(out)
	out = append(out, 0, 0, 0, 0, 0, opI64Sub)
	padded(out[at:], units)
	out = unsigned(append(out, opGlobalSet), m.globals)
	out = unsigned(append(out, opGlobalGet), m.globals)
	out = append(out, opI64Const, 0, opI64Less, opIf, emptyBlock)
	out = unsigned(append(out, opCall), m.imported)
	out = unsigned(append(out, opGlobalSet), m.globals)
	return append(out, opEnd), at
}

// heavy reports whether the next instruction can take long by itself.
func (m *module) heavy(r reader) bool {
	switch r.byte() {
	case opCall:
		return r.u32() < m.imported // others are charged where they begin
	case opMore:
		return r.u32() > 7 // of memory and of tables
	case opCallIndirect, opMemoryGrow:
		return true
	}
	return false
}
