package testutil

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Table returns the lines of ../shared/path, its head first if it has one. The test is skipped
// where the tables are not there.
func Table(t testing.TB, path string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(root(t), "..", "shared", path))
	if err != nil {
		t.Skip("the recorded tables are not next to the repository: ", err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Path returns where ../shared/path is, and whether it is there.
func Path(t testing.TB, path string) (full string, there bool) {
	full = filepath.Join(root(t), "..", "shared", path)
	_, err := os.Stat(full)
	return full, err == nil
}

// Rows is Table with its rows by column.
func Rows(t testing.TB, path string) []map[string]string {
	t.Helper()
	all := Table(t, path)
	var rows []map[string]string
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Files returns the paths, as Rows takes them, of the tables that fit a pattern
// (filepath.Match). The test is skipped where there are none.
func Files(t testing.TB, pattern string) (paths []string) {
	t.Helper()
	shared := filepath.Join(root(t), "..", "shared")
	found, err := filepath.Glob(filepath.Join(shared, pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Skip("the recorded tables are not next to the repository: ", pattern)
	}
	for _, f := range found {
		path, err := filepath.Rel(shared, f)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// root returns the folder of go.mod.
func root(t testing.TB) string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod above the test")
	return ""
}

// Number returns a cell as a number.
func Number(t testing.TB, cell string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
