// Package testutil has what tests of several packages need: golden files, recorded tables and public data sets,
// texts in the formats of others, and a headless browser.
package testutil

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// AttrRows is the attribute with which a test says what it compares: a table, or a part of one (table#part), and its
// rows, for example "papers/bamboo/testdata/bamboo_cases.csv 18". make test adds them up.
const AttrRows = "recorded-rows"

// Table returns the lines of a table of recorded rows, its head first if it has one. The path is that of the
// repository, without the .gz of the file; SOURCE in its folder says where the rows come from.
func Table(t testing.TB, path string) [][]string {
	t.Helper()
	all := read(t, path)
	Compared(t, path, len(all)-1)
	return all
}

func read(t testing.TB, path string) [][]string {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(unpack(t, path))).ReadAll()
	if err != nil {
		t.Fatalf("%s.gz: %v", path, err)
	}
	return all
}

// Data returns what a file of recorded rows holds that is not a table, and says that n rows of it are compared.
func Data(t testing.TB, path string, rows int) []byte {
	t.Helper()
	Compared(t, path, rows)
	return unpack(t, path)
}

// Compared says that a test compares all rows of a table.
func Compared(t testing.TB, path string, rows int) { t.Attr(AttrRows, path+" "+strconv.Itoa(rows)) }

// Has reports whether there is a table.
func Has(t testing.TB, path string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(Root(t), filepath.FromSlash(path)+".gz"))
	return err == nil
}

func unpack(t testing.TB, path string) []byte {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join(Root(t), filepath.FromSlash(path)+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("%s.gz: %v", path, err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s.gz: %v", path, err)
	}
	return plain
}

// Part returns the rows of a table that a test compares where others compare the rest, for instance with other public
// sets.
func Part(t testing.TB, path, part string, keep func(row map[string]string) bool) []map[string]string {
	t.Helper()
	rows := slices.DeleteFunc(byColumn(read(t, path)), func(row map[string]string) bool { return !keep(row) })
	Compared(t, path+"#"+part, len(rows))
	return rows
}

// Rows is Table with its rows by column.
func Rows(t testing.TB, path string) []map[string]string {
	t.Helper()
	return byColumn(Table(t, path))
}

func byColumn(all [][]string) (rows []map[string]string) {
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Files returns the paths, as Rows takes them, of the tables that fit a pattern (filepath.Match), of which there is at
// least one.
func Files(t testing.TB, pattern string) (paths []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(Root(t), filepath.FromSlash(pattern)+".gz"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s.gz: %v, %d files, expected some", pattern, err, len(found))
	}
	for _, f := range found {
		path, err := filepath.Rel(Root(t), f)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, strings.TrimSuffix(filepath.ToSlash(path), ".gz"))
	}
	return paths
}

// Root returns the folder of go.mod.
func Root(t testing.TB) string {
	t.Helper()
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

// AttrMissing is the attribute with which a test says for want of what it is skipped: the name of a public data
// set, or of a published file. make test says how many rows are not compared therefore.
const AttrMissing = "recorded-missing"

// EnvPulled names the environment variable in which make test says which sets are there. Tests that need one read it,
// so that go test knows that what it remembers of them is out of date.
const EnvPulled = "MARIGRAM_PULLED"

// GetData is the one command that gets everything that tests need.
const GetData = "make data gets it (make data FROM=folder from a local copy)"

// Published returns the path of a file, or a folder, of recorded data as it was published, where make data puts it:
// below marigram/files in the user's folder for caches, by the name of the set's folder. The test is skipped without
// it.
func Published(t testing.TB, path ...string) string {
	t.Helper()
	_ = os.Getenv(EnvPulled)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(path...)
	full := filepath.Join(cache, "marigram", "files", name)
	if _, err := os.Stat(full); err != nil {
		set, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		Missing(t, cmp.Or(set, "published files"))
	}
	return full
}

// PublishedTable returns the lines of a published CSV, its head first if it has one.
func PublishedTable(t testing.TB, path ...string) [][]string {
	t.Helper()
	f, err := os.Open(Published(t, path...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", f.Name(), err)
	}
	return all
}

// CachedRows returns the rows of a CSV table, packed with gzip if its name says so, that no command gets: somebody put
// it into the folder of a set where Published looks. The test is skipped without it.
func CachedRows(t testing.TB, set, name string) (rows []map[string]string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(cache, "marigram", "files", set, name))
	if err != nil {
		t.Attr(AttrMissing, set)
		t.Skipf("the recorded tables %q are not here: %v", set, err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	all, err := csv.NewReader(in).ReadAll()
	if err != nil || len(all) < 2 {
		t.Fatalf("%s: %v, %d lines", name, err, len(all))
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, column := range all[0] {
			row[column] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Missing skips a test for want of a recorded set.
func Missing(t testing.TB, what string) {
	t.Helper()
	t.Attr(AttrMissing, what)
	t.Skipf("%s is not here; %s", what, GetData)
}
