package formats

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/marigram/marigram/traces"
)

// Bounds on what an importer reads. They are far above every known data set.
const (
	maxHeld  = 8 << 20 // rows and names in memory
	maxFiles = 100_000
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
	return newSource(path, newRawFile(ctx, f), window)
}

// newSource reads the beginning of a file, which it closes if that fails.
func newSource(path string, raw *rawFile, size int) (*source, error) {
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
	s.window = newWindow(io.MultiReader(bytes.NewReader(s.head), text), size)
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

// line is one line of a text file.
type line struct {
	src  *source
	n    int // from 1
	text string
}

// lines yields the lines that are not blank, without their line ends, up to the
// first that is too long, which err then names.
func (s *source) lines() iter.Seq[line] {
	return func(yield func(line) bool) {
		for n := 1; ; n++ {
			text, any := s.nextLine()
			if len(text) > maxText {
				s.fail(s.errorf(n, 1, "line of more than %d bytes, expected at most that", maxText))
				return
			}
			text = bytes.TrimSuffix(text, []byte("\r"))
			if !any || len(bytes.TrimSpace(text)) > 0 && !yield(line{s, n, string(text)}) {
				return
			}
		}
	}
}

// fields splits a line at its commas into exactly n fields without blanks
// around them. It returns the column of each.
func (l line) fields(n int) (text []string, column []int, err error) {
	return l.split(",", n)
}

// split is fields with another separator than the comma.
func (l line) split(separator string, n ...int) (text []string, column []int, err error) {
	if len(l.text) > maxLine {
		return nil, nil, l.src.errorf(l.n, 1, "line of %d bytes, expected at most %d", len(l.text), maxLine)
	}
	text = strings.Split(l.text, separator)
	if !slices.Contains(n, len(text)) {
		return nil, nil, l.src.errorf(l.n, 1, "%d fields in %s, expected %d", len(text), quote(l.text), n[0])
	}
	at := 1
	for i, t := range text {
		blank := len(t) - len(strings.TrimLeft(t, " \t"))
		column = append(column, at+blank)
		at += len(t) + 1
		text[i] = strings.TrimSpace(t)
	}
	return text, column, nil
}

// quote quotes a value for a message, cut to a readable length.
func quote(s string) string {
	if len(s) > 64 {
		return fmt.Sprintf("%q...", s[:64])
	}
	return fmt.Sprintf("%q", s)
}

// checkName returns why a text is no name, nil if it is one.
func checkName(s string) error {
	if s == "" || len(s) > traces.MaxName {
		return fmt.Errorf("expected a name of 1 to %d bytes", traces.MaxName)
	}
	for _, c := range s {
		if !unicode.IsPrint(c) || c == 0xfffd {
			return fmt.Errorf("expected a name of characters that can be printed")
		}
	}
	return nil
}
