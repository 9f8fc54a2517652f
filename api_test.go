package main

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update-api", false, "write api.txt anew")

// kept are the packages of docs/library.md that keep what programs use of them.
var kept = []string{"bound", "calibrate/fit", "calibrate/parallel", "calibrate/pipeline", "calibrate/ps", "cmd", "experiments",
	"experiments/judge", "experiments/results", "experiments/spec", "experiments/sweep", "experiments/tune", "policies",
	"policies/plugin/gomodule", "policies/plugin/message", "policies/policyutil", "policies/forecast", "sim", "sim/simtest", "traces",
	"traces/catalogue", "traces/replay"}

const apiFile = "api.txt"

// TestAPI refuses a change that takes an exported name of a kept package away, or alters its declaration, unless
// the changelog announces a break. New names need nothing: go test . -run TestAPI -update-api writes them down.
func TestAPI(t *testing.T) {
	var now []string
	for _, pkg := range kept {
		now = append(now, declared(t, pkg)...)
	}
	slices.Sort(now)
	now = slices.Compact(now)
	if *update {
		if err := os.WriteFile(apiFile, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, unreleased, _ := strings.Cut(string(changes), "## Unreleased")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		if _, there := slices.BinarySearch(now, line); !there && !strings.Contains(unreleased, "[BREAKS]") {
			t.Errorf("%s is gone or another: programs use it. Keep it, or announce the break in CHANGELOG.md with [BREAKS], and write %s anew (-update-api)",
				line, apiFile)
		}
	}
}

// declared returns the exported functions, methods, types, fields, constants and variables of a package, a line
// each.
func declared(t *testing.T, pkg string) (lines []string) {
	t.Helper()
	set := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if is, err := build.Default.MatchFile(pkg, filepath.Base(name)); err != nil || !is || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(set, files, pkg)
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string, what ast.Node) {
		var b bytes.Buffer
		if err := printer.Fprint(&b, set, what); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, pkg+"."+name+": "+strings.Join(strings.Fields(b.String()), " "))
	}
	funcs, values := slices.Clone(d.Funcs), slices.Concat(d.Consts, d.Vars)
	for _, x := range d.Types {
		funcs = append(append(funcs, x.Funcs...), x.Methods...)
		values = slices.Concat(values, x.Consts, x.Vars)
		types(x, add)
	}
	for _, f := range funcs {
		add(strings.TrimPrefix(strings.TrimLeft(f.Recv, "*")+"."+f.Name, "."), f.Decl.Type)
	}
	for _, v := range values {
		for _, name := range v.Names {
			if ast.IsExported(name) {
				lines = append(lines, pkg+"."+name+": value")
			}
		}
	}
	return lines
}

// types adds a type, and the fields or methods that it has.
func types(x *doc.Type, add func(name string, what ast.Node)) {
	for _, s := range x.Decl.Specs {
		spec := s.(*ast.TypeSpec)
		switch of := spec.Type.(type) {
		case *ast.StructType:
			members(spec.Name.Name, of.Fields, add)
		case *ast.InterfaceType:
			members(spec.Name.Name, of.Methods, add)
		default:
			add(spec.Name.Name, spec.Type)
		}
	}
}

func members(of string, fields *ast.FieldList, add func(name string, what ast.Node)) {
	for _, f := range fields.List {
		if len(f.Names) == 0 {
			add(of+".embedded", f.Type)
		}
		for _, name := range f.Names {
			add(of+"."+name.Name, f.Type)
		}
	}
}

// TestExamples: every kept package has an example that runs. That of cmd, whose Main ends the program, is
// docs/module.
func TestExamples(t *testing.T) {
	for _, pkg := range kept {
		tests, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		has := pkg == "cmd"
		for _, name := range tests {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			has = has || bytes.Contains(text, []byte("\nfunc Example")) && bytes.Contains(text, []byte("// Output:"))
		}
		if !has {
			t.Errorf("%s has no example that runs", pkg)
		}
	}
}
