//go:build !js

package columnar

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	// sumKey is the metadata key of the checksum: the CRC-32C of the whole file
	// with zeros in the place of the checksum, in eight hexadecimal digits.
	sumKey = "columnar.crc32c"
	zeros  = "00000000"

	sumPiece = 256 << 10 // bytes summed up at once: they stay in the cache
)

// castagnoli is the polynomial for which processors have an instruction. SHA-256
// takes a quarter of the time of a narrow scan, this next to none; both find
// what disks and copies do to a file, and neither stops a forger.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summed is a sink of a file's bytes, which it passes on and sums up, but for
// the footer, which it keeps until seal.
type summed struct {
	out    io.Writer
	sum    uint32
	footer *bytes.Buffer // not nil once the footer is written
}

func (s *summed) Write(b []byte) (int, error) {
	if s.footer != nil {
		return s.footer.Write(b)
	}
	s.sum = crc32.Update(s.sum, castagnoli, b)
	return s.out.Write(b)
}

// seal writes the footer with the checksum in its place.
func (s *summed) seal() error {
	b := s.footer.Bytes()
	sum := crc32.Update(s.sum, castagnoli, b)
	at := sumAt(b, zeros)
	if at < 0 {
		return fmt.Errorf("the footer has no place for a checksum")
	}
	copy(b[at:], fmt.Sprintf("%08x", sum))
	_, err := s.out.Write(b)
	return err
}

// sumAt finds the value of the checksum in a footer, -1 if it is not there.
func sumAt(footer []byte, value string) int {
	key := bytes.Index(footer, []byte(sumKey))
	if key < 0 {
		return -1
	}
	at := bytes.Index(footer[key:], []byte(value))
	if at < 0 {
		return -1
	}
	return key + at
}

// checkSum compares the bytes of a file, of which end begins with the footer and
// pages are those before, with the checksum stored in the footer.
func checkSum(pages source, end []byte, stored string) {
	at := sumAt(end, stored)
	if len(stored) != len(zeros) || at < 0 {
		fail("its checksum is not readable")
	}
	sum := uint32(0)
	var buf []byte
	for from := int64(0); from < pages.size; from += int64(len(buf)) {
		buf = pages.read(from, min(sumPiece, pages.size-from), buf)
		sum = crc32.Update(sum, castagnoli, buf)
	}
	sum = crc32.Update(sum, castagnoli, end[:at])
	sum = crc32.Update(sum, castagnoli, []byte(zeros))
	sum = crc32.Update(sum, castagnoli, end[at+len(zeros):])
	if stored != fmt.Sprintf("%08x", sum) {
		fail("its checksum differs: bytes were changed since it was written")
	}
}
