package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The module of docs/module compiles, its program too, and its own tests pass: the suite of its policy, and the plan of its
// sweep. It is built without the network, with the checksums and the modules of this one.
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
	dir := filepath.Join(t.TempDir(), "steady")
	if err := os.CopyFS(dir, os.DirFS("docs/module")); err != nil {
		t.Fatal(err)
	}
	buildModule(t, tool, here, dir, []string{"list", "-export", "-f", "", "./..."}, []string{"test", "-vet=off", "./..."})
}
