package traces

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow is the largest window of a zstd file that is unpacked: what
// `zstd --long` takes by default.
const maxZstdWindow = 128 << 20

// unpack returns what a file holds: its bytes, unpacked if they are gzip or
// zstd, one stream or several. More than limit bytes are refused, so that a
// small file cannot fill the memory.
func unpack(path string, data []byte, limit int64) ([]byte, error) {
	r, how, err := unpacker(data)
	if how == "" {
		return data, nil
	}
	var plain []byte
	if err == nil {
		plain, err = io.ReadAll(io.LimitReader(r, limit+1))
		r.Close()
	}
	if err != nil {
		return nil, &DataError{File: path, Msg: fmt.Sprintf("does not unpack as %s: %v; is the file cut?", how, err)}
	}
	if int64(len(plain)) > limit {
		return nil, &DataError{File: path, Msg: fmt.Sprintf("unpacks to more than %d bytes; Options.MaxFileBytes raises the limit", limit)}
	}
	return plain, nil
}

// unpacker returns a reader of packed data and the name of the packing, "" for
// data that is not packed.
func unpacker(data []byte) (r io.ReadCloser, how string, err error) {
	in := bytes.NewReader(data)
	switch {
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		r, err = gzip.NewReader(in)
		return r, "gzip", err
	case bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, "zstd", err
		}
		return d.IOReadCloser(), "zstd", nil
	}
	return nil, "", nil
}
