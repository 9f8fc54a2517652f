//go:build !js

package columnar

import (
	"encoding/binary"

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
