//go:build !js

package columnar

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// pickFrom sets as many cells as there are indices to the entries of a dictionary.
func pickFrom[V any](to cells, dict []V, indices []uint32) {
	for i, at := range indices[:to.n] {
		if uint64(at) >= uint64(len(dict)) {
			fail("entry %d of a dictionary of %d", at, len(dict))
		}
		*cell[V](to, i) = dict[at]
	}
}

// indices decodes dictionary indices: their width in bits, then the runs.
func indices(to []uint32, b []byte) {
	if len(to) == 0 {
		return // writers may leave the width out
	}
	if len(b) == 0 || b[0] > 32 {
		fail("dictionary indices without a width in bits")
	}
	hybrid(to, b[1:], uint(b[0]))
}

// hybrid decodes numbers of width bits, up to 32, from the format's mixture of
// runs and bit-packed groups of eight (parquet-format, Encodings.md, RLE).
func hybrid(to []uint32, b []byte, width uint) {
	for len(to) > 0 {
		head, size := binary.Uvarint(b)
		if size <= 0 || head>>1 == 0 {
			fail("%d numbers fewer than expected", len(to))
		}
		decode := run
		if head&1 == 1 {
			decode = packed
		}
		to, b = decode(to, b[size:], width, head>>1)
	}
}

// run decodes one number that comes several times, and returns what is left.
func run(to []uint32, b []byte, width uint, times uint64) ([]uint32, []byte) {
	size := int(width+7) / 8
	if size > len(b) {
		fail("run of %d numbers without the number", times)
	}
	var v uint32
	for i := range size {
		v |= uint32(b[i]) << (8 * i)
	}
	n := min(times, uint64(len(to)))
	for i := range to[:n] {
		to[i] = v
	}
	return to[n:], b[size:]
}

// packed decodes groups of eight numbers, and returns what is left. The last
// group may be padded.
func packed(to []uint32, b []byte, width uint, groups uint64) ([]uint32, []byte) {
	if groups > uint64(len(to)+7)/8 || groups*uint64(width) > uint64(len(b)) {
		fail("%d groups of numbers of %d bits in %d bytes", groups, width, len(b))
	}
	n := min(int(groups)*8, len(to))
	mask := uint64(1)<<width - 1
	i := 0
	bit := uint(0)
	if width <= 8 { // a word has eight
		for ; i+8 <= n && bit/8+8 <= uint(len(b)); i += 8 {
			word := binary.LittleEndian.Uint64(b[bit/8:])
			eight := to[i : i+8]
			for k := range eight {
				eight[k] = uint32(word & mask)
				word >>= width & 63
			}
			bit += 8 * width
		}
	}
	for ; i < n && bit/8+8 <= uint(len(b)); i++ { // nearly all: no call in the loop
		to[i] = uint32(binary.LittleEndian.Uint64(b[bit/8:]) >> (bit % 8) & mask)
		bit += width
	}
	for ; i < n; i++ {
		to[i] = uint32(word(b[bit/8:]) >> (bit % 8) & mask)
		bit += width
	}
	return to[n:], b[int(groups)*int(width):]
}

// word is the first eight bytes of b, or as many as there are.
func word(b []byte) uint64 {
	var eight [8]byte
	copy(eight[:], b)
	return binary.LittleEndian.Uint64(eight[:])
}

// need fails unless b holds n values of size bytes.
func need(b []byte, n, size int) {
	if uint64(n)*uint64(size) > uint64(len(b)) {
		fail("%d values of %d bytes in %d bytes", n, size, len(b))
	}
}

func plainBools(to cells, b []byte) {
	if to.n > 8*len(b) {
		fail("%d bits in %d bytes", to.n, len(b))
	}
	for i := range to.n {
		*cell[bool](to, i) = b[i/8]>>(i%8)&1 == 1
	}
}

func plainInt32s(to cells, b []byte) {
	need(b, to.n, 4)
	for i := range to.n {
		*cell[int32](to, i) = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

func plainInt64s(to cells, b []byte) {
	need(b, to.n, 8)
	for i := range to.n {
		*cell[int64](to, i) = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

func plainFloats(to cells, b []byte) {
	need(b, to.n, 8)
	for i := range to.n {
		*cell[float64](to, i) = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

// plainHalves decodes numbers of 32 bits into cells of 64.
func plainHalves(to cells, b []byte) {
	need(b, to.n, 4)
	for i := range to.n {
		*cell[float64](to, i) = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
}

// plainStrings makes one string of the page and cuts the values out of it.
func (b *budget) plainStrings(to cells, page []byte) {
	need(page, to.n, 4)
	b.take(len(page))
	text := string(page)
	at := 0
	for i := range to.n {
		need(page[at:], 1, 4)
		size := binary.LittleEndian.Uint32(page[at:])
		at += 4
		if uint64(size) > uint64(len(page)-at) {
			fail("string of %d bytes in %d", size, len(page)-at)
		}
		value := text[at : at+int(size)]
		if !utf8.ValidString(value) {
			fail("string %q is not UTF-8", value)
		}
		*cell[string](to, i) = value
		at += int(size)
	}
}
