package formats

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/marigram/marigram/traces"
)

// Bounds on what an importer reads. They are far above every known data set.
const (
	maxDepth = 16       // nesting of JSON
	maxToken = 64 << 10 // bytes of a NextToken
	maxLine  = 4 << 10  // bytes of a line of text
)

// source is the text of one file, unpacked, without a byte order mark.
type source struct {
	path  string
	index int32  // place in the manifest's list
	head  []byte // how the text begins, to recognise it by
	window
	raw *rawFile
}

// headBytes is how much of a text its format is recognised by.
const headBytes = 64 << 10

// openSource opens a file. End it with close.
func openSource(ctx context.Context, path string, window int) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &traces.DataError{File: path, Msg: "is not a regular file"}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return newSource(ctx, path, f, window)
}

// newSource returns the text of a file that is read from in, which it closes if the
// beginning cannot be read. Reading stops when ctx is cancelled; window is how many
// bytes are in memory at once, but for a token or a line that is longer.
func newSource(ctx context.Context, path string, in io.ReadCloser, window int) (*source, error) {
	raw := newRawFile(ctx, in)
	s := &source{path: path, raw: raw}
	text, err := raw.unpacked(path)
	if err == nil {
		s.head = make([]byte, headBytes)
		var n int
		n, err = io.ReadFull(text, s.head)
		s.head = bytes.TrimPrefix(s.head[:n], []byte("\xef\xbb\xbf"))
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF { // a short text is none
		raw.close()
		return nil, err
	}
	s.window = newWindow(io.MultiReader(bytes.NewReader(s.head), text), window)
	return s, nil
}

// beginning is a source of its own that ends where the head does: to read it
// does not move s.
func (s *source) beginning() *source {
	return &source{path: s.path, head: s.head, window: window{data: s.head}}
}

// odd says what keeps a text from having any format, "" if nothing does.
func (s *source) odd() string {
	if bytes.HasPrefix(s.head, []byte("\xff\xfe")) || bytes.HasPrefix(s.head, []byte("\xfe\xff")) {
		return " (it is UTF-16 text, expected UTF-8)"
	}
	return ""
}

// empty reports whether a text is white space alone.
func (s *source) empty() bool {
	return len(s.head) < headBytes-3 && len(bytes.TrimSpace(s.head)) == 0
}

// finish reads what is left and returns what the manifest says of the file.
func (s *source) finish() (traces.SourceFile, error) {
	for s.err == nil && s.fill(len(s.data)) {
	}
	if s.err != nil {
		return traces.SourceFile{}, s.err
	}
	return s.raw.record(s.path)
}

// bounded is a text of which no more than so many bytes may be read.
type bounded struct {
	io.Reader
	left int64
	err  error // what to say of more
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.err
	}
	return n, err
}

// limit refuses a text of more bytes, before the first is read.
func (s *source) limit(most int64) {
	s.in = &bounded{s.in, most, s.errorf(0, 0, "is more than %d bytes of text, too much to hold in memory; the limit can be raised in the Go API (Options.MaxFileBytes)", most)}
}

// failure returns why the text could not be read to its end.
func (s *source) failure() error { return s.err }

func (s *source) close() { s.raw.close() }

// base returns the name of the file without its folder: notes do not depend on
// where the sources lay.
func (s *source) base() string { return filepath.Base(s.path) }

// stem returns the name of the file without folder, extension and packing.
func (s *source) stem() string {
	base := filepath.Base(s.path)
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".zst")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

func (s *source) errorf(line, column int, format string, args ...any) error {
	return &traces.DataError{File: s.path, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// firstLine returns the first line of a source without white space around it.
func (s *source) firstLine() string {
	first, _, _ := bytes.Cut(s.head[:min(len(s.head), maxLine)], []byte("\n"))
	return string(bytes.TrimSpace(first))
}
