package testutil

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// FindPython returns the path of Python 3's interpreter, and puts its folder first on PATH: what is called python3 may be a script
// that looks for it, which takes half a second at each start.
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
