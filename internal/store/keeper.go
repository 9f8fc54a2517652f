package store

import (
	"context"
	"errors"
	"io"
)

// File is a file or an object that is read; its size does not change.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Pending is a file to be that has no name yet. Finish completes it, Commit gives it
// its name; Abort gives it up, and does nothing after a Commit.
type Pending interface {
	io.Writer
	Finish() error
	Commit() error
	Abort()
}

// ErrUnreached is what errors of an object store are that say nothing of the object: it
// refuses the request, or there was no answer. A local file has no such error.
var ErrUnreached = errors.New("the object store was not reached")

// keeper is a folder or a bucket.
type keeper interface {
	open(ctx context.Context, path string) (File, error)
	create(ctx context.Context, path string) (Pending, error)
	writeNew(ctx context.Context, path string, b []byte) error
	setAside(ctx context.Context, path, why string) (string, error)
	remove(ctx context.Context, path string) error
	list(ctx context.Context, dir string) ([]string, error)
	makeFolder(dir string) error
	sweep(dir string, abandoned func(name string) bool) error
}
