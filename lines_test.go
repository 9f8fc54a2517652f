package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// longestLine is the length of a line in characters above which it is refused.
const longestLine = 160

// No line is longer than a reader's screen: in DESIGN.md and CHANGELOG.md none, in other documents none but rows of
// tables and blocks of code, in Go files none but tags of fields, which cannot be broken.
func TestLines(t *testing.T) {
	for _, name := range goFiles(t) {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		tags := map[int]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				tags[set.Position(field.Tag.Pos()).Line] = true
			}
			return true
		})
		if !ast.IsGenerated(f) {
			refuseLong(t, name, func(number int, _ string) bool { return tags[number] })
		}
	}
	for _, name := range markdown(t) {
		code := false
		refuseLong(t, name, func(_ int, line string) bool {
			start := strings.TrimSpace(line)
			if strings.HasPrefix(start, "```") {
				code = !code
			}
			data := code || strings.HasPrefix(start, "|") || strings.HasPrefix(start, "- [") && strings.HasPrefix(name, "ARTIFACT")
			return data && name != "DESIGN.md" && name != "CHANGELOG.md"
		})
	}
}

// refuseLong reports the lines of a file that are too long, but those that are allowed.
func refuseLong(t *testing.T, name string, allowed func(number int, line string) bool) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\n")
		if n := utf8.RuneCountInString(line); !allowed(number, line) && n > longestLine {
			t.Errorf("%s:%d: %d characters, expected at most %d", name, number, n, longestLine)
		}
	}
}

// markdown are the documents of the tree, but those that are kept as others wrote them.
func markdown(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "shared" || d.Name() == "out" ||
			d.Name() == "bin"):
			return fs.SkipDir
		case filepath.Ext(name) == ".md":
			names = append(names, name)
		}
		return nil
	})
	if err != nil || len(names) < 40 {
		t.Fatalf("%d documents, %v", len(names), err)
	}
	return names
}
