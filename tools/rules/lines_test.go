package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// longestLine is the length of a line in characters above which it is refused.
const longestLine = 160

// TestLines checks that no line is longer than a reader's screen: in DESIGN.md and CHANGELOG.md none, in other
// documents none but rows of tables and blocks of code, in Go files none but tags of fields, which cannot be broken.
func TestLines(t *testing.T) {
	for _, name := range goFiles(t) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(file) {
			continue
		}
		tags := map[int]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				tags[set.Position(field.Tag.Pos()).Line] = true
			}
			return true
		})
		refuseLong(t, name, func(number int, _ string) bool { return tags[number] })
	}
	for _, name := range documents(t) {
		code := false
		refuseLong(t, name, func(_ int, line string) bool {
			start := strings.TrimSpace(line)
			if strings.HasPrefix(start, "```") {
				code = !code
			}
			if name == "DESIGN.md" || name == "CHANGELOG.md" {
				return false
			}
			claim := strings.HasPrefix(start, "- [") && strings.HasPrefix(name, "papers/FIGURES")
			return code || claim || strings.HasPrefix(start, "|")
		})
	}
}

// refuseLong reports the lines of a file that are too long, but those that are allowed.
func refuseLong(t *testing.T, name string, allowed func(number int, line string) bool) {
	t.Helper()
	number := 0
	for line := range strings.Lines(readFile(t, name)) {
		number++
		line = strings.TrimRight(line, "\n")
		length := utf8.RuneCountInString(line)
		if !allowed(number, line) && length > longestLine {
			t.Errorf("%s:%d: %d characters, expected at most %d", name, number, length, longestLine)
		}
	}
}

// documents returns the Markdown files of the repository, but those that are kept as others wrote them.
func documents(t *testing.T) []string {
	t.Helper()
	var names []string
	walkFiles(t, func(name string) {
		if strings.HasSuffix(name, ".md") && !inTestdata(name) {
			names = append(names, name)
		}
	})
	if len(names) < 40 {
		t.Fatalf("%d documents were found, expected at least 40", len(names))
	}
	return names
}
