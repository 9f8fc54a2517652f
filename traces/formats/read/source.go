package read

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/traces"
)

// Bounds on what is read. They are far above every known data set.
const (
	MaxDepth = 16       // nesting of JSON
	MaxToken = 64 << 10 // bytes of a NextToken
	MaxLine  = 4 << 10  // bytes of a line of text
)

// Source is the text of one file, unpacked, without a byte order mark.
type Source struct {
	Path  string
	Index int32  // place in the manifest's list: what rows have for src_file
	Head  []byte // how the text begins, at most 64 KiB, to recognise it by
	window
	raw *rawFile
}

// headBytes is how much of a text its format is recognised by.
const headBytes = 64 << 10

// Open opens a file; window is how many bytes of it are in memory at once, but for a
// token or a line that is longer. End it with Close.
func Open(ctx context.Context, path string, window int) (*Source, error) {
	f, err := store.OpenInput(path)
	if err != nil {
		return nil, err
	}
	return New(ctx, path, f, window)
}

// New returns the text of a file that is read from in, which it closes if the
// beginning cannot be read. Reading stops when ctx is cancelled; window is how many
// bytes are in memory at once, but for a token or a line that is longer.
func New(ctx context.Context, path string, in io.ReadCloser, window int) (*Source, error) {
	raw := newRawFile(ctx, in)
	s := &Source{Path: path, raw: raw}
	text, err := raw.unpacked(path)
	if err == nil {
		s.Head = make([]byte, headBytes)
		var n int
		n, err = io.ReadFull(text, s.Head)
		s.Head = bytes.TrimPrefix(s.Head[:n], []byte("\xef\xbb\xbf"))
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF { // a short text is none
		raw.close()
		return nil, err
	}
	s.window = newWindow(io.MultiReader(bytes.NewReader(s.Head), text), window)
	return s, nil
}

// Beginning returns a source of its own that ends where the head does: to read it
// does not move s.
func (s *Source) Beginning() *Source {
	return &Source{Path: s.Path, Head: s.Head, window: window{data: s.Head}}
}

// Odd says what keeps a text from having any format, "" if nothing does.
func (s *Source) Odd() string {
	if bytes.HasPrefix(s.Head, []byte("\xff\xfe")) || bytes.HasPrefix(s.Head, []byte("\xfe\xff")) {
		return " (it is UTF-16 text, expected UTF-8)"
	}
	header, _, _ := bytes.Cut(bytes.TrimSpace(s.Head), []byte("\n"))
	return csvtext.Semicolons(string(header))
}

// Empty reports whether a text is white space alone.
func (s *Source) Empty() bool {
	return len(s.Head) < headBytes-3 && len(bytes.TrimSpace(s.Head)) == 0
}

// Finish reads what is left and returns what the manifest says of the file.
func (s *Source) Finish() (traces.SourceFile, error) {
	for s.err == nil && s.fill(len(s.data)) {
	}
	if s.err != nil {
		return traces.SourceFile{}, s.err
	}
	return s.raw.record(s.Path)
}

// bounded is a text of which no more than n bytes may be read.
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

// Limit refuses a text of more bytes, before the first is read.
func (s *Source) Limit(largest int64) {
	s.in = &bounded{s.in, largest, s.Errorf(0, 0,
		"is more than %d bytes of text, too much to hold in memory; the limit can be raised in the Go API "+
			"(Options.MaxFileBytes)", largest)}
}

// Err returns why the text could not be read to its end.
func (s *Source) Err() error { return s.err }

// Close closes the file.
func (s *Source) Close() { s.raw.close() }

// Base returns the name of the file without its folder: notes do not depend on
// where the sources lay.
func (s *Source) Base() string { return filepath.Base(s.Path) }

// Stem returns the name of the file without folder, extension and packing.
func (s *Source) Stem() string {
	base := filepath.Base(s.Path)
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".zst")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Errorf complains about a place in the file: line and column from 1, in bytes; 0 and 0
// mean the file as a whole.
func (s *Source) Errorf(line, column int, format string, args ...any) error {
	return &traces.DataError{File: s.Path, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// MissingOption complains that the file does not say something, which an option of an import could.
func (s *Source) MissingOption(option, missing string) error {
	return &traces.DataError{File: s.Path, Line: 1, Column: 1, Msg: missing, Option: option}
}

// Holds reports whether the beginning of a source holds one of the texts, in
// any case.
func (s *Source) Holds(texts ...string) bool {
	head := bytes.ToLower(s.Head[:min(len(s.Head), MaxLine)])
	return slices.ContainsFunc(texts, func(t string) bool { return bytes.Contains(head, []byte(t)) })
}

// TopKey reports whether a source begins as a JSON object with one of the keys,
// as far as its first few KiB tell.
func (s *Source) TopKey(keys ...string) bool {
	dec := json.NewDecoder(bytes.NewReader(s.Head[:min(len(s.Head), MaxLine)]))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return false
	}
	for depth, isKey := 0, true; depth >= 0; {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			if key, _ := tok.(string); isKey && slices.Contains(keys, key) {
				return true
			}
			isKey = !isKey
		}
	}
	return false
}

// FirstLine returns the first line of a source without white space around it.
func (s *Source) FirstLine() string {
	first, _, _ := bytes.Cut(s.Head[:min(len(s.Head), MaxLine)], []byte("\n"))
	return string(bytes.TrimSpace(first))
}

// Header returns the fields of the first record of a table, nil if there is none.
func (s *Source) Header() []string {
	for row := range s.Beginning().Rows() {
		return row.Fields
	}
	return nil
}

// FirstRecord returns the fields of the first record of a table, between commas; "" if there is none.
func (s *Source) FirstRecord() string { return strings.Join(s.Header(), ",") }

// HasColumns reports whether the header of a table has all of the names.
func (s *Source) HasColumns(names ...string) bool {
	header := s.Header()
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(header, name) })
}
