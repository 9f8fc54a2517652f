package document

import (
	"fmt"
	"strings"
)

// excerpt returns the lines around a place in a text, counted from 1, with a mark
// below it. The YAML library's own has other line numbers after a folded text.
func excerpt(source []byte, line, column int) string {
	lines := strings.Split(strings.TrimSuffix(string(source), "\n"), "\n")
	var b strings.Builder
	for n := max(1, line-3); n <= min(len(lines), line+3); n++ {
		mark := ' '
		if n == line {
			mark = '>'
		}
		fmt.Fprintf(&b, "%c %3d | %s\n", mark, n, strings.TrimRight(lines[n-1], "\r"))
		if n == line {
			fmt.Fprintf(&b, "%*s\n", len("> 123 | ")+column, "^")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
