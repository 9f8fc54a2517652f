package meter

import (
	"fmt"
)

// Instructions that are more to the meter than bytes.
const (
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBranch       = 0x0c
	opBranchIf     = 0x0d
	opBranchTable  = 0x0e
	opCall         = 0x10
	opCallIndirect = 0x11
	opSelectTyped  = 0x1c
	opLocalGet     = 0x20
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableGet     = 0x25
	opTableSet     = 0x26
	opLoad         = 0x28
	opStoreLast    = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI64Less      = 0x53
	opI64Sub       = 0x7d
	opPlainLast    = 0xc4 // from opF64Const on, without immediates
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1
	opRefFunc      = 0xd2
	opMore         = 0xfc
	opVector       = 0xfd

	emptyBlock = 0x40
)

// instruction copies an instruction, with functions by their new numbers.
func (m *module) instruction(out []byte, r *reader) (_ []byte, op uint32) {
	from := r.at
	op = uint32(r.byte())
	switch {
	case op == opCall || op == opRefFunc:
		return unsigned(append(out, byte(op)), m.function(r.u32())), op
	case op == opGlobalGet || op == opGlobalSet:
		if r.u32() >= m.globals {
			r.fail("a global that there is not") // the counter is not the module's
		}
	default:
		m.immediates(op, r)
	}
	return append(out, r.b[from:r.at]...), op
}

// immediates passes what belongs to an instruction.
func (m *module) immediates(op uint32, r *reader) {
	switch {
	case op == opBlock || op == opLoop || op == opIf, op == opI32Const:
		r.number(5)
	case op == opI64Const:
		r.number(10)
	case op == opF32Const:
		r.take(4)
	case op == opF64Const:
		r.take(8)
	case op <= 1, op == opElse, op == opEnd, op == 0x0f, op == 0x1a, op == 0x1b, op > opF64Const && op <= opPlainLast, op == opRefIsNull:
	case op == opBranch || op == opBranchIf, op >= opLocalGet && op < opGlobalGet, op == opTableGet:
		r.u32()
	case op == opBranchTable:
		for range r.count() + 1 {
			r.u32()
		}
	case op == opCallIndirect, op >= opLoad && op <= opStoreLast:
		r.u32()
		r.u32()
	case op == opSelectTyped:
		r.take(r.count())
	case op == opMemorySize || op == opMemoryGrow, op == opRefNull:
		r.byte()
	case op == opMore:
		m.more(r.u32(), r)
	case op == opVector:
		vector(r.u32(), r)
	default:
		m.unknown(op, r)
	}
}

func (m *module) unknown(op uint32, r *reader) {
	if op == opTableSet {
		m.remembers("table.set", r)
		return
	}
	r.fail(fmt.Sprintf("an unknown instruction %#x, expected those of WebAssembly 2.0", op))
}

func (m *module) remembers(name string, r *reader) {
	r.fail("the instruction " + name + ": what a module remembers has to be in its memory, not in tables")
}

// more passes what belongs to instructions that begin with opMore.
func (m *module) more(op uint32, r *reader) {
	switch op {
	case 0, 1, 2, 3, 4, 5, 6, 7: // floating-point numbers to whole ones
	case 8: // memory.init
		r.u32()
		r.byte()
	case 9, 13, 16: // data.drop, elem.drop, table.size
		r.u32()
	case 10: // memory.copy
		r.take(2)
	case 11: // memory.fill
		r.byte()
	case 12, 14, 15, 17:
		m.remembers(map[uint32]string{12: "table.init", 14: "table.copy", 15: "table.grow", 17: "table.fill"}[op], r)
	default:
		r.fail(fmt.Sprintf("an unknown instruction %#x %d, expected those of WebAssembly 2.0", opMore, op))
	}
}

// vector passes what belongs to instructions on vectors.
func vector(op uint32, r *reader) {
	switch {
	case op <= 11 || op == 92 || op == 93: // loads and stores
		r.u32()
		r.u32()
	case op == 12 || op == 13: // a constant, a shuffle
		r.take(16)
	case op >= 21 && op <= 34: // a lane
		r.byte()
	case op >= 84 && op <= 91: // loads and stores of a lane
		r.u32()
		r.u32()
		r.byte()
	case op > 255:
		r.fail(fmt.Sprintf("an unknown instruction %#x %d, expected those of WebAssembly 2.0", opVector, op))
	}
}
