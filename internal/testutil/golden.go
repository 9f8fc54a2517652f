package testutil

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// UpdateGolden is whether files are written.
var UpdateGolden = flag.Bool("update", false, "write the golden files anew")

// GoldenText compares a text with a file, whose path is relative to the test's folder, or writes it.
func GoldenText(t testing.TB, file, text string) {
	t.Helper()
	if *UpdateGolden {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != text {
		dir, _ := os.Getwd()
		t.Errorf("%s is not what the code says (%v): go test -run '^%s$' -update in the folder %s writes it",
			file, err, t.Name(), filepath.Base(dir))
	}
}

var full = flag.Bool("full", false,
	"tests of many cases have all of them (make -C tools suites), not the part that make test has")

// Size is the number of cases of a test: a part, or all with -args -full.
func Size(part, all int) int {
	if *full {
		return all
	}
	return part
}

// FindPython returns the path of Python 3's interpreter, and puts its folder first on PATH: what is called python3 may
// be a script that looks for it, which takes half a second at each start.
var FindPython = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("python3", "-I", "-S", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "", err
	}
	path := strings.TrimSpace(string(out))
	if path == "" {
		return "", errors.New("python3 does not know where it is")
	}
	return path, os.Setenv("PATH", filepath.Dir(path)+string(filepath.ListSeparator)+os.Getenv("PATH"))
})

// Python is FindPython for a test, which is skipped where there is none.
func Python(t testing.TB) string {
	t.Helper()
	path, err := FindPython()
	if err != nil {
		t.Skip("python3 is not installed: ", err)
	}
	return path
}
