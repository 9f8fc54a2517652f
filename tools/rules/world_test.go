package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorld checks that no method of package sim takes the world that it belongs to (docs/design/037): a world among
// its parameters is another one, called dst.
func TestWorld(t *testing.T) {
	functions := 0
	walkFiles(t, func(name string) {
		if filepath.ToSlash(filepath.Dir(name)) != "sim" || ofTests(name) || !strings.HasSuffix(name, ".go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			function, is := decl.(*ast.FuncDecl)
			if !is {
				continue
			}
			functions++
			if takesWorld(function) {
				t.Errorf("%s: %s takes a *World: what connects parts is a method of World", name, function.Name.Name)
			}
		}
	})
	if functions < 300 {
		t.Errorf("%d functions of sim were read, expected at least 300", functions)
	}
}

// TestWorldFinds checks that TestWorld can fail.
func TestWorldFinds(t *testing.T) {
	for source, want := range map[string]bool{
		"func (f *fleet) revoke(w *World, i int32) {}": true,
		"func revoke(i int32, world *World) {}":        true,
		"func (w *World) Fork(dst *World) {}":          false,
		"func (w *World) revoke(i int32) {}":           false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package sim\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := takesWorld(file.Decls[0].(*ast.FuncDecl)); got != want {
			t.Errorf("%s: %v, expected %v", source, got, want)
		}
	}
}

// takesWorld reports whether a function has a *World among its parameters that is not called dst.
func takesWorld(function *ast.FuncDecl) bool {
	for _, field := range function.Type.Params.List {
		pointer, is := field.Type.(*ast.StarExpr)
		if !is {
			continue
		}
		if name, is := pointer.X.(*ast.Ident); !is || name.Name != "World" {
			continue
		}
		for _, name := range field.Names {
			if name.Name != "dst" {
				return true
			}
		}
	}
	return false
}
