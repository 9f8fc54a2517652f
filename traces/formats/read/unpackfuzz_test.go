package read

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
)

func FuzzUnpack(f *testing.F) {
	f.Add([]byte(testutil.Gzipped(f, "hello")))
	f.Add([]byte(testutil.Zstded(f, "hello")))
	f.Fuzz(func(t *testing.T, data []byte) {
		var bad *traces.DataError
		s, err := New(t.Context(), "fuzz", io.NopCloser(bytes.NewReader(data)), 64)
		if err == nil {
			s.Limit(1 << 16)
			var file traces.SourceFile
			if file, err = s.Finish(); err == nil && file.Bytes != int64(len(data)) {
				t.Fatalf("%d bytes of %d read", file.Bytes, len(data))
			}
		}
		if err != nil && !errors.As(err, &bad) {
			t.Fatal(err)
		}
	})
}
