//go:build !js

package columnar

import (
	"encoding/binary"
)

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
	block := w.uvarint()
	minis := w.uvarint()
	total := w.uvarint()
	value := w.varint()
	if block > maxBlock || minis == 0 || block/minis == 0 || block/minis%32 != 0 || total != uint64(to.n) {
		fail("%d values in blocks of %d with %d parts, expected %d values", total, block, minis, to.n)
	}
	*cell[int64](to, 0) = value
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
			value = miniblock(to.part(row, n, 0), packed, uint(width), smallest, value)
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
	mask := uint64(1)<<width - 1
	bit := uint(i) * width
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
	i := 0
	bit := uint(0)
	mask := uint64(1)<<(width&63) - 1
	for ; i+2 <= to.n && bit/8+8 <= uint(len(b)); i += 2 {
		word := binary.LittleEndian.Uint64(b[bit/8:bit/8+8]) >> (bit % 8)
		v += smallest + int64(word&mask)
		*cell[int64](to, i) = v
		v += smallest + int64(word>>(width&63)&mask)
		*cell[int64](to, i+1) = v
		bit += 2 * width
	}
	return i, v
}

// singles is the same of up to 57 bits, of which a word has one.
func singles(to cells, b []byte, width uint, smallest, v int64) (int, int64) {
	i := 0
	bit := uint(0)
	mask := uint64(1)<<(width&63) - 1
	for ; i < to.n && bit/8+8 <= uint(len(b)); i++ {
		v += smallest + int64(binary.LittleEndian.Uint64(b[bit/8:bit/8+8])>>(bit%8)&mask)
		*cell[int64](to, i) = v
		bit += width
	}
	return i, v
}
