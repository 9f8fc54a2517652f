package store

import (
	"context"
	"io"
)

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
