//go:build !js

package columnar

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/parquet/compress"
)

// The page types and encodings that are read, as parquet.thrift numbers them.
const (
	dataPage = 0
	dictPage = 2

	plain       = 0
	plainDict   = 2
	rle         = 3
	deltaPacked = 5
	rleDict     = 8
)

// maxPage is how many bytes a page may unfold to: far more than are written.
const maxPage = 1 << 30

// pages is what is left of a column chunk: page after page, header and body.
type pages struct {
	b      []byte
	codec  compress.Compression
	budget *budget
	opened []byte // memory for a body, used again by the next
}

// page is one page, its body no longer compressed; it is good until the next.
type page struct {
	kind           int64
	values         int64 // how many, nulls included
	encoding       int64
	levels         int64 // encoding of the definition levels
	packed, opened int64 // bytes of the body, compressed and not
	body           []byte
}

func (p *pages) next() page {
	if len(p.b) == 0 {
		fail("column ends before its last row")
	}
	g := page{kind: -1, packed: -1, opened: -1, values: -1}
	p.b = p.b[walkThrift(p.b, g.header):]
	if g.kind != dataPage && g.kind != dictPage {
		fail("page of type %d: only data pages of version 1 and dictionaries are read", g.kind)
	}
	if g.packed < 0 || g.packed > int64(len(p.b)) || g.opened < 0 || g.opened > maxPage || g.values < 0 {
		fail("page of %d values, %d bytes packed, %d unpacked", g.values, g.packed, g.opened)
	}
	g.body = p.open(p.b[:g.packed], int(g.opened))
	p.b = p.b[g.packed:]
	return g
}

// header takes one number of a page header (parquet.thrift, PageHeader).
func (g *page) header(id int, v int64) {
	switch id {
	case 1:
		g.kind = v
	case 2:
		g.opened = v
	case 3:
		g.packed = v
	case 501, 701:
		g.values = v
	case 502, 702:
		g.encoding = v
	case 503:
		g.levels = v
	}
}

func (p *pages) open(body []byte, size int) []byte {
	if p.codec == compress.Codecs.Snappy {
		// Snappy believes the length in front, so that it must be right.
		if n, _ := binary.Uvarint(body); n != uint64(size) {
			fail("page of %d bytes whose header says %d", n, size)
		}
		p.budget.take(size)
		codec, _ := compress.GetCodec(p.codec)
		p.opened = resize(p.opened, size)
		body = codec.Decode(p.opened, body)
	}
	if len(body) != size {
		fail("page of %d bytes whose header says %d", len(body), size)
	}
	return body
}

// split cuts the definition levels of an optional column off the body of a
// data page, into the memory of there: for each row whether a value is there,
// and how many are.
func (g *page) split(there []uint32) (levels []uint32, values int) {
	if g.levels != rle || len(g.body) < 4 {
		fail("definition levels in encoding %d", g.levels)
	}
	n := binary.LittleEndian.Uint32(g.body)
	rest := g.body[4:]
	if uint64(n) > uint64(len(rest)) {
		fail("%d bytes of definition levels in %d", n, len(rest))
	}
	levels = resize(there, int(g.values))
	hybrid(levels, rest[:n], 1)
	g.body = rest[n:]
	for _, level := range levels {
		if level > 1 {
			fail("definition level %d, expected 0 or 1", level)
		}
		values += int(level)
	}
	return levels, values
}

// resize returns a slice of n values of any content, in the memory of s where
// that is large enough.
func resize[V any](s []V, n int) []V {
	if n > cap(s) {
		return make([]V, n)
	}
	return s[:n]
}

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
