//go:build !js

package columnar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/marigram/marigram/internal/store"
)

// A source is a file that is read piece by piece, which takes less memory and
// time than all of it at once. It may be the beginning of a file only.
type source struct {
	io.ReaderAt
	size int64
}

// withSource calls use with the file at path, which no device or pipe may be. Errors name the file.
func withSource(ctx context.Context, path string, use func(source) error) error {
	f, err := store.Open(ctx, path)
	if err == nil {
		defer f.Close()
		err = use(source{f, f.Size()})
	}
	err = withoutPath(err)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ofPath drops a path that is said anyway from an error.
func ofPath(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && p.Path == path {
		return fmt.Errorf("%s: %w", p.Op, p.Err)
	}
	return err
}

// withoutPath drops the path from an error of opening a file.
func withoutPath(err error) error {
	var p *fs.PathError
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
