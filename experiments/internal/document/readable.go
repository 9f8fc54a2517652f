package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds on YAML: the library takes time that grows with the square of the
// brackets, dashes and lines, and as a power of the aliases.
const (
	maxNesting = 64
	maxLines   = 10_000
	maxAliases = 20
)

// readable returns a text without its byte order mark, or why it is no YAML that is
// read here: more nested, of more lines, or with more aliases than a person writes.
func readable(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	lines := bytes.Count(data, []byte("\n"))
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, fmt.Errorf("is UTF-16, expected UTF-8")
	case !utf8.Valid(data):
		return nil, fmt.Errorf("is not UTF-8")
	case lines > maxLines:
		return nil, fmt.Errorf("has %d lines, expected at most %d", lines, maxLines)
	}
	if depth := nesting(data); depth > maxNesting {
		return nil, fmt.Errorf("brackets are nested %d deep, expected at most %d", depth, maxNesting)
	}
	if depth := dashes(data); depth > maxNesting {
		return nil, fmt.Errorf("lists are nested %d deep, expected at most %d", depth, maxNesting)
	}
	if count := aliases(data); count > maxAliases {
		return nil, fmt.Errorf("has %d aliases (*name), expected at most %d", count, maxAliases)
	}
	return data, nil
}

// nesting returns how deep brackets are nested in data, those in strings counted
// as well.
func nesting(data []byte) int {
	depth := 0
	largest := 0
	for _, c := range data {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		largest = max(largest, depth)
	}
	return largest
}

// dashes returns the most dashes and question marks that begin a line, each of
// which opens a list or a key.
func dashes(data []byte) (largest int) {
	for line := range bytes.Lines(data) {
		opened := 0
		for _, word := range bytes.Fields(line) {
			if len(word) > 1 || word[0] != '-' && word[0] != '?' {
				break
			}
			opened++
		}
		largest = max(largest, opened)
	}
	return largest
}

// aliases counts what looks like an alias, in texts as well.
func aliases(data []byte) (n int) {
	for i, c := range data {
		if c == '*' && i+1 < len(data) && !bytes.ContainsRune([]byte(" \t\r\n*"), rune(data[i+1])) &&
			(i == 0 || strings.ContainsRune(" \t\n[{,:-", rune(data[i-1]))) {
			n++
		}
	}
	return n
}
