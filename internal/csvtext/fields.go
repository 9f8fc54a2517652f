// Package csvtext reads tables of commas as RFC 4180 writes them: a field between double
// quotes may hold commas, line ends and quotes, each written twice. It knows where in the
// text each field stands. Every reader of such tables in marigram is this one.
//
// encoding/csv reads the same (a fuzz test compares them); this reader takes lines from sources
// that count bytes and are never held whole, and ends at a quote whose end is missing.
//
// Beyond the RFC, blanks around a field are no part of it. A quote within a field that
// does not begin with one is an error: such text means different things to other readers.
package csvtext

import (
	"fmt"
	"strings"
)

// Error is what keeps a text from being a record, and where.
type Error struct {
	At  int // offset in the record
	Msg string
}

// Error returns what is wrong.
func (e *Error) Error() string { return e.Msg }

// blanks may stand around a field.
const blanks = " \t"

// Split cuts a record, without its line end, into its fields, of which it expects about n.
// at is where each of them begins in the record: at its first byte that is no blank.
func Split(record string, n int) (fields []string, at []int, err *Error) {
	fields, at = make([]string, 0, n), make([]int, 0, n)
	for from := 0; ; {
		begin := from + leading(record[from:])
		var field string
		end := begin
		if begin < len(record) && record[begin] == '"' {
			if field, end, err = quoted(record, begin); err != nil {
				return nil, nil, err
			}
		} else if field, end, err = plain(record, begin); err != nil {
			return nil, nil, err
		}
		fields, at = append(fields, field), append(at, begin)
		if end == len(record) {
			return fields, at, nil
		}
		from = end + 1 // behind the comma
	}
}

// leading counts the blanks that a text begins with.
func leading(text string) int {
	n := 0
	for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n
}

// plain returns the field without quotes at begin, and where its comma is, or the end.
func plain(record string, begin int) (field string, end int, err *Error) {
	end = len(record)
	if i := strings.IndexByte(record[begin:], ','); i >= 0 {
		end = begin + i
	}
	field = record[begin:end]
	if i := strings.IndexByte(field, '"'); i >= 0 {
		return "", 0, &Error{begin + i, "a quote within a field that does not begin with one, expected the whole field between " +
			"quotes, and each quote in it written twice"}
	}
	return strings.TrimSpace(field), end, nil
}

// quoted returns the field whose first quote is at begin, and where its comma is, or the end.
func quoted(record string, begin int) (field string, end int, err *Error) {
	from, doubled := begin+1, false
	end = from
	for {
		i := strings.IndexByte(record[end:], '"')
		if i < 0 {
			return "", 0, &Error{begin, "a field that begins with a quote and has no end, expected a quote before the next comma or line end"}
		}
		if end += i + 1; end == len(record) || record[end] != '"' {
			break
		}
		end, doubled = end+1, true // two of them stand for one
	}
	field = record[from : end-1]
	if doubled {
		field = strings.ReplaceAll(field, `""`, `"`)
	}
	if end += leading(record[end:]); end < len(record) && record[end] != ',' {
		return "", 0, &Error{end, fmt.Sprintf("%q behind the end of a field in quotes, expected a comma or the end of the line", record[end:end+1])}
	}
	return field, end, nil
}

// Place returns the line and the column of an offset in a record whose first line is line;
// columns count bytes from 1.
func Place(record string, line, at int) (int, int) {
	before := record[:min(at, len(record))]
	last := strings.LastIndexByte(before, '\n')
	if last < 0 {
		return line, at + 1
	}
	return line + strings.Count(before, "\n"), at - last
}

// Quote returns a field as it stands in a record: between quotes where it must be.
func Quote(field string) string {
	if !strings.ContainsAny(field, ",\"\r\n") && field == strings.TrimSpace(field) {
		return field
	}
	return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
}
