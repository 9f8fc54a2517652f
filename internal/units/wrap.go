package units

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// word is what Wrap does not break: text between spaces, and code of Markdown with the spaces in it.
var word = regexp.MustCompile("[^\\s`]*(?:`[^`]*`[^\\s`]*)+|\\S+")

// Wrap breaks a paragraph of Markdown into lines of at most width characters, where its words allow it.
func Wrap(paragraph string, width int) string {
	var b strings.Builder
	column := 0
	for _, w := range word.FindAllString(paragraph, -1) {
		n := utf8.RuneCountInString(w)
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(w)
		column += n
	}
	return b.String()
}
