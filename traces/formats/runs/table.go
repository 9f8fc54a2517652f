package runs

import (
	"iter"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces/formats/read"
)

// table reads a table with a header: fields between commas (which may be quoted), or between
// another separator.
func (in *input) table(separator string, needs []string, each func(*record) error) error {
	var header []string
	for l := range tableRows(in.Source, separator) {
		fields, columns, err := split(l, separator, len(header))
		if err != nil {
			return err
		}
		if header == nil {
			header = slices.Clone(fields)
			if err := checkHeader(l, header, columns, needs); err != nil {
				return err
			}
			continue
		}
		r := record{in: in, line: l.Number, column: 1, cells: make(map[string]cell, len(fields))}
		for i, text := range fields {
			line, column := l.Place(columns[i])
			r.cells[header[i]] = cell{text, line, column}
		}
		if err := each(&r); err != nil {
			return err
		}
	}
	return nil
}

// tableRows are the lines of a table, or the records of one with commas.
func tableRows(s *read.Source, separator string) iter.Seq[read.Line] {
	if separator == "," {
		return s.Records()
	}
	return s.Lines()
}

// split cuts a line into n fields, of any number if n is 0.
func split(l read.Line, separator string, n int) ([]string, []int, error) {
	if separator == "," {
		return l.Fields(n)
	}
	if n == 0 {
		n = strings.Count(l.Text, separator) + 1
	}
	return l.Split(separator, n)
}

// checkHeader complains of names that are there twice, or that are needed and are not.
func checkHeader(l read.Line, header []string, columns []int, needs []string) error {
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return l.ErrorAt(columns[i], "column %s is there twice", read.Quote(name))
		}
	}
	for _, name := range needs {
		if !slices.Contains(header, name) {
			return l.ErrorAt(1, "no column %s, expected one; the columns are %s", name, read.Quote(strings.Join(header, ",")))
		}
	}
	return nil
}

// header is the names of the first line, whatever separates them.
func header(s *read.Source, separator string) []string {
	for l := range tableRows(s, separator) {
		fields, _, err := split(l, separator, 0)
		if err != nil {
			return nil
		}
		return fields
	}
	return nil
}

// hasColumns reports whether the first line of a file names the columns.
func hasColumns(s *read.Source, separator string, names ...string) bool {
	have := header(s, separator)
	for _, name := range names {
		if !slices.Contains(have, name) {
			return false
		}
	}
	return true
}
