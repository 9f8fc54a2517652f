package rules

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lifePage is the page that TestLife checks.
const lifePage = "docs/design/038-a-preempted-instance.md"

// besides is the section of the page that says what may run besides the scenario, and lifeRoots where that begins.
const besides = "What may run besides"

var lifeRoots = []string{"World.markRevoked", "World.revoke"}

// TestLife checks that the page on the life of a preempted instance says what runs: in the sections of the scenario
// each function of package sim in the order of its first call, with its file; in the section on what may run besides
// every other function that a notice or a revocation can reach by calls.
func TestLife(t *testing.T) {
	source := parseSim(t)
	sections := sectionsOf(readFile(t, lifePage))
	ran := runLife(t, source)
	inScenario := map[string]bool{}
	for _, part := range ran {
		for _, step := range part.steps {
			inScenario[step.function] = true
		}
		if difference := differenceOf(stepsOf(sections[part.name]), part.steps); difference != "" {
			t.Errorf("%s, section %q: %s", lifePage, part.name, difference)
		}
	}
	if len(ran) != 3 {
		t.Errorf("the scenario has %d parts, expected 3", len(ran))
	}

	var may []string
	for _, function := range source.reachable(t, lifeRoots) {
		if !inScenario[function] {
			may = append(may, function)
		}
	}
	listed := namesOf(sections[besides])
	slices.Sort(listed)
	for _, function := range may {
		if !slices.Contains(listed, function) {
			t.Errorf("%s, section %q: %s is missing", lifePage, besides, function)
		}
	}
	for _, function := range listed {
		if !slices.Contains(may, function) {
			t.Errorf("%s, section %q: %s is in the scenario, or no notice and no revocation reaches it", lifePage, besides, function)
		}
	}
}

// TestLifeFinds checks that TestLife can fail.
func TestLifeFinds(t *testing.T) {
	ran := []step{{"World.revoke", "losses.go"}, {"World.retire", "losses.go"}}
	for page, want := range map[string]string{
		"1. `World.revoke` ([losses.go](x)): a\n2. `World.retire` ([losses.go](x)): b": "",
		"1. `World.revoke` ([losses.go](x)): a":                                        "World.retire is missing",
		"1. `World.retire` ([losses.go](x)): a\n2. `World.revoke` ([losses.go](x)): b": "step 1 is World.retire",
		"1. `World.revoke` ([bill.go](x)): a\n2. `World.retire` ([losses.go](x)): b":   "is in losses.go",
		"1. `World.revoke` ([losses.go](x)): a\n2. `World.retire` ([losses.go](x)): b\n" +
			"3. `World.grant` ([grants.go](x)): c": "World.grant does not run",
	} {
		got := differenceOf(stepsOf(page), ran)
		if want == "" && got != "" || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s\ngives %q, expected %q", page, got, want)
		}
	}
}

// A step is a function that runs, "World.revoke", and its file, "losses.go".
type step struct{ function, file string }

// A part of the scenario has its steps in order.
type part struct {
	name  string
	steps []step
}

// differenceOf says how the page differs from what ran, or is empty.
func differenceOf(page, ran []step) string {
	for i, want := range ran {
		switch {
		case i >= len(page):
			return fmt.Sprintf("%s is missing after step %d", want.function, i)
		case page[i].function != want.function:
			return fmt.Sprintf("step %d is %s, but %s runs next", i+1, page[i].function, want.function)
		case page[i].file != want.file:
			return fmt.Sprintf("step %d: %s is in %s, not in %s", i+1, want.function, want.file, page[i].file)
		}
	}
	if len(page) > len(ran) {
		return fmt.Sprintf("%s does not run", page[len(ran)].function)
	}
	return ""
}

// sectionsOf returns the text below each heading "## ".
func sectionsOf(page string) map[string]string {
	sections := map[string]string{}
	for _, section := range strings.Split("\n"+page, "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		sections[name] = text
	}
	return sections
}

var (
	stepLine = regexp.MustCompile("(?m)^[0-9]+\\. `([^`]+)` \\(\\[([a-z]+\\.go)\\]")
	codeText = regexp.MustCompile("`([^`]+)`")
)

// stepsOf returns the steps of a section: its numbered lines.
func stepsOf(section string) []step {
	var steps []step
	for _, match := range stepLine.FindAllStringSubmatch(section, -1) {
		steps = append(steps, step{match[1], match[2]})
	}
	return steps
}

