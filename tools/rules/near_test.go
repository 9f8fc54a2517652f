package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// TestNear checks that tests compare numbers with internal/near.
func TestNear(t *testing.T) {
	files := 0
	walkFiles(t, func(name string) {
		if !ofTests(name) || strings.HasPrefix(name, "internal/near/") {
			return
		}
		files++
		for _, place := range byHand(t, filepath.Join(root, name), nil) {
			t.Errorf("%s compares a number by hand. math.Abs(got-want) > tolerance is false where got is NaN, so that "+
				"the test passes, and so does a loop that never runs: use internal/near (check := near.Count(t); "+
				"check.Abs, check.Off, check.OffRel, check.Above)", place)
		}
	})
	if files < 500 {
		t.Errorf("%d files of tests were read, expected at least 500", files)
	}
}

// TestNearFinds checks that TestNear can fail.
func TestNearFinds(t *testing.T) {
	const head = "package p\nimport \"math\"\nfunc f(a, b, worst float64) bool {\n"
	for body, want := range map[string]int{
		"return math.Abs(a-b) > 1":                                            1,
		"return 1 < math.Abs(a-b) || math.Abs(a/b-1) >= 1":                    2,
		"return !(math.Abs(a-b) <= 1)":                                        1,
		"d := math.Abs(a-b)\nreturn d > 1":                                    1,
		"if d := (math.Abs(a - b)); 1 < d { return true }; return false":      1,
		"return max(worst, math.Abs(a-b)) > 1":                                1,
		"worst = max(worst, math.Abs(a-b))\nreturn worst > 1":                 1,
		"return math.Abs(a-b)/b > 1":                                          1,
		"return off(a, b, 1e-9*math.Abs(b))":                                  0,
		"if d := math.Abs(a - b); d < worst { worst = d }; return worst == 0": 0, // the nearest of some
	} {
		if got := byHand(t, "x_test.go", head+body+"\n}\n"); len(got) != want {
			t.Errorf("%q: %v, expected %d", body, got, want)
		}
	}
}

// ofTests reports whether a file is of a test: its own, or that of a package which serves tests.
func ofTests(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".go") && strings.HasSuffix(path.Dir(name), "test")
}

// byHand returns the places at which a file compares a distance (math.Abs) itself: as it stands, as a part of a
// quotient or of max, or under the name that it was given in the function.
func byHand(t *testing.T, name string, source any) (places []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		named := distances(d)
		ast.Inspect(d, func(n ast.Node) bool {
			c, ok := n.(*ast.BinaryExpr)
			if !ok {
				return true
			}
			less := c.Op == token.LSS || c.Op == token.LEQ
			if far := c.Op == token.GTR || c.Op == token.GEQ; !far && !less {
				return true
			}
			larger := map[bool]ast.Expr{true: c.Y, false: c.X}[less] // what is to be small
			if distance(c.X) || distance(c.Y) || named[fmt.Sprint(ast.Unparen(larger))] {
				places = append(places, set.Position(c.Pos()).String())
			}
			return true
		})
	}
	return places
}

// distances returns the variables that are distances.
func distances(d ast.Decl) map[string]bool {
	named := map[string]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, x := range a.Rhs {
				if distance(x) {
					named[fmt.Sprint(a.Lhs[i])] = true
				}
			}
		}
		return true
	})
	return named
}

// distance reports whether x is a distance: math.Abs, the largest of some, or a part of one.
func distance(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		return x.Op == token.QUO && distance(x.X)
	case *ast.CallExpr:
		switch f := x.Fun.(type) {
		case *ast.SelectorExpr:
			return fmt.Sprint(f.X, ".", f.Sel) == "math.Abs"
		case *ast.Ident:
			for _, part := range x.Args {
				if f.Name == "max" && distance(part) {
					return true
				}
			}
		}
	}
	return false
}
