package csvtext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Row is a record of a small table, and where it stands.
type Row struct {
	Line   int // of the file, from 1
	Fields []string
	text   string
	at     []int
}

// Place returns the line and the column of a field.
func (r *Row) Place(field int) (line, column int) { return Place(r.text, r.Line, r.at[field]) }

// ReadAll reads a table of at most n bytes whose rows have as many fields as its
// first, the header. Blank lines are left out, and those that begin with comment, unless
// that is 0; so is a byte order mark. name is what errors call the file.
func ReadAll(name string, r io.Reader, largest int, comment byte) (rows []Row, err error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(largest)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > largest {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, largest)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for n, record := range Records(numbered(text)) {
		if blank := leading(record) == len(record); blank || comment != 0 && record[0] == comment {
			continue
		}
		row := Row{Line: n, text: record}
		var bad *Error
		if row.Fields, row.at, bad = Split(record, 8); bad != nil {
			line, column := Place(record, n, bad.At)
			return nil, fmt.Errorf("%s:%d:%d: %w", name, line, column, bad)
		}
		if len(rows) > 0 && len(row.Fields) != len(rows[0].Fields) {
			return nil, fmt.Errorf("%s:%d:1: %d fields, expected %d as in the header", name, n, len(row.Fields), len(rows[0].Fields))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrEmpty)
	}
	return rows, nil
}

// ErrEmpty is of a table without a record.
var ErrEmpty = errors.New("the file is empty")

// numbered yields the lines of a text, without their ends.
func numbered(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		n := 0
		for line := range bytes.Lines(text) {
			n++
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			if !yield(n, line) {
				return
			}
		}
	}
}
