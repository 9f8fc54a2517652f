package read

import (
	"bytes"
	"iter"
	"strings"

	"github.com/marigram/marigram/internal/csvtext"
)

// Line is one line of a text file.
type Line struct {
	Source *Source
	Number int // from 1
	Text   string
}

// Lines yields the lines that are not blank, without their line ends, up to the
// first that is too long, which err then names.
func (s *Source) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for n := 1; ; n++ {
			text, any := s.nextLine()
			if len(text) > MaxText {
				s.fail(s.Errorf(n, 1, "line of more than %d bytes, expected at most that", MaxText))
				return
			}
			if !any {
				return
			}
			text = bytes.TrimSuffix(text, []byte("\r"))
			if len(bytes.TrimSpace(text)) > 0 && !yield(Line{s, n, string(text)}) {
				return
			}
		}
	}
}

// Split cuts a line at a separator into fields without blanks around them; quotes mean nothing. The fields get the
// names of the list that has as many of them, if there are lists.
func (l Line) Split(separator string, names ...[]string) *Row {
	row := &Row{Source: l.Source, Place: csvtext.Place{Line: l.Number, Column: 1}}
	if len(l.Text) > MaxLine {
		row.Err = l.Errorf("line of %d bytes, expected at most %d", len(l.Text), MaxLine)
		return row
	}
	at := 1
	for text := range strings.SplitSeq(l.Text, separator) {
		blanks := len(text) - len(strings.TrimLeft(text, " \t"))
		row.Fields = append(row.Fields, strings.TrimSpace(text))
		row.Places = append(row.Places, csvtext.Place{Line: l.Number, Column: at + blanks})
		at += len(text) + len(separator)
	}
	if len(names) == 0 {
		return row
	}
	for _, row.Names = range names {
		if len(row.Names) == len(row.Fields) {
			return row
		}
	}
	row.Err = l.Errorf("%d fields in %s, expected %d", len(row.Fields), Quote(l.Text), len(names[0]))
	return row
}

// Words cuts a line at its blanks into a row of at most n fields without names.
func (l Line) Words(n int) *Row {
	row := &Row{Source: l.Source, Place: csvtext.Place{Line: l.Number, Column: 1}}
	if len(l.Text) > MaxToken {
		row.Err = l.Errorf("line of %d bytes, expected at most %d", len(l.Text), MaxToken)
		return row
	}
	rest := l.Text
	for len(row.Fields) < n {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" {
			break
		}
		column := len(l.Text) - len(rest) + 1
		end := strings.IndexAny(rest, " \t")
		if end < 0 {
			end = len(rest)
		}
		row.Add("", rest[:end], l.Number, column)
		rest = rest[end:]
	}
	return row
}

// Errorf complains about the line as a whole.
func (l Line) Errorf(format string, args ...any) error { return l.ErrorAt(1, format, args...) }

// ErrorAt complains about the text at a column of the line, from 1.
func (l Line) ErrorAt(column int, format string, args ...any) error {
	return l.Source.Errorf(l.Number, column, format, args...)
}
