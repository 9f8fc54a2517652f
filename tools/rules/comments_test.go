package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestComments checks that the comment above a declaration speaks of what is declared there: it begins with its name,
// or with a word that is no name. A comment that stayed when its function was renamed begins with the old name. Of
// exported names staticcheck checks the same (ST1020, ST1021, ST1022).
func TestComments(t *testing.T) {
	folders := map[string][]*ast.File{}
	set := token.NewFileSet()
	for _, name := range goFiles(t) {
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		folders[path.Dir(name)] = append(folders[path.Dir(name)], file)
	}
	looked := 0
	for _, files := range folders {
		named, stale := staleComments(set, files)
		looked += named
		for _, place := range stale {
			t.Error(place)
		}
	}
	if looked < 5000 {
		t.Errorf("%d comments begin with the name below them, expected at least 5000", looked)
	}
}

// TestCommentsFinds checks that TestComments can fail.
func TestCommentsFinds(t *testing.T) {
	const others = "\nfunc other() {}\ntype Kind struct{}\nfunc (k Kind) spool() {}\n"
	for source, want := range map[string]int{
		"// sum adds up.\nfunc sum() {}":                                0,
		"// Sums of both.\nfunc sum() {}":                               0,
		"// total adds up.\nfunc sum() {}":                              1,
		"// other adds up.\nfunc sum() {}":                              1,
		"// Kind is a kind.\ntype form int":                             1,
		"// Kinds are many.\ntype form int":                             0,
		"// jobStore is full.\nvar store int":                           1,
		"// spool is full.\nfunc (k Kind) jobStore() {}":                1,
		"// What is left.\nvar (\n\t// rest is left.\n\tleft int\n)":    1,
		"// one and two are numbers.\nconst (\n\tone = 1\n\ttwo = 2\n)": 0,
		"//go:embed x\nvar text string":                                 0,
		"// docs/x.md says it.\nfunc sum() {}":                          0,
		"// Kind is tested.\nfunc TestKind() {}":                        0,
		"// TestForm is a test.\nfunc TestKind() {}":                    1,
	} {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "x.go", "package p\n\n"+source+"\n"+others, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if _, stale := staleComments(set, []*ast.File{file}); len(stale) != want {
			t.Errorf("%q: %v, expected %d", source, stale, want)
		}
	}
}

// staleComments returns how many comments of a package begin with a name that they stand above, and the places of those
// that begin with another one.
func staleComments(set *token.FileSet, files []*ast.File) (named int, stale []string) {
	declared := map[string]bool{}
	for _, file := range files {
		eachComment(file, func(names []string, _ *ast.CommentGroup) {
			for _, name := range names {
				declared[name] = true
			}
		})
	}
	for _, file := range files {
		eachComment(file, func(names []string, comment *ast.CommentGroup) {
			text := comment.Text() // without directives
			word := firstWord(text)
			switch {
			case word == "" || len(names) == 0: // that of an import
			case slices.Contains(names, word):
				named++
			case beginsWithName(text, names[0], declared):
				stale = append(stale, fmt.Sprintf("%s: the comment of %s begins with %q: expected the name, or a sentence",
					set.Position(comment.Pos()), strings.Join(names, ", "), word))
			}
		})
	}
	return named, stale
}

// beginsWithName reports whether a comment begins with a name: a word in lower case, since sentences begin with a
// capital; one with a capital inside; or one that is declared in the package and of which the comment says what it is.
// The comment of a test is a sentence on what it shows.
func beginsWithName(comment, of string, declared map[string]bool) bool {
	word, rest, _ := strings.Cut(comment, " ")
	if strings.ContainsAny(word, "/.-") {
		return false // a path, or a name with a number
	}
	for _, kind := range []string{"Test", "Example", "Fuzz", "Benchmark"} {
		if strings.HasPrefix(of, kind) {
			return strings.HasPrefix(word, kind) && word != kind
		}
	}
	first, size := utf8.DecodeRuneInString(word)
	if unicode.IsLower(first) {
		return true
	}
	if strings.ContainsFunc(word[size:], unicode.IsUpper) && strings.ContainsFunc(word, unicode.IsLower) {
		return true
	}
	verb, _, _ := strings.Cut(rest, " ")
	return declared[word] && slices.Contains([]string{"is", "are", "has", "returns", "reports"}, verb)
}

// firstWord returns the letters and digits that a comment begins with.
func firstWord(comment string) string {
	end := strings.IndexFunc(comment, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	return comment[:max(end, 0)]
}

// eachComment calls visit with the names of each declaration of a file, and the comment above it, which may be nil.
func eachComment(file *ast.File, visit func(names []string, comment *ast.CommentGroup)) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			visit([]string{d.Name.Name}, d.Doc)
		case *ast.GenDecl:
			var all []string
			for _, spec := range d.Specs {
				names, comment := declaredBy(spec)
				all = append(all, names...)
				visit(names, comment)
			}
			visit(all, d.Doc)
		}
	}
}

// declaredBy returns what a type, variable or constant is called, and the comment above it.
func declaredBy(spec ast.Spec) (names []string, comment *ast.CommentGroup) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return []string{s.Name.Name}, s.Doc
	case *ast.ValueSpec:
		for _, name := range s.Names {
			names = append(names, name.Name)
		}
		return names, s.Doc
	}
	return nil, nil
}
