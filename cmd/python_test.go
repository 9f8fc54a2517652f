package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
)

// The package for Python is installed into an empty environment, without the network, with this program; there its
// table is that of the command, a policy and an environment run, and so do the cells of the notebook.
func TestProgramsPython(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: makes an environment of Python")
	}
	python := testutil.Python(t)
	program, err := exec.LookPath("marigram")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "MARIGRAM_PROGRAM=" + program, "PYTHONDONTWRITEBYTECODE=1", "TMPDIR=" + os.TempDir()}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", filepath.Join(dir, "empty")).CombinedOutput(); err != nil {
		t.Skipf("python3 makes no environments: %v\n%s", err, out)
	}
	bin := filepath.Join(dir, "empty", "bin")
	if runtime.GOOS == "windows" {
		bin = filepath.Join(dir, "empty", "Scripts")
	}
	run(python, "-m", "pip", "--python", filepath.Join(bin, "python"), "install", "--no-index", "--disable-pip-version-check", "./python")
	if out := run(filepath.Join(bin, "marigram"), "--version"); !strings.HasPrefix(out, "marigram version ") {
		t.Errorf("the installed program says %s", out)
	}
	run(filepath.Join(bin, "python"), "cmd/testdata/python/check.py", bin)
	if out := run(filepath.Join(bin, "python"), "python/cells.py", "python/quickstart.ipynb"); !strings.Contains(out, "\nreward ") {
		t.Errorf("the notebook says %s", out)
	}
}

// Environments keep the rules of Gymnasium's checker, and pass it where Gymnasium is installed.
func TestProgramsGymnasium(t *testing.T) {
	t.Parallel()
	python := testutil.Python(t)
	run := func(t *testing.T, args ...string) (string, *exec.ExitError) {
		t.Helper()
		c := exec.Command(python, append([]string{"cmd/testdata/python/gymrules.py"}, args...)...)
		c.Env = append(os.Environ(), "PYTHONPATH=python", "PYTHONDONTWRITEBYTECODE=1")
		out, err := c.CombinedOutput()
		if exit, is := err.(*exec.ExitError); is {
			return string(out), exit
		} else if err != nil {
			t.Fatal(err)
		}
		return string(out), nil
	}
	t.Run("rules", func(t *testing.T) {
		if out, failed := run(t, "quickstart", "cluster-starburst"); failed != nil {
			t.Errorf("%v\n%s", failed, out)
		}
	})
	t.Run("checker", func(t *testing.T) {
		out, failed := run(t, "checker")
		if failed != nil && failed.ExitCode() == 3 {
			t.Skip("Gymnasium is not installed, its checker did not run: " + out)
		}
		if failed != nil {
			t.Errorf("%v\n%s", failed, out)
		}
	})
}
