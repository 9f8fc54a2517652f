package units

import "strings"

// Command returns a command line as a shell takes it, with quotes where it needs them.
func Command(args []string) string {
	var out []string
	for _, a := range args {
		if strings.ContainsFunc(a, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
				strings.ContainsRune("-_./,:=+@%", r))
		}) || a == "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}
