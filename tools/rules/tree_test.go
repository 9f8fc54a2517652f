package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the root of the repository, seen from this package.
const root = "../.."

// walkFiles calls visit with the path of every file below the root, relative to it and with slashes. Folders of
// testdata, and those that hold what was built or downloaded, are left out.
func walkFiles(t *testing.T, visit func(name string)) {
	t.Helper()
	built := map[string]bool{"out": true, "bin": true, "site": true, "dist": true, "shared": true}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			visit(name)
			return nil
		}
		hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
		top := !strings.Contains(name, "/")
		if hidden || top && built[name] {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inTestdata reports whether a file is below a folder testdata.
func inTestdata(name string) bool {
	return strings.Contains("/"+name, "/testdata/")
}

// readFile returns a file of the repository.
func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// goFiles returns the Go files of the repository and of its other modules, tests included.
func goFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	walkFiles(t, func(name string) {
		if strings.HasSuffix(name, ".go") && !inTestdata(name) {
			names = append(names, name)
		}
	})
	if len(names) < 500 {
		t.Fatalf("%d Go files were found, expected at least 500: is %s the root?", len(names), root)
	}
	return names
}
