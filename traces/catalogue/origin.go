package catalogue

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// publicHome serves the files of public repositories under
// /owner/name/commit/path.
const publicHome = "https://raw.githubusercontent.com"

// origin opens the files of a data set.
type origin interface {
	open(ctx context.Context, f File) (io.ReadCloser, error)
}

// publicOrigin is the public home of a set.
type publicOrigin struct {
	entry    *Entry
	download func(ctx context.Context, address string, largest int64) (io.ReadCloser, error)
}

// address returns where a file is served.
func (o publicOrigin) address(f File) string {
	parts := strings.Split(o.entry.Repo+"/"+cmp.Or(f.Commit, o.entry.Commit)+"/"+f.Path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return publicHome + "/" + strings.Join(parts, "/")
}

func (o publicOrigin) open(ctx context.Context, f File) (io.ReadCloser, error) {
	if o.download == nil {
		return nil, errors.New("nothing downloads it (PullOptions.Download), expected a folder to take it from")
	}
	return o.download(ctx, o.address(f), f.Bytes)
}

// folderOrigin is a local folder with a copy.
type folderOrigin struct {
	entry *Entry
	dir   string
}

// open looks for the file as the repository names it, as the set's own folder
// does, and in that folder itself.
func (o folderOrigin) open(_ context.Context, f File) (io.ReadCloser, error) {
	local := path.Join(f.Commit, o.entry.local(f.Path))
	var first error
	for _, at := range []string{o.entry.published(&f, o.dir), filepath.Join(o.dir, filepath.FromSlash(local)),
		filepath.Join(o.dir, filepath.FromSlash(f.place()))} {
		file, err := openRegular(at)
		if err == nil {
			return file, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.Open(path)
}

// sizeOf returns the bytes of an open file; -1 if it cannot be told.
func sizeOf(file *os.File) int64 {
	info, err := file.Stat()
	if err != nil {
		return -1
	}
	return info.Size()
}

// take copies the file from its origin to a path, and refuses what is not the
// file of the catalogue. step is told how many bytes came.
func (f *File) take(ctx context.Context, from origin, to string, step func(int)) error {
	r, err := from.open(ctx, *f)
	if _, local := from.(folderOrigin); local && f.Repacked != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return f.Repacked.take(ctx, from, to, step)
		}
		// In a cache it lies in the archive's place.
		if file, ok := r.(*os.File); ok && sizeOf(file) == f.Repacked.Bytes {
			f = f.Repacked
		}
	}
	if err != nil {
		return f.failed(ctx, err)
	}
	defer r.Close()
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	defer w.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum, stepper{ctx, step}), io.LimitReader(r, f.Bytes+1))
	switch {
	case ctx.Err() != nil || err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return f.failed(ctx, err)
	case n > f.Bytes:
		return fmt.Errorf("%s: is longer than the %d bytes of the catalogue", f.Path, f.Bytes)
	case n < f.Bytes:
		return fmt.Errorf("%s: ends after %d bytes, expected %d", f.Path, n, f.Bytes)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.SHA256 {
		return fmt.Errorf("%s: SHA-256 is %s, expected %s: it was changed or damaged", f.Path, got, f.SHA256)
	}
	return w.Close()
}

// failed says which file an error is about.
func (f *File) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: interrupted: %w", f.Path, ctx.Err())
	}
	return fmt.Errorf("%s: %w", f.Path, err)
}

// stepper counts what is written to it, and stops when its context ends.
type stepper struct {
	ctx  context.Context
	step func(int)
}

func (s stepper) Write(b []byte) (int, error) {
	s.step(len(b))
	return len(b), s.ctx.Err()
}

// published returns where a file lies in a folder that is laid out as a copy, where folderOrigin looks first.
func (e *Entry) published(f *File, dir string) string {
	return filepath.Join(dir, e.folder, f.Commit, filepath.FromSlash(e.local(f.Path)))
}
