//go:build !js

package columnar

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A source is a file that is read piece by piece, which takes less memory and
// time than all of it at once. It may be the beginning of a file only.
type source struct {
	io.ReaderAt
	size int64
}

// withSource calls use with the file at path, which no device or pipe may be:
// these need not end. Errors name the file.
func withSource(path string, use func(source) error) error {
	f, size, err := openRegular(path)
	if err == nil {
		defer f.Close()
		err = use(source{f, size})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func openRegular(path string) (f *os.File, size int64, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("is not a regular file (%v)", info.Mode())
	}
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, 0, withoutPath(err)
	}
	return f, info.Size(), nil
}

// withoutPath drops the path from an error of package os.
func withoutPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// part is the first n bytes, of which there are that many.
func (s source) part(n int64) source { return source{s.ReaderAt, n} }

// read returns n bytes from at on, in the memory of buf where it is large enough.
func (s source) read(at, n int64, buf []byte) []byte {
	if at < 0 || n < 0 || at > s.size || n > s.size-at {
		fail("%d bytes at %d in a file of %d", n, at, s.size)
	}
	buf = resize(buf, int(n))
	if _, err := s.ReadAt(buf, at); err != nil && n > 0 {
		fail("%v", err)
	}
	return buf
}
