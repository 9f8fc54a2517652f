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
	"unicode"
)

// wordList has words of our own and the field's terms; those below the line "gone" are in no identifier any more
// (make structure counts the others).
const wordList = "tools/structure/words.txt"

// Identifiers have none of the words of our own that are gone.
func TestIdentifiers(t *testing.T) {
	text, err := os.ReadFile(wordList)
	if err != nil {
		t.Fatal(err)
	}
	_, gone, ok := strings.Cut(string(text), "\ngone\n")
	terms := map[string]string{}
	for line := range strings.Lines(gone) {
		words, term, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, w := range strings.Fields(words) {
			terms[w] = term
		}
	}
	if !ok || len(terms) == 0 {
		t.Fatalf("%s has no words below gone", wordList)
	}
	files := goFiles(t)
	for _, name := range files {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(f) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				for _, part := range strings.Fields(apart(id.Name)) {
					if term, own := terms[part]; own {
						t.Errorf("%s: %s: the field says: %s (%s)", set.Position(id.Pos()), id.Name, term, wordList)
					}
				}
			}
			return true
		})
	}
}

// apart cuts a name at its capitals: roomFor is "room for".
func apart(name string) string {
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
	return b.String()
}

// goFiles are those of the tree, tests and other modules included; not those of testdata.
func goFiles(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "shared" || d.Name() == "out" ||
			d.Name() == "bin"):
			return fs.SkipDir
		case filepath.Ext(name) == ".go":
			names = append(names, name)
		}
		return nil
	})
	if err != nil || len(names) < 1000 {
		t.Fatalf("%d Go files, %v", len(names), err)
	}
	return names
}
