package traces

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds on what an importer reads. They are far above every known data set.
const (
	DefaultMaxFileBytes = 256 << 20 // Options.MaxFileBytes raises it
	maxFiles            = 100_000
	maxDepth            = 16       // nesting of JSON
	maxName             = 128      // bytes of a name: zone, type, machine
	maxToken            = 64 << 10 // bytes of a NextToken
	maxLine             = 4 << 10  // bytes of a line of text
	maxCount            = 1 << 20  // machines of one pool
)

// Instants believed: 1970 to 2199.
const (
	minInstant = 0
	maxInstant = 7_258_118_400_000_000
)

// DataError is bad data: where it is, what is there, and what was expected.
// Line and Column count from 1, the column in bytes; they are 0 where the file
// as a whole is meant.
type DataError struct {
	File         string
	Line, Column int
	Msg          string
}

func (e *DataError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// source is one file, whole, unpacked, without a byte order mark.
type source struct {
	path  string
	index int32 // place in the manifest's list
	data  []byte
	file  SourceFile // as it lies there, packed or not
}

func readSource(path string, limit int64) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &DataError{File: path, Msg: "is not a regular file"}
	}
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), limit)+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, &DataError{File: path, Msg: fmt.Sprintf("is larger than %d bytes; the limit can be raised in the Go API (Options.MaxFileBytes)", limit)}
	}
	plain, err := unpack(path, data.Bytes(), limit)
	if err != nil {
		return nil, err
	}
	s := newSource(path, data.Bytes())
	s.data = withoutBOM(plain)
	return s, nil
}

func withoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

func newSource(path string, data []byte) *source {
	sum := sha256.Sum256(data)
	return &source{
		path: path,
		data: withoutBOM(data),
		file: SourceFile{Path: filepath.ToSlash(path), Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])},
	}
}

func (s *source) empty() bool { return len(bytes.TrimSpace(s.data)) == 0 }

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
	return &DataError{File: s.path, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// line is one line of a text file.
type line struct {
	src  *source
	n    int // from 1
	text string
}

// lines yields the lines that are not blank, without their line ends.
func (s *source) lines() iter.Seq[line] {
	return func(yield func(line) bool) {
		rest := s.data
		for n := 1; len(rest) > 0; n++ {
			var text []byte
			text, rest, _ = bytes.Cut(rest, []byte("\n"))
			text = bytes.TrimSuffix(text, []byte("\r"))
			if len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			if !yield(line{s, n, string(text)}) {
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
	if s == "" || len(s) > maxName {
		return fmt.Errorf("expected a name of 1 to %d bytes", maxName)
	}
	for _, c := range s {
		if c < ' ' || c == 0x7f || c == 0xfffd {
			return fmt.Errorf("expected a name without control characters")
		}
	}
	return nil
}

// instant returns a time in microseconds, and why it is not believed.
func instant(t time.Time) (int64, error) {
	us := t.UnixMicro()
	if t.Year() < 1970 || t.Year() > 2199 {
		return 0, fmt.Errorf("is not believable, expected a year from 1970 to 2199")
	}
	if t.Nanosecond()%1000 != 0 {
		return 0, fmt.Errorf("is finer than a microsecond")
	}
	return us, nil
}

// stamp is an instant for people and JSON: RFC 3339 UTC, to the millisecond.
func stamp(us int64) string {
	return time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.000Z")
}
