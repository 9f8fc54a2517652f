//go:build !js

package columnar

import (
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/parquet"
)

// A decoder decodes the chunks of one column.
type decoder interface {
	// decode reads a chunk, whose values may be missing if it is optional,
	// into as many rows as there are cells.
	decode(p *pages, optional bool, to cells)
}

// newColumn is the decoder for a field, whose values are stored in a type; see cells for why the types match.
func newColumn(f field, stored parquet.Type, b *budget) decoder {
	switch f.Type {
	case "bool":
		return &column[bool]{field: f, budget: b, plain: plainBools}
	case "int32":
		return &column[int32]{field: f, budget: b, plain: plainInt32s}
	case "float64":
		if stored == parquet.Types.Float {
			return &column[float64]{field: f, budget: b, plain: plainHalves}
		}
		return &column[float64]{field: f, budget: b, plain: plainFloats}
	case "string":
		return &column[string]{field: f, budget: b, plain: b.plainStrings}
	}
	return &column[int64]{field: f, budget: b, plain: plainInt64s, deltas: deltas}
}

// column decodes values of type V into cells of that type. Its memory is used
// again page by page.
type column[V any] struct {
	field   field
	budget  *budget
	plain   func(to cells, b []byte) // decodes values in PLAIN encoding
	deltas  func(to cells, b []byte) // in DELTA_BINARY_PACKED; nil: V has none
	dict    []V
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
	c.plain(cellsOf(c.dict), g.body)
}

// page sets the rows of one data page, of which the first is row.
func (c *column[V]) page(g page, optional bool, row int, to cells) {
	var there []uint32
	n := int(g.values)
	if optional {
		c.there, n = g.split(c.there)
		there = c.there
	}
	switch {
	case c.field.Optional:
		c.budget.take(n * int(unsafe.Sizeof(*new(V))))
		values := make([]V, n) // rows point into it
		c.values(g, cellsOf(values))
		point(to, values, there)
	case n < to.n:
		fail("row %d is null, and may not be", row+slices.Index(there, 0))
	default:
		c.values(g, to)
	}
}

// values decodes the values of a data page, as many as there are cells.
func (c *column[V]) values(g page, to cells) {
	switch {
	case g.encoding == plain:
		c.plain(to, g.body)
	case g.encoding == plainDict || g.encoding == rleDict:
		c.indices = resize(c.indices, to.n)
		indices(c.indices, g.body)
		pickFrom(to, c.dict, c.indices)
	case g.encoding == deltaPacked && c.deltas != nil:
		c.deltas(to, g.body)
	default:
		fail("encoding %d: only PLAIN, dictionaries and differences of int64 are read", g.encoding)
	}
}
