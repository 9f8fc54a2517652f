package formats

import (
	"bytes"
	"iter"
	"slices"
	"strings"
)

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
		return nil, nil, l.errorAt(1, "line of %d bytes, expected at most %d", len(l.text), maxLine)
	}
	text = strings.Split(l.text, separator)
	if !slices.Contains(n, len(text)) {
		return nil, nil, l.errorAt(1, "%d fields in %s, expected %d", len(text), quote(l.text), n[0])
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

// errorf complains about the line as a whole.
func (l line) errorf(format string, args ...any) error { return l.errorAt(1, format, args...) }

// errorAt complains about the text at a column of the line, from 1.
func (l line) errorAt(column int, format string, args ...any) error {
	return l.src.errorf(l.n, column, format, args...)
}