// namesOf returns all that is written as code in a section.
func namesOf(section string) []string {
	var names []string
	for _, match := range codeText.FindAllStringSubmatch(section, -1) {
		names = append(names, match[1])
	}
	return names
}

// simSource is package sim without its tests.
type simSource struct {
	folder string
	files  *token.FileSet
	parsed []*ast.File
	fileOf map[string]string // by function
}

// parseSim reads package sim.
func parseSim(t *testing.T) *simSource {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join(root, "sim"))
	if err != nil {
		t.Fatal(err)
	}
	source := &simSource{folder: folder, files: token.NewFileSet(), fileOf: map[string]string{}}
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if ofTests(name) {
			continue
		}
		file, err := parser.ParseFile(source.files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		source.parsed = append(source.parsed, file)
		for _, decl := range file.Decls {
			if function, is := decl.(*ast.FuncDecl); is {
				source.fileOf[nameOf(function)] = filepath.Base(name)
			}
		}
	}
	return source
}

// nameOf returns the name of a function with its receiver's type: "World.revoke", "resize".
func nameOf(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	if pointer, is := receiver.(*ast.StarExpr); is {
		receiver = pointer.X
	}
	return receiver.(*ast.Ident).Name + "." + function.Name.Name
}

// runLife runs the scenario with a package sim in which each function first says its name.
func runLife(t *testing.T, source *simSource) []part {
	t.Helper()
	work := t.TempDir()
	replaced := map[string]string{}
	put := func(name, text string) {
		there := filepath.Join(work, filepath.Base(name))
		if err := os.WriteFile(there, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[name] = there
	}
	put(filepath.Join(source.folder, "called.go"),
		"package sim\n\nvar Called func(string)\n\nfunc called(name string) {\n\tif Called != nil {\n\t\tCalled(name)\n\t}\n}\n")
	for _, file := range source.parsed {
		name := source.files.File(file.Pos()).Name()
		put(name, withCalls(t, source.files, name, file))
	}
	overlay := filepath.Join(work, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command("go", "run", "-overlay", overlay, "./testdata/life").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	var parts []part
	for _, line := range strings.Split(strings.TrimSpace(string(output)), "\n") {
		if name, is := strings.CutPrefix(line, "# "); is {
			parts = append(parts, part{name: name})
			continue
		}
		last := &parts[len(parts)-1]
		last.steps = append(last.steps, step{line, source.fileOf[line]})
	}
	return parts
}

// withCalls returns a file in which each function first says its name.
func withCalls(t *testing.T, files *token.FileSet, name string, file *ast.File) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := string(text)
	for _, decl := range slices.Backward(file.Decls) { // from the end, so that places before stay
		function, is := decl.(*ast.FuncDecl)
		if is && function.Body != nil {
			at := files.Position(function.Body.Lbrace).Offset + 1
			out = out[:at] + fmt.Sprintf(" called(%q); ", nameOf(function)) + out[at:]
		}
	}
	return out
}

// reachable returns the functions of package sim that calls from some of them can reach, these too. A call of an
// interface's method leaves the package.
func (s *simSource) reachable(t *testing.T, from []string) []string {
	t.Helper()
	// A test that was built with -trimpath does not know where the standard library is.
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	build.Default.GOROOT = strings.TrimSpace(string(goroot))
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(s.files, "source", nil)}
	if _, err := config.Check("github.com/marigram/marigram/sim", s.files, s.parsed, info); err != nil {
		t.Fatal(err)
	}
	names := map[types.Object]string{}
	bodies := map[string]*ast.FuncDecl{}
	for _, file := range s.parsed {
		for _, decl := range file.Decls {
			if function, is := decl.(*ast.FuncDecl); is {
				names[info.Defs[function.Name]] = nameOf(function)
				bodies[nameOf(function)] = function
			}
		}
	}
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] || bodies[name] == nil {
			return
		}
		seen[name] = true
		ast.Inspect(bodies[name], func(node ast.Node) bool {
			if ident, is := node.(*ast.Ident); is {
				object := info.Uses[ident]
				if function, is := object.(*types.Func); is {
					object = function.Origin()
				}
				visit(names[object])
			}
			return true
		})
	}
	for _, name := range from {
		if bodies[name] == nil {
			t.Fatalf("package sim has no function %s", name)
		}
		visit(name)
	}
	var all []string
	for name := range seen {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
