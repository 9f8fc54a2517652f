package columnar

import (
	"slices"
	"unsafe"
)

// A decoder decodes the chunks of one column.
type decoder interface {
	// decode reads a chunk, whose values may be missing if it is optional,
	// into as many rows as there are cells.
	decode(p *pages, optional bool, to cells)
}

// newColumn is the decoder for a field; see cells for why the types match.
func newColumn(f field, b *budget) decoder {
	switch f.Type {
	case "bool":
		return &column[bool]{field: f, budget: b, plain: plainBools}
	case "int32":
		return &column[int32]{field: f, budget: b, plain: plainInt32s}
	case "float64":
		return &column[float64]{field: f, budget: b, plain: plainFloats}
	case "string":
		return &column[string]{field: f, budget: b, plain: b.plainStrings}
	}
	return &column[int64]{field: f, budget: b, plain: plainInt64s}
}

// column decodes values of type V. Its memory is used again page by page.
type column[V any] struct {
	field   field
	budget  *budget
	plain   func(to []V, b []byte) // decodes values in PLAIN encoding
	dict    []V
	values  []V
	indices []uint32
	there   []uint32
}

func (c *column[V]) decode(p *pages, optional bool, to cells) {
	c.dict = c.dict[:0]
	first := true
	for row := 0; row < to.n; first = false {
		g := p.next()
		switch {
		case g.kind == dictPage && first:
			c.dictionary(g)
		case g.kind == dictPage:
			fail("dictionary that is not the first page of its column")
		case g.values > int64(to.n-row):
			fail("page of %d rows where %d are left", g.values, to.n-row)
		default:
			c.page(g, optional, row, to.part(row, int(g.values), 0))
			row += int(g.values)
		}
	}
}

// dictionary reads the entries, which take four bytes or more: truth values have
// no dictionaries.
func (c *column[V]) dictionary(g page) {
	if g.encoding != plain && g.encoding != plainDict || g.values > int64(len(g.body)/4) {
		fail("dictionary of %d values in encoding %d, %d bytes", g.values, g.encoding, len(g.body))
	}
	c.dict = resize(c.dict, int(g.values))
	c.plain(c.dict, g.body)
}

// page sets the rows of one data page, of which the first is row.
func (c *column[V]) page(g page, optional bool, row int, to cells) {
	var there []uint32
	n := int(g.values)
	if optional {
		c.there, n = g.split(c.there)
		there = c.there
	}
	if c.field.Optional {
		c.budget.take(n * int(unsafe.Sizeof(*new(V))))
		c.values = make([]V, n) // rows point into it
		c.decodeValues(g)
		point(to, c.values, there)
		return
	}
	if n < to.n {
		fail("row %d is null, and may not be", row+slices.Index(there, 0))
	}
	c.values = resize(c.values, n)
	c.decodeValues(g)
	store(to, c.values)
}

// decodeValues decodes the values of a data page, as many as there is room for.
func (c *column[V]) decodeValues(g page) {
	switch g.encoding {
	case plain:
		c.plain(c.values, g.body)
	case plainDict, rleDict:
		c.indices = resize(c.indices, len(c.values))
		indices(c.indices, g.body)
		lookUp(c.values, c.dict, c.indices)
	default:
		fail("encoding %d: only PLAIN and dictionaries are read", g.encoding)
	}
}
