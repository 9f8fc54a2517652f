package main

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var updateImports = flag.Bool("update-imports", false, "write imports.txt anew")

const module = "github.com/marigram/marigram"

// The packages import what imports.txt says, all of it, and nothing else.
func TestImports(t *testing.T) {
	allowed := readImports(t)
	list := `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}` +
		`{{range .TestImports}}{{$p}} {{.}} (tests){{"\n"}}{{end}}{{range .XTestImports}}{{$p}} {{.}} (tests){{"\n"}}{{end}}`
	out, err := exec.Command("go", "list", "-f", list, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(fields) < 2 || fields[0] == fields[1] || !strings.Contains(strings.Split(fields[1], "/")[0], ".") {
			continue // of the standard library
		}
		arrow := find(allowed, ours(fields[0]), ours(fields[1]), len(fields) == 3)
		if arrow == "" && *updateImports {
			arrow = strings.TrimSuffix(ours(fields[0])+" "+append(fields, "")[2], " ") + " -> " + ours(fields[1])
			allowed[arrow] = true
		}
		if arrow == "" {
			t.Errorf("imports.txt has no %s -> %s, found in its %s", ours(fields[0]), ours(fields[1]), append(fields, "code")[2])
		}
		used[arrow] = true
	}
	if *updateImports {
		writeImports(t, slices.Sorted(maps.Keys(used)))
		return
	}
	for arrow := range allowed {
		if !used[arrow] {
			t.Errorf("imports.txt has %q, which is not in use", arrow)
		}
	}
}

// ours returns the folder of a package of the module, "." of its root; and others
// as they are.
func ours(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

// readImports returns the lines of imports.txt.
func readImports(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("imports.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines[line] = true
		}
	}
	return lines
}

// writeImports writes the lines of imports.txt anew, below its head. A new import of a module of others names the package: shorten it to the module.
func writeImports(t *testing.T, lines []string) {
	t.Helper()
	text, err := os.ReadFile("imports.txt")
	if err != nil {
		t.Fatal(err)
	}
	head, rest := "", string(text)
	for strings.HasPrefix(rest, "#") {
		line, after, _ := strings.Cut(rest, "\n")
		head, rest = head+line+"\n", after
	}
	if err := os.WriteFile("imports.txt", []byte(head+strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// find returns the line that allows an import: one of code allows it to tests, one of
// a module all of its packages, and one of * those of every package.
func find(allowed map[string]bool, from, to string, test bool) string {
	for path := to; ; {
		for _, line := range []string{from + " -> " + path, from + " (tests) -> " + path, "* (tests) -> " + path} {
			if allowed[line] && (test || !strings.Contains(line, "(tests)")) {
				return line
			}
		}
		end := strings.LastIndex(path, "/")
		if end < 0 || !strings.Contains(strings.Split(path, "/")[0], ".") {
			return ""
		}
		path = path[:end]
	}
}

// The heavy parts of Arrow pull gRPC in; the product does without.
func TestNoPqarrow(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"pqarrow", "google.golang.org/grpc", "arrow/go/v15/arrow/compute"} {
		if strings.Contains(string(out), heavy) {
			t.Errorf("%s is linked into the program", heavy)
		}
	}
}
