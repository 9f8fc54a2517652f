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

// maxBlock bounds how many differences a block has; writers take 128.
const maxBlock = 1 << 20

// deltas decodes 64-bit integers in DELTA_BINARY_PACKED encoding: the first
// value, then blocks of differences, each with its least difference and, in
// miniblocks of one width in bits each, how much more the others are
// (parquet-format, Encodings.md).
func deltas(to cells, b []byte) {
	if to.n == 0 {
		return
	}
	w := walker{b: b}
	block, minis, total, v := w.uvarint(), w.uvarint(), w.uvarint(), w.varint()
	if block > maxBlock || minis == 0 || block/minis == 0 || block/minis%32 != 0 || total != uint64(to.n) {
		fail("%d values in blocks of %d with %d parts, expected %d values", total, block, minis, to.n)
	}
	*cell[int64](to, 0) = v
	size := int(block / minis)
	for row := 1; row < to.n; {
		smallest := w.varint()
		for _, width := range w.bytes(minis) {
			n := min(size, to.n-row)
			if n == 0 {
				break // behind the last value widths mean nothing
			}
			if width > 64 {
				fail("differences of %d bits", width)
			}
			packed := w.b[w.at:]
			w.skip(uint64(size/8) * uint64(width))
			v = miniblock(to.part(row, n, 0), packed, uint(width), smallest, v)
			row += n
		}
	}
}

// miniblock decodes the values that follow v from numbers of width bits, which b
// begins with and has enough of. It returns the last.
func miniblock(to cells, b []byte, width uint, smallest, v int64) int64 {
	i := 0
	switch {
	case width <= 29:
		i, v = pairs(to, b, width, smallest, v)
	case width <= 57:
		i, v = singles(to, b, width, smallest, v)
	}
	mask, bit := uint64(1)<<width-1, uint(i)*width
	for ; i < to.n; i++ {
		more := word(b[bit/8:]) >> (bit % 8)
		if bit%8+width > 64 { // it ends in the ninth byte
			more |= uint64(b[bit/8+8]) << (64 - bit%8)
		}
		v += smallest + int64(more&mask)
		*cell[int64](to, i) = v
		bit += width
	}
	return v
}

// pairs is miniblock of up to 29 bits, of which a word of b has two: those that whole
// words hold. It returns how many they were as well.
func pairs(to cells, b []byte, width uint, smallest, v int64) (int, int64) {
	i, bit := 0, uint(0)
	for mask := uint64(1)<<(width&63) - 1; i+2 <= to.n && bit/8+8 <= uint(len(b)); i += 2 {
		w := binary.LittleEndian.Uint64(b[bit/8:bit/8+8]) >> (bit % 8)
		v += smallest + int64(w&mask)
		*cell[int64](to, i) = v
		v += smallest + int64(w>>(width&63)&mask)
		*cell[int64](to, i+1) = v
		bit += 2 * width
	}
	return i, v
}

// singles is the same of up to 57 bits, of which a word has one.
func singles(to cells, b []byte, width uint, smallest, v int64) (int, int64) {
	i, bit := 0, uint(0)
	for mask := uint64(1)<<(width&63) - 1; i < to.n && bit/8+8 <= uint(len(b)); i++ {
		v += smallest + int64(binary.LittleEndian.Uint64(b[bit/8:bit/8+8])>>(bit%8)&mask)
		*cell[int64](to, i) = v
		bit += width
	}
	return i, v
}
