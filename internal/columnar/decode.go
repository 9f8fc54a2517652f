package columnar

import (
	"encoding/binary"
	"math"
	"reflect"
	"unicode/utf8"
)

// target is where the values of one column chunk go: a field of some rows.
type target struct {
	rows  reflect.Value // slice of structs
	field field
}

// column is one column chunk and what to do with its values of type V.
type column[V any] struct {
	target
	pages    pages
	optional bool                      // whether the file may hold nulls
	plain    func(b []byte, n int) []V // decodes n values in PLAIN encoding
	set      func(reflect.Value, V)
}

// decode hands every value to its row.
func (c *column[V]) decode() {
	var dict []V
	first := true
	for row := 0; row < c.rows.Len(); first = false {
		g := c.pages.next()
		switch {
		case g.kind == dictPage && first:
			dict = c.dictionary(g)
		case g.kind == dictPage:
			fail("dictionary that is not the first page of its column")
		case g.values > int64(c.rows.Len()-row):
			fail("page of %d rows where %d are left", g.values, c.rows.Len()-row)
		default:
			c.page(g, row, dict)
			row += int(g.values)
		}
	}
}

func (c *column[V]) dictionary(g page) []V {
	if g.encoding != plain && g.encoding != plainDict || g.values > 8*int64(len(g.body)) {
		fail("dictionary of %d values in encoding %d, %d bytes", g.values, g.encoding, len(g.body))
	}
	return c.plain(g.body, int(g.values))
}

// page sets the rows of one data page, of which the first is row.
func (c *column[V]) page(g page, row int, dict []V) {
	there, n := g.split(c.optional)
	values := c.values(g, n, dict)
	for i := range int(g.values) {
		if there == nil || there[i] == 1 {
			c.put(row+i, values[0])
			values = values[1:]
		} else if !c.field.Optional {
			fail("row %d is null, and may not be", row+i)
		}
	}
}

func (c *column[V]) put(row int, v V) {
	f := c.rows.Index(row).Field(c.field.index)
	if c.field.Optional {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	c.set(f, v)
}

// values decodes the n values of a data page.
func (c *column[V]) values(g page, n int, dict []V) []V {
	switch g.encoding {
	case plain:
		return c.plain(g.body, n)
	case plainDict, rleDict:
		return lookUp(dict, indices(g.body, n))
	}
	fail("encoding %d: only PLAIN and dictionaries are read", g.encoding)
	return nil
}

func lookUp[V any](dict []V, indices []uint32) []V {
	values := make([]V, len(indices))
	for i, at := range indices {
		if uint64(at) >= uint64(len(dict)) {
			fail("entry %d of a dictionary of %d", at, len(dict))
		}
		values[i] = dict[at]
	}
	return values
}

// indices decodes n dictionary indices: their width in bits, then the runs.
func indices(b []byte, n int) []uint32 {
	if n == 0 {
		return nil // writers may leave the width out
	}
	if len(b) == 0 || b[0] > 32 {
		fail("dictionary indices without a width in bits")
	}
	return hybrid(b[1:], uint(b[0]), n)
}

// hybrid decodes n numbers of width bits from the format's mixture of runs and
// bit-packed groups of eight (parquet-format, Encodings.md, RLE).
func hybrid(b []byte, width uint, n int) []uint32 {
	out := make([]uint32, 0, n)
	for len(out) < n {
		head, size := binary.Uvarint(b)
		if size <= 0 || head>>1 == 0 {
			fail("%d numbers where %d were expected", len(out), n)
		}
		b = b[size:]
		if head&1 == 1 {
			out, b = packed(out, b, width, head>>1, n)
		} else {
			out, b = run(out, b, width, head>>1, n)
		}
	}
	return out
}

// run appends one number several times, up to n in all.
func run(out []uint32, b []byte, width uint, times uint64, n int) ([]uint32, []byte) {
	size := int(width+7) / 8
	if size > len(b) {
		fail("run of %d numbers without the number", times)
	}
	var v uint32
	for i := range size {
		v |= uint32(b[i]) << (8 * i)
	}
	for range min(times, uint64(n-len(out))) {
		out = append(out, v)
	}
	return out, b[size:]
}

// packed appends groups of eight numbers, up to n in all: the last group is
// padded.
func packed(out []uint32, b []byte, width uint, groups uint64, n int) ([]uint32, []byte) {
	if groups > uint64(n+7)/8 || groups*uint64(width) > uint64(len(b)) {
		fail("%d groups of numbers of %d bits in %d bytes", groups, width, len(b))
	}
	size := int(groups) * int(width)
	var bits uint64
	var have uint
	for at, left := 0, int(groups)*8; left > 0 && len(out) < n; left-- {
		for ; have < width; have += 8 {
			bits |= uint64(b[at]) << have
			at++
		}
		out = append(out, uint32(bits&(1<<width-1)))
		bits >>= width
		have -= width
	}
	return out, b[size:]
}

// need fails unless b holds n values of size bytes.
func need(b []byte, n, size int) {
	if uint64(n)*uint64(size) > uint64(len(b)) {
		fail("%d values of %d bytes in %d bytes", n, size, len(b))
	}
}

func plainBools(b []byte, n int) []bool {
	if n > 8*len(b) {
		fail("%d bits in %d bytes", n, len(b))
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = b[i/8]>>(i%8)&1 == 1
	}
	return out
}

func plainInt32s(b []byte, n int) []int32 {
	need(b, n, 4)
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func plainInt64s(b []byte, n int) []int64 {
	need(b, n, 8)
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

func plainFloats(b []byte, n int) []float64 {
	need(b, n, 8)
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

// plainStrings makes one string of the page and cuts the values out of it.
func (b *budget) plainStrings(page []byte, n int) []string {
	need(page, n, 4)
	b.take(len(page))
	out, text, at := make([]string, n), string(page), 0
	for i := range out {
		need(page[at:], 1, 4)
		size := binary.LittleEndian.Uint32(page[at:])
		if at += 4; uint64(size) > uint64(len(page)-at) {
			fail("string of %d bytes in %d", size, len(page)-at)
		}
		out[i] = text[at : at+int(size)]
		if !utf8.ValidString(out[i]) {
			fail("string %q is not UTF-8", out[i])
		}
		at += int(size)
	}
	return out
}
