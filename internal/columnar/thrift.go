//go:build !js

package columnar

import (
	"encoding/binary"
)

// walkThrift walks the struct in Thrift's compact protocol at the start of b,
// checks that every size in it fits into b, and returns how many bytes it
// takes. For each integer, boolean and list it calls visit with its field
// number, behind those of the structs and lists that it is in (two digits
// each: 205 is field 5 of the structs in field 2), and its value, or its
// length where it is a list.
//
// Protocol: github.com/apache/thrift, doc/specs/thrift-compact-protocol.md.
func walkThrift(b []byte, visit func(id int, value int64)) int {
	w := walker{b: b, visit: visit}
	w.structure(0, 0)
	return w.at
}

type walker struct {
	b     []byte
	at    int
	visit func(id int, value int64)
}

// The types of the compact protocol.
const (
	thriftTrue = iota + 1
	thriftFalse
	thriftByte
	thriftInt16
	thriftInt32
	thriftInt64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// maxThrift is how deep structs and lists may nest: the format's own go to 7.
const maxThrift = 8

func (w *walker) structure(parent, depth int) {
	if depth > maxThrift {
		fail("metadata nested more than %d deep", maxThrift)
	}
	id := 0
	for {
		head := w.byte()
		if head == 0 {
			return
		}
		if delta := int(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int(w.varint())
		}
		if id < 1 || id > 99 {
			fail("metadata field %d", id)
		}
		w.value(head&15, parent*100+id, depth)
	}
}

func (w *walker) value(kind byte, id, depth int) {
	switch kind {
	case thriftTrue, thriftFalse:
		w.visit(id, int64(thriftFalse-kind))
	case thriftByte:
		w.skip(1)
	case thriftInt16, thriftInt32, thriftInt64:
		w.visit(id, w.varint())
	case thriftDouble:
		w.skip(8)
	case thriftBinary:
		w.skip(w.uvarint())
	case thriftList, thriftSet:
		w.list(id, depth)
	case thriftStruct:
		w.structure(id, depth+1)
	default:
		fail("metadata type %d", kind)
	}
}

func (w *walker) list(id, depth int) {
	head := w.byte()
	size := uint64(head >> 4)
	kind := head & 15
	if size == 15 {
		size = w.uvarint()
	}
	if size > uint64(len(w.b)-w.at) { // an element takes a byte at least
		fail("list of %d elements in %d bytes", size, len(w.b)-w.at)
	}
	w.visit(id, int64(size))
	for range size {
		switch kind {
		case thriftTrue, thriftFalse:
			w.skip(1)
		case thriftList, thriftSet, thriftMap:
			fail("list in a list")
		default:
			w.value(kind, id, depth)
		}
	}
}

func (w *walker) byte() byte {
	w.skip(1)
	return w.b[w.at-1]
}

func (w *walker) bytes(n uint64) []byte {
	w.skip(n)
	return w.b[w.at-int(n) : w.at]
}

func (w *walker) skip(n uint64) {
	if n > uint64(len(w.b)-w.at) {
		fail("%d bytes of metadata where %d are left", n, len(w.b)-w.at)
	}
	w.at += int(n)
}

func (w *walker) uvarint() uint64 {
	v, n := binary.Uvarint(w.b[w.at:])
	if n <= 0 {
		fail("number without end")
	}
	w.at += n
	return v
}

func (w *walker) varint() int64 {
	v, n := binary.Varint(w.b[w.at:]) // zigzag, as the protocol has it
	if n <= 0 {
		fail("number without end")
	}
	w.at += n
	return v
}
