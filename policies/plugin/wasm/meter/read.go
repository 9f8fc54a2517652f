package meter

import (
	"encoding/binary"
	"errors"
)

// reader reads parts of a module; the first error stays.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(why string) {
	if r.err == nil {
		r.err = errors.New(why)
	}
	r.at = len(r.b)
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b)-r.at {
		r.fail("it ends too early")
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) rest() []byte { return r.take(len(r.b) - r.at) }

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// u32 reads a number as LEB128.
func (r *reader) u32() uint32 {
	x, n := binary.Uvarint(r.b[r.at:min(len(r.b), r.at+5)])
	if n <= 0 || x > 1<<32-1 {
		r.fail("a number is not as it should be")
		return 0
	}
	r.at += n
	return uint32(x)
}

// optional is u32, 0 where there is nothing.
func (r *reader) optional() uint32 {
	if len(r.b) == 0 {
		return 0
	}
	return r.u32()
}

// count reads how many elements follow, each of a byte at least.
func (r *reader) count() int {
	n := r.optional()
	if int(n) > len(r.b)-r.at {
		r.fail("it ends too early")
		return 0
	}
	return int(n)
}

// number passes a number of any sign as LEB128, of at most n bytes.
func (r *reader) number(largest int) {
	for range largest {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail("a number is not as it should be")
}

// unsigned appends a number as LEB128.
func unsigned(b []byte, x uint32) []byte { return binary.AppendUvarint(b, uint64(x)) }

// padded writes a number below 2^32 as a signed one of five bytes.
func padded(b []byte, x int) {
	for i := range 4 {
		b[i] = byte(x>>(7*i))&0x7f | 0x80
	}
	b[4] = byte(x>>28) & 0x7f
}
