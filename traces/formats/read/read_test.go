package read

import (
	"bytes"
	"io"
	"testing"
)

// textSource is a source of which a window of n bytes is in memory.
func textSource(t testing.TB, name string, data []byte, window int) *Source {
	t.Helper()
	s, err := New(t.Context(), name, io.NopCloser(bytes.NewReader(data)), window)
	if err != nil {
		t.Skip(err) // packed, and cut
	}
	return s
}

// errorText is the text of an error, "" for none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
