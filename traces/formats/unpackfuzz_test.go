package formats

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/marigram/marigram/traces"
)

func FuzzUnpack(f *testing.F) {
	f.Add([]byte(gzipped(f, "hello")))
	f.Add([]byte(zstded(f, "hello")))
	f.Fuzz(func(t *testing.T, data []byte) {
		var bad *traces.DataError
		s, err := newSource(t.Context(), "fuzz", io.NopCloser(bytes.NewReader(data)), 64)
		if err == nil {
			s.limit(1 << 16)
			var file traces.SourceFile
			if file, err = s.finish(); err == nil && file.Bytes != int64(len(data)) {
				t.Fatalf("%d bytes of %d read", file.Bytes, len(data))
			}
		}
		if err != nil && !errors.As(err, &bad) {
			t.Fatal(err)
		}
	})
}
