package read

import (
	"bytes"
	"iter"
	"slices"
	"strings"
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
			text = bytes.TrimSuffix(text, []byte("\r"))
			if !any || len(bytes.TrimSpace(text)) > 0 && !yield(Line{s, n, string(text)}) {
				return
			}
		}
	}
}

// Fields splits a line at its commas into exactly n fields without blanks
// around them. It returns the column of each.
func (l Line) Fields(n int) (text []string, column []int, err error) {
	return l.Split(",", n)
}

// Split is fields with another separator than the comma.
func (l Line) Split(separator string, n ...int) (text []string, column []int, err error) {
	if len(l.Text) > MaxLine {
		return nil, nil, l.ErrorAt(1, "line of %d bytes, expected at most %d", len(l.Text), MaxLine)
	}
	text = strings.Split(l.Text, separator)
	if !slices.Contains(n, len(text)) {
		return nil, nil, l.ErrorAt(1, "%d fields in %s, expected %d", len(text), Quote(l.Text), n[0])
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

// Errorf complains about the line as a whole.
func (l Line) Errorf(format string, args ...any) error { return l.ErrorAt(1, format, args...) }

// ErrorAt complains about the text at a column of the line, from 1.
func (l Line) ErrorAt(column int, format string, args ...any) error {
	return l.Source.Errorf(l.Number, column, format, args...)
}
