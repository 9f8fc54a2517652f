package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"io"
	"strings"
	"unicode"
)

// words has a line for words of our own: the words, a colon, the field's terms.
//
//go:embed words.txt
var words string

// ownWords returns the lines of words.txt, and the line of each word.
func ownWords() (lines []string, line map[string]int) {
	line = map[string]int{}
	for text := range strings.Lines(words) {
		text = strings.TrimSpace(text)
		if text == "gone" || strings.HasPrefix(text, "#") {
			continue
		}
		list, _, _ := strings.Cut(text, ":")
		for _, w := range strings.Fields(list) {
			line[w] = len(lines)
		}
		lines = append(lines, text)
	}
	return lines, line
}

// addIdentifiers counts the identifiers of a file that have a word of our own as a part.
func (c *counts) addIdentifiers(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			for _, part := range parts(id.Name) {
				c.identifiers[part]++
			}
		}
		return true
	})
}

// parts cuts an identifier at its capitals, in small letters: roomFor is room and for.
func parts(name string) []string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(last) || r == '_' {
			b.WriteByte(' ')
		}
		if r != '_' {
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return strings.Fields(b.String())
}

// printWords prints how often identifiers have each word of our own.
func (c *counts) printWords(w io.Writer) {
	lines, line := ownWords()
	sums, sum := make([]int, len(lines)), 0
	for word, i := range line {
		sums[i] += c.identifiers[word]
		sum += c.identifiers[word]
	}
	fmt.Fprintf(w, "%-44s %d\n", "identifiers with a word of our own", sum)
	for i, n := range sums {
		if n > 0 {
			fmt.Fprintf(w, "%6d %s\n", n, lines[i])
		}
	}
}
