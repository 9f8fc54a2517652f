//go:build !js

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// bucket keeps objects.
type bucket struct{ objects }

// object takes the path of an object apart; the bucket alone is none.
func object(op, path string) (address, error) {
	at, err := parse(path)
	if err == nil && at.key == "" {
		err = &fs.PathError{Op: op, Path: path, Err: errors.New("is a bucket, expected a name in it")}
	}
	return at, err
}

// inMemory is the largest object that is read into memory: a larger one goes to disk.
const inMemory = 64 << 20

// held is an object that was read.
type held struct {
	io.ReaderAt
	size int64
	file *os.File // nil: it is in memory
}

func (h held) Size() int64 { return h.size }

func (h held) Close() error {
	if h.file == nil {
		return nil
	}
	return h.file.Close()
}

func (b bucket) open(ctx context.Context, path string) (f File, err error) {
	at, err := object("get", path)
	if err != nil {
		return nil, err
	}
	err = again(ctx, "get", path, 0, func(ctx context.Context) error {
		body, size, err := b.get(ctx, at.key)
		if err != nil {
			return err
		}
		defer body.Close()
		f, err = hold(body, size)
		return err
	})
	return f, err
}

// hold reads an object to its end. One that ends early is an error.
func hold(body io.Reader, size int64) (File, error) {
	if size <= inMemory {
		text := make([]byte, size)
		if _, err := io.ReadFull(body, text); err != nil {
			return nil, err
		}
		return held{ReaderAt: bytes.NewReader(text), size: size}, nil
	}
	file, err := unnamed()
	if err != nil {
		return nil, err
	}
	copied, err := io.Copy(file, body)
	if err == nil && copied != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return held{file, size, file}, nil
}

func (b bucket) create(ctx context.Context, path string) (Pending, error) {
	if _, err := object("put", path); err != nil {
		return nil, err
	}
	return &pending{ctx: ctx, bucket: b, path: path}, nil
}

// place puts an object.
func (b bucket) place(ctx context.Context, path string, body io.ReaderAt, size int64, fresh bool) error {
	at, err := object("put", path)
	if err != nil {
		return err
	}
	return again(ctx, "put", path, size, func(ctx context.Context) error {
		return b.put(ctx, at.key, io.NewSectionReader(body, 0, size), fresh)
	})
}

func (b bucket) writeNew(ctx context.Context, path string, text []byte) error {
	err := b.place(ctx, path, bytes.NewReader(text), int64(len(text)), true)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	there, wrong := ReadAll(ctx, path, int64(len(text)))
	if wrong == nil && bytes.Equal(there, text) {
		return nil
	}
	return err
}

// setAside writes a copy, and then removes the object: where it ends in between there are two.
func (b bucket) setAside(ctx context.Context, path, why string) (string, error) {
	object, err := b.open(ctx, path)
	if err != nil {
		return "", err
	}
	defer object.Close()
	for copies := 1; ; copies++ {
		to := fmt.Sprintf("%s.%s-%d", path, why, copies)
		err := b.place(ctx, to, object, object.Size(), true)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = b.remove(ctx, path)
		}
		return to, err
	}
}

func (b bucket) remove(ctx context.Context, path string) error {
	at, err := object("delete", path)
	if err != nil {
		return err
	}
	return again(ctx, "delete", path, 0, func(ctx context.Context) error { return b.objects.remove(ctx, at.key) })
}

// listed is the size of a list, at most, by which it has time.
const listed = 64 << 20

func (b bucket) list(ctx context.Context, dir string) ([]string, error) {
	at, err := parse(dir)
	if err != nil {
		return nil, err
	}
	prefix := ""
	if at.key != "" {
		prefix = at.key + "/"
	}
	var keys []string
	err = again(ctx, "list", dir, listed, func(ctx context.Context) (err error) {
		keys, err = b.objects.list(ctx, prefix)
		return err
	})
	if err != nil {
		return nil, err
	}
	found, err := names(prefix, keys)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func (bucket) makeFolder(string) error { return nil }

func (bucket) sweep(string, func(string) bool) error { return nil }

// pending is an object to be: in memory, or on disk when it gets large, until Commit puts it.
type pending struct {
	ctx    context.Context
	bucket bucket
	path   string
	text   bytes.Buffer
	file   *os.File // not nil: what was written so far
	size   int64
	ended  bool
}

func (p *pending) Write(b []byte) (n int, err error) {
	if p.file == nil && p.size+int64(len(b)) > inMemory {
		if p.file, err = unnamed(); err != nil {
			return 0, err
		}
		if _, err := p.text.WriteTo(p.file); err != nil {
			return 0, err
		}
		p.text = bytes.Buffer{}
	}
	if p.file != nil {
		n, err = p.file.Write(b)
	} else {
		n, err = p.text.Write(b)
	}
	p.size += int64(n)
	return n, err
}

func (*pending) Finish() error { return nil }

func (p *pending) Commit() error {
	if p.ended {
		return errors.New("store: Commit after Commit or Abort")
	}
	defer p.Abort()
	if p.file != nil {
		return p.bucket.place(p.ctx, p.path, p.file, p.size, false)
	}
	return p.bucket.place(p.ctx, p.path, bytes.NewReader(p.text.Bytes()), p.size, false)
}

func (p *pending) Abort() {
	if !p.ended && p.file != nil {
		p.file.Close() // it has no name: nothing is left of it
	}
	p.ended = true
}
