// Package store reads and writes files that are in a folder or in an object store, by
// their path: s3://BUCKET/KEY is an object, everything else is a local file. What holds for one holds for the other:
// what is written appears whole or not at all, in one rename or one put; WriteNew writes only where there is nothing,
// by a link or a conditional put. Nothing that decides is read from a list, so that one that is not up to date does
// no harm.
//
// Credentials are found as Amazon's own tools find them. No path has any, and no
// error says one.
package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/marigram/marigram/internal/atomicfile"
)

// noticeKey is the key of what is told in a context.
type noticeKey struct{}

// WithNotice returns a context by which tell is told, from several goroutines, of requests
// that fail for some seconds and are tried again.
func WithNotice(ctx context.Context, tell func(string)) context.Context {
	return context.WithValue(ctx, noticeKey{}, tell)
}

// Check refuses a path that can be none of an object store: another scheme, or what is no
// name of a bucket or an object. It asks no store.
func Check(path string) error {
	if IsRemote(path) {
		_, err := parse(path)
		return err
	}
	_, err := of(path)
	return err
}

// of returns who keeps a path.
func of(path string) (keeper, error) {
	if IsRemote(path) {
		return bucketOf(path)
	}
	if err := checkSpelling(path); err != nil {
		return nil, err
	}
	if scheme, _, is := strings.Cut(path, "://"); is {
		return nil, fmt.Errorf("%s://: no such object store, expected %s://, or a local path", scheme, s3Scheme)
	}
	return folder{}, nil
}

// Open opens a file. Of one that is not there errors.Is(err, fs.ErrNotExist); a local one
// has to be a regular file.
func Open(ctx context.Context, path string) (File, error) {
	place, err := of(path)
	if err != nil {
		return nil, err
	}
	return place.open(ctx, path)
}

// ReadAll returns what is in a file, which is an error if it is larger than most bytes.
func ReadAll(ctx context.Context, path string, largest int64) ([]byte, error) {
	file, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.Size() > largest {
		return nil, fmt.Errorf("%s: larger than %d bytes", path, largest)
	}
	return io.ReadAll(io.NewSectionReader(file, 0, file.Size()))
}

// Exists reports whether there is a file of that name.
func Exists(ctx context.Context, path string) (bool, error) {
	if !IsRemote(path) {
		_, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	file, err := Open(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, file.Close()
}

// Create begins a file that appears at path when Commit succeeds, in place of what is
// there. A local folder must exist. When ctx is done Commit fails.
func Create(ctx context.Context, path string) (Pending, error) {
	place, err := of(path)
	if err != nil {
		return nil, err
	}
	return place.create(ctx, path)
}

// Write has fill write a file that appears at path when it is complete. A local folder
// is made if it is missing; a device or a pipe is written to.
func Write(ctx context.Context, path string, fill func(w io.Writer) error) error {
	place, err := of(path)
	if err != nil {
		return err
	}
	if place == (folder{}) {
		return atomicfile.Write(path, fill)
	}
	pending, err := place.create(ctx, path)
	if err != nil {
		return err
	}
	defer pending.Abort()
	if err := fill(pending); err != nil {
		return err
	}
	return errors.Join(pending.Finish(), pending.Commit())
}

// WriteBytes is Write of what is known already.
func WriteBytes(ctx context.Context, path string, b []byte) error {
	return Write(ctx, path, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(b))
		return err
	})
}

// WriteNew writes a file where there is none: of several callers at one time one
// succeeds. Of the others, and where there was one before, errors.Is(err, fs.ErrExist);
// but an object that has these very bytes is as good as written, because the answer to
// the put that wrote it may have been lost.
func WriteNew(ctx context.Context, path string, b []byte) error {
	place, err := of(path)
	if err != nil {
		return err
	}
	return place.writeNew(ctx, path, b)
}

// SetAside gives a file another name, one that is free: its own with why and a number
// behind it. It returns the name.
func SetAside(ctx context.Context, path, why string) (string, error) {
	place, err := of(path)
	if err != nil {
		return "", err
	}
	return place.setAside(ctx, path, why)
}

// Remove removes a file. One that is not there is no error.
func Remove(ctx context.Context, path string) error {
	place, err := of(path)
	if err != nil {
		return err
	}
	if err := place.remove(ctx, path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List returns the names of the files and folders in a folder, sorted; of one that is
// not there, none. An object store may not list yet what was put of late. A name that is
// none of a file (with a slash in it, or ..) is an error.
func List(ctx context.Context, dir string) ([]string, error) {
	place, err := of(dir)
	if err != nil {
		return nil, err
	}
	return place.list(ctx, dir)
}

// MakeFolder makes a local folder and those above it. Object stores have none to make.
func MakeFolder(dir string) error {
	place, err := of(dir)
	if err != nil {
		return err
	}
	return place.makeFolder(dir)
}

// Sweep removes what programs that were killed left of files in a local folder, of those
// whose names abandoned approves. A put that was cut off leaves nothing to remove.
func Sweep(dir string, abandoned func(name string) bool) error {
	place, err := of(dir)
	if err != nil {
		return err
	}
	return place.sweep(dir, abandoned)
}
