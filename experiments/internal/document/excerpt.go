package document

import (
	"fmt"
	"strings"
)

// excerpt returns the lines around a place in a text, counted from 1, with a mark
// below it. The YAML library's own has other line numbers after a folded text.
func excerpt(source []byte, line, column int) string {
	lines := strings.Split(strings.TrimSuffix(string(source), "\n"), "\n")
	var text strings.Builder
	for shown := max(1, line-3); shown <= min(len(lines), line+3); shown++ {
		mark := ' '
		if shown == line {
			mark = '>'
		}
		fmt.Fprintf(&text, "%c %3d | %s\n", mark, shown, strings.TrimRight(lines[shown-1], "\r"))
		if shown == line {
			fmt.Fprintf(&text, "%*s\n", len("> 123 | ")+column, "^")
		}
	}
	return strings.TrimRight(text.String(), "\n")
}
