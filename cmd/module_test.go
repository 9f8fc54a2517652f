package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The module of docs/module compiles, its program too, and its own tests pass: the suite of its policy, and the plan of
// its sweep. It is built without the network, with the checksums and the modules of this one.
func TestProgramsModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: compiles another program")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no Go tool to build another module with:", err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	beside := t.TempDir()
	dir := filepath.Join(beside, "steady")
	if err := os.CopyFS(dir, os.DirFS("docs/module")); err != nil {
		t.Fatal(err)
	}
	// As docs/library.md has it: the copy lies beside a checkout, which its go.mod names.
	if err := os.Symlink(here, filepath.Join(beside, "marigram")); err != nil {
		t.Skip("no links:", err)
	}
	list := exec.Command(tool, "list", "-mod=mod", "-m", "-f", "{{.Replace.Path}} {{.Replace.GoMod}}", "github.com/marigram/marigram")
	list.Dir = dir
	list.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := list.CombinedOutput()
	if want := "../marigram " + filepath.Join(beside, "marigram", "go.mod"); err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("the module is taken from %q, %v, expected %q", out, err, want)
	}
	buildModule(t, tool, here, dir, []string{"list", "-export", "-f", "", "./..."}, []string{"test", "-vet=off", "./..."})
}
