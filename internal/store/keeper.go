package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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

// objects is what an object store is asked for, one request each. Errors are fs.ErrNotExist,
// fs.ErrExist, a refusal, which would come again, or anything else, which may be over soon.
type objects interface {
	// get returns an object and its size.
	get(ctx context.Context, key string) (io.ReadCloser, int64, error)
	// put writes an object whole or not at all; if fresh is set, only where there is none.
	put(ctx context.Context, key string, body *io.SectionReader, fresh bool) error
	remove(ctx context.Context, key string) error
	// list returns the keys that begin with a prefix, each up to the next slash behind it.
	list(ctx context.Context, prefix string) ([]string, error)
}

// names returns the names below a prefix that a list has. The list is of whoever may
// write into the bucket: a key that is no name of a file is refused, and so is one that was
// not asked for.
func names(prefix string, keys []string) (names []string, err error) {
	for _, key := range keys {
		name, has := strings.CutPrefix(key, prefix)
		name = strings.TrimSuffix(name, "/")
		if key == prefix && has {
			continue // what consoles write as a folder
		}
		if !has {
			return nil, fmt.Errorf("lists the key %q, expected keys that begin with %q", key, prefix)
		}
		if err := checkName(name); err != nil {
			return nil, fmt.Errorf("lists the key %q: %w; expected files and folders only", key, err)
		}
		if names = append(names, name); len(names) > maxListed {
			return nil, fmt.Errorf("lists more than %d names", maxListed)
		}
	}
	return names, nil
}

// maxListed bounds a list: a sweep has at most a hundredth of that in a folder.
const maxListed = 1 << 24
