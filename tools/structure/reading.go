package main

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// reading counts how the files of a folder read, tests left out.
type reading struct {
	tokens, code, comments, lines, long int // long: lines that are wider than longLine
	assignments, parallel, threeOrMore  int // parallel: of several values side by side, but not the results of a call
	locals, oneLetter, letters          int // names that := declares, and their letters
}

// tabWidth is how many columns a tab takes.
const tabWidth = 4

// addText counts the tokens and lines of a file. Comments are no tokens.
func (r *reading) addText(source []byte) {
	set := token.NewFileSet()
	var tokens scanner.Scanner
	tokens.Init(set.AddFile("", -1, len(source)), source, nil, 0)
	for {
		if _, kind, _ := tokens.Scan(); kind == token.EOF {
			break
		}
		r.tokens++
	}
	inside := false // a comment of several lines
	for line := range strings.Lines(string(source)) {
		r.lines++
		if columns(strings.TrimSuffix(line, "\n")) > longLine {
			r.long++
		}
		text := strings.TrimSpace(line)
		begins := strings.HasPrefix(text, "/*")
		switch {
		case inside, begins:
			r.comments++
			inside = !strings.Contains(text, "*/")
		case strings.HasPrefix(text, "//"):
			r.comments++
		case text != "":
			r.code++
		}
	}
}

// columns is the width of a line.
func columns(line string) int {
	return len([]rune(line)) + (tabWidth-1)*strings.Count(line, "\t")
}

// addTree counts the assignments and locals of a file.
func (r *reading) addTree(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		assignment, is := n.(*ast.AssignStmt)
		if !is {
			return true
		}
		r.assignments++
		values := len(assignment.Rhs)
		if values > 1 {
			r.parallel++
		}
		if values > 2 {
			r.threeOrMore++
		}
		if assignment.Tok == token.DEFINE {
			r.addLocals(assignment.Lhs)
		}
		return true
	})
}

func (r *reading) addLocals(names []ast.Expr) {
	for _, name := range names {
		local, is := name.(*ast.Ident)
		if !is || local.Name == "_" {
			continue
		}
		r.locals++
		r.letters += len(local.Name)
		if len(local.Name) == 1 {
			r.oneLetter++
		}
	}
}

// topFolder returns the first folder of a path below dir, "." for files directly in it.
func topFolder(dir, path string) string {
	below, err := filepath.Rel(dir, path)
	if err != nil {
		panic(err) // the file was found below dir
	}
	folder, _, found := strings.Cut(filepath.ToSlash(below), "/")
	if !found {
		return "."
	}
	return folder
}

// notProduct are folders with code that users do not run: what published systems are compared with, and the makers'
// tools.
var notProduct = []string{"papers", "tools"}

// printReading prints how the folders of the product read, the largest first.
func (c *counts) printReading(w io.Writer) {
	var folders []string
	for folder := range c.reading {
		if !slices.Contains(notProduct, folder) {
			folders = append(folders, folder)
		}
	}
	slices.SortFunc(folders, func(a, b string) int { return c.reading[b].tokens - c.reading[a].tokens })
	fmt.Fprintf(w, "\n%-13s %8s %8s %9s %9s %10s %12s %9s %10s %6s\n", "folder", "tokens", "lines", "tokens a",
		"comments", "parallel", "of three and", "locals of", "letters of", fmt.Sprintf("> %d", longLine))
	fmt.Fprintf(w, "%-13s %8s %8s %9s %9s %10s %12s %9s %10s %6s\n", "", "", "", "code line",
		"% lines", "% of all =", "more, %", "1 letter%", "a local", "cols")
	var all reading
	for _, folder := range folders {
		c.reading[folder].print(w, folder)
		all.add(c.reading[folder])
	}
	all.print(w, "all")
}

func (r *reading) add(other *reading) {
	r.tokens += other.tokens
	r.code += other.code
	r.comments += other.comments
	r.lines += other.lines
	r.long += other.long
	r.assignments += other.assignments
	r.parallel += other.parallel
	r.threeOrMore += other.threeOrMore
	r.locals += other.locals
	r.oneLetter += other.oneLetter
	r.letters += other.letters
}

func (r *reading) print(w io.Writer, folder string) {
	ratio := func(part, of int) float64 { return float64(part) / float64(max(of, 1)) }
	fmt.Fprintf(w, "%-13s %8d %8d %9.2f %9.1f %10.2f %12.2f %9.1f %10.2f %6d\n", folder, r.tokens, r.lines,
		ratio(r.tokens, r.code), 100*ratio(r.comments, r.lines), 100*ratio(r.parallel, r.assignments),
		100*ratio(r.threeOrMore, r.assignments), 100*ratio(r.oneLetter, r.locals), ratio(r.letters, r.locals), r.long)
}
