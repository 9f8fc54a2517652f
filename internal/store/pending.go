//go:build !js

package store

import (
	"bytes"
	"context"
	"errors"
	"os"
)

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
