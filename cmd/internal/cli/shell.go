package cli

import (
	"regexp"
	"strings"
)

// plainWord is what shells take as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,+@%-]+$`)

// ShellWord writes a word of a command line as a user can paste it into a shell: in single quotes where it has more
// than letters, digits and a few signs.
func ShellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
