package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// A module of its own that registers a policy, a format, a family and a kind of models has
// the whole command with them (testdata/extension). It is built without the network,
// with the checksums and the modules of this one.
func TestProgramsExtension(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: compiles another program")
	}
	bin := buildExtension(t)
	testscript.Run(t, testscript.Params{
		Files: []string{"cmd/testdata/extension/mine.txt"},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			return nil
		},
	})
}

// What docs/library.md shows of a kind of models is a part of the one that is built and run.
func TestLibraryShowsKind(t *testing.T) {
	code, err := os.ReadFile("cmd/testdata/extension/table.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(code), "\n"); lines > 120 {
		t.Errorf("the file has %d lines, expected at most 120", lines)
	}
	for _, b := range blocks(string(page)) {
		text := strings.Join(b.lines, "\n") + "\n"
		if strings.Contains(text, "model.Register(") && strings.Contains(string(code), text) {
			return
		}
	}
	t.Error("docs/library.md shows no part of cmd/testdata/extension/table.go that registers its kind")
}

// buildExtension returns the folder of its program.
func buildExtension(t *testing.T) string {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no Go tool to build another module with:", err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), filepath.Join(t.TempDir(), "mine")
	if err := os.CopyFS(dir, os.DirFS("cmd/testdata/extension")); err != nil {
		t.Fatal(err)
	}
	buildModule(t, tool, here, dir, []string{"build", "-ldflags=-s -w", "-o", bin, "."})
	return bin
}

// buildModule runs the Go tool in a module of its own, with the checksums and the modules of this one. Both are in a
// workspace, so that what is compiled for this one is not compiled once more. A workspace needs the go.mod of modules of
// which this one alone uses no package: on a new machine they are fetched from the proxy that the user has set.
func buildModule(t *testing.T, tool, here, dir string, commands ...[]string) {
	t.Helper()
	work := filepath.Join(t.TempDir(), "go.work")
	write(t, work, fmt.Sprintf("go 1.26.0\n\nuse (\n\t%q\n\t%q\n)\n", here, dir))
	const self = "github.com/marigram/marigram"
	drop := []string{"mod", "edit", "-droprequire=" + self, "-dropreplace=" + self}
	for _, args := range append([][]string{drop}, commands...) {
		cmd := exec.Command(tool, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK="+work)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
}
