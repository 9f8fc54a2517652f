package meter

import "fmt"

const (
	valueI64 = 0x7e
	valueF64 = 0x7c // numbers are valueF64 to 0x7f
)

// What is imported and exported, by kind.
const (
	kindFunction = iota
	kindTable
	kindMemory
	kindGlobal
)

func (m *module) imports(r *reader) []byte {
	n := r.count()
	from := r.at
	for range n {
		r.take(int(r.u32()))
		r.take(int(r.u32()))
		switch kind := r.byte(); kind {
		case kindFunction:
			m.imported++
			r.u32()
		case kindGlobal:
			m.globals++
			r.byte()
			r.byte()
		default:
			r.fail(fmt.Sprintf("it imports something of kind %d, expected functions and constants", kind))
		}
	}
	out := append(unsigned(nil, uint32(n)+1), r.b[from:r.at]...)
	out = append(append(out, byte(len(Host))), Host...)
	out = append(append(out, byte(len(Pace))), Pace...)
	return unsigned(append(out, kindFunction), m.types)
}

// tables bounds how far tables can grow.
func (m *module) tables(r *reader) []byte {
	if len(r.b) == 0 {
		return nil
	}
	n := r.count()
	if n > maxTables {
		r.fail(fmt.Sprintf("%d tables, expected at most %d", n, maxTables))
		return nil
	}
	out := unsigned(nil, uint32(n))
	for range n {
		typ, limited := r.byte(), r.byte()
		smallest := r.u32()
		largest := max(smallest, maxElements/uint32(n))
		switch {
		case limited == 1:
			largest = min(largest, r.u32())
		case limited != 0:
			r.fail("limits of a table are not as they should be")
		}
		if smallest > maxElements/uint32(n) {
			r.fail(fmt.Sprintf("a table of %d elements, expected at most %d", smallest, maxElements/n))
		}
		out = unsigned(unsigned(append(out, typ, 1), smallest), largest)
	}
	return out
}

// globalsSection adds the counter, and notes which globals can change.
func (m *module) globalsSection(r *reader) []byte {
	n := r.count()
	out := unsigned(nil, uint32(n)+1)
	for range n {
		typ, can := r.byte(), r.byte()
		out = append(out, typ, can)
		if can == 1 {
			if typ < valueF64 || typ > 0x7f {
				r.fail("a global that can change is no number: what a module remembers has to be in its memory, or numbers")
			}
			m.changing = append(m.changing, m.globals)
		}
		m.globals++
		out = m.expression(out, r)
	}
	return append(out, valueI64, 1, opI64Const, 0, opEnd)
}

// exports adds the globals that can change.
func (m *module) exports(r *reader) []byte {
	n := r.count()
	out := unsigned(nil, uint32(n+len(m.changing)))
	for range n {
		from := r.at
		r.take(int(r.u32()))
		kind := r.byte()
		out = append(out, r.b[from:r.at]...)
		index := r.u32()
		if kind == kindFunction {
			index = m.function(index)
		}
		out = unsigned(out, index)
	}
	for i, g := range m.changing {
		name := Global(i)
		out = unsigned(append(append(append(out, byte(len(name))), name...), kindGlobal), g)
	}
	return out
}

// elements renumbers the functions in tables.
func (m *module) elements(r *reader) []byte {
	if len(r.b) == 0 {
		return nil
	}
	n := r.count()
	out := unsigned(nil, uint32(n))
	for range n {
		flags := r.u32()
		out = unsigned(out, flags)
		if flags > 7 {
			r.fail("elements of a table are of an unknown form")
		}
		active := flags&1 == 0
		if active && flags&2 != 0 {
			out = unsigned(out, r.u32()) // the table
		}
		if active {
			out = m.expression(out, r)
		}
		if flags&3 != 0 {
			out = append(out, r.byte()) // of what kind they are
		}
		k := r.count()
		out = unsigned(out, uint32(k))
		for range k {
			if flags&4 != 0 {
				out = m.expression(out, r)
			} else {
				out = unsigned(out, m.function(r.u32()))
			}
		}
	}
	return out
}

// expression copies a constant expression.
func (m *module) expression(out []byte, r *reader) []byte {
	for r.err == nil {
		op := uint32(0)
		if out, op = m.instruction(out, r); op == opEnd {
			break
		}
	}
	return out
}
