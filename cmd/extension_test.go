package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// A module of its own that registers a policy, a format and a family of models has
// the whole command with them (testdata/extension). It is built without the network,
// with the checksums and the modules of this one.
func TestExtension(t *testing.T) {
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
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), string(sums))
	replace := "-replace=github.com/marigram/marigram=" + here
	for _, args := range [][]string{{"mod", "edit", replace}, {"build", "-mod=mod", "-o", bin, "."}} {
		cmd := exec.Command(tool, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	return bin
}
