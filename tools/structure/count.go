package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// longLine is the length in characters, a tab as one, above which a line is long.
const longLine = 120

// counts are sizes of the Go files of a tree, whatever module or system they are
// of. All but testLines leave out tests.
type counts struct {
	files     []int // lines of each
	functions []int // lines of each, from func to the brace
	folders   map[string]*folderCounts
	lines     int
	long      int // lines longer than longLine
	testLines int

	code    [][]string          // lines of each file but for blanks and comments, without indents
	reading map[string]*reading // by top folder
}

// folderCounts are those of one package.
type folderCounts struct{ files, exported, documented int }

// count counts the Go files below a folder, but for generated ones, testdata and
// hidden folders.
func count(dir string) (*counts, error) {
	c := &counts{folders: map[string]*folderCounts{}, reading: map[string]*reading{}}
	return c, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != dir && (name == "testdata" || name[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		return c.add(dir, path)
	})
}

func (c *counts) add(dir, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil || ast.IsGenerated(f) {
		return err
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	if strings.HasSuffix(path, "_test.go") {
		c.testLines += len(lines)
		return nil
	}
	top := topFolder(dir, path)
	if c.reading[top] == nil {
		c.reading[top] = &reading{}
	}
	c.reading[top].addText(text)
	c.reading[top].addTree(f)
	c.files = append(c.files, len(lines))
	c.lines += len(lines)
	var code []string
	for _, line := range lines {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > longLine {
			c.long++
		}
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			code = append(code, line)
		}
	}
	c.code = append(c.code, code)
	folder := c.folders[filepath.Dir(path)]
	if folder == nil {
		folder = &folderCounts{}
		c.folders[filepath.Dir(path)] = folder
	}
	folder.files++
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			c.functions = append(c.functions, set.Position(fn.End()).Line-set.Position(fn.Pos()).Line+1)
		}
		if f.Name.Name != "main" {
			folder.declare(d)
		}
	}
	return nil
}

// declare counts the exported names of a declaration, methods of exported types
// among them, and those that have a comment: their own, or that of their group.
func (c *folderCounts) declare(d ast.Decl) {
	name := func(id *ast.Ident, docs ...*ast.CommentGroup) {
		if id.IsExported() {
			c.exported++
			if slices.ContainsFunc(docs, func(doc *ast.CommentGroup) bool { return doc != nil }) {
				c.documented++
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || ast.IsExported(receiver(d)) {
			name(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				name(s.Name, s.Doc, d.Doc, s.Comment)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					name(id, s.Doc, d.Doc, s.Comment)
				}
			}
		}
	}
}

// receiver returns the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	at := d.Recv.List[0].Type
	for {
		switch x := at.(type) {
		case *ast.StarExpr:
			at = x.X
		case *ast.IndexExpr:
			at = x.X
		case *ast.IndexListExpr:
			at = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// repeated returns how many runs of runLines lines of code or more are found a second
// time.
func (c *counts) repeated() (runs int) {
	times := map[string]int{}
	each := func(file []string, visit func(window string)) {
		for i := 0; i+runLines <= len(file); i++ {
			visit(strings.Join(file[i:i+runLines], "\n"))
		}
	}
	for _, file := range c.code {
		each(file, func(window string) { times[window]++ })
	}
	for _, file := range c.code {
		inside := false
		each(file, func(window string) {
			again := times[window] > 1
			if again && !inside {
				runs++
			}
			inside = again
		})
	}
	return runs
}

// runLines is how many lines of code make a run that is worth being noticed twice.
const runLines = 6

// at returns the value below which a share of the others are.
func at(list []int, share float64) int {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[int(math.Round(share*float64(len(list)-1)))]
}
