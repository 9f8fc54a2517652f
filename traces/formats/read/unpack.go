package read

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/traces"
)

// maxZstdWindow is the largest window of a zstd file that is unpacked: what
// `zstd --long` takes by default.
const maxZstdWindow = 128 << 20

// rawFile is a file as it lies, packed or not. What is read of it is hashed.
type rawFile struct {
	ctx   context.Context
	file  io.ReadCloser
	in    *bufio.Reader // the file by way of Read
	text  io.ReadCloser // the file unpacked; nil: it is not packed
	sum   hash.Hash
	bytes int64
	err   error // why the file could not be read
}

func newRawFile(ctx context.Context, file io.ReadCloser) *rawFile {
	r := &rawFile{ctx: ctx, file: file, sum: sha256.New()}
	r.in = bufio.NewReaderSize(r, 64<<10)
	return r
}

// Read reads the file as it lies.
func (r *rawFile) Read(p []byte) (int, error) {
	if r.err = r.ctx.Err(); r.err != nil {
		return 0, r.err
	}
	n, err := r.file.Read(p)
	r.sum.Write(p[:n])
	r.bytes += int64(n)
	if err != io.EOF {
		r.err = err
	}
	return n, err
}

// Unpacked returns what a file holds: its bytes, unpacked if they are gzip or zstd, for those that read an archive.
func Unpacked(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := store.OpenInput(path)
	if err != nil {
		return nil, err
	}
	raw := newRawFile(ctx, f)
	text, err := raw.unpacked(path)
	if err != nil {
		raw.close()
		return nil, err
	}
	return unpackedFile{text, raw}, nil
}

type unpackedFile struct {
	io.Reader
	raw *rawFile
}

func (u unpackedFile) Close() error {
	u.raw.close()
	return nil
}

// unpacked returns what the file holds: its bytes, unpacked if they are gzip or
// zstd, one stream or several.
func (r *rawFile) unpacked(path string) (io.Reader, error) {
	how := ""
	var err error
	magic, _ := r.in.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		how = "gzip"
		r.text, err = gzip.NewReader(r.in)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		how = "zstd"
		var d *zstd.Decoder
		if d, err = zstd.NewReader(r.in, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(maxZstdWindow)); err == nil {
			r.text = d.IOReadCloser()
		}
	default:
		return r.in, nil
	}
	u := unpacking{r, path, how}
	if err != nil {
		r.text = nil
		return nil, u.complain(err)
	}
	return u, nil
}

// unpacking reads the text of a packed file, and says where it does not unpack.
type unpacking struct {
	raw       *rawFile
	path, how string
}

func (u unpacking) Read(p []byte) (int, error) {
	n, err := u.raw.text.Read(p)
	if err != nil && err != io.EOF {
		err = u.complain(err)
	}
	return n, err
}

func (u unpacking) complain(err error) error {
	if u.raw.err != nil {
		return u.raw.err
	}
	return &traces.DataError{File: u.path, Msg: fmt.Sprintf("does not unpack as %s: %v; is the file cut?", u.how, err)}
}

// record reads what is left of the file and says what it was.
func (r *rawFile) record(path string) (traces.SourceFile, error) {
	_, err := io.Copy(io.Discard, r.in)
	sum := hex.EncodeToString(r.sum.Sum(nil))
	return traces.SourceFile{Path: filepath.ToSlash(path), Bytes: r.bytes, SHA256: sum}, err
}

func (r *rawFile) close() {
	if r.text != nil {
		r.text.Close()
	}
	r.file.Close()
}
