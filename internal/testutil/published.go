package testutil

import (
	"cmp"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// AttrMissing is the attribute with which a test says for want of what it is skipped: the name of a public data
// set, or of a published file. make test says how many rows are not compared therefore.
const AttrMissing = "recorded-missing"

// EnvPulled names the environment variable in which make test says which sets are there. Tests that need one read it,
// so that go test knows that what it remembers of them is out of date.
const EnvPulled = "MARIGRAM_PULLED"

// GetData is the one command that gets everything that tests need.
const GetData = "make data gets it (make data FROM=folder from a local copy)"

// Published returns the path of a file, or a folder, of recorded data as it was published, where make data puts
// it: below marigram/files in the user's folder for caches, by the name of the set's folder. The test is skipped without it.
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

// Missing skips a test for want of a recorded set.
func Missing(t testing.TB, what string) {
	t.Helper()
	t.Attr(AttrMissing, what)
	t.Skipf("%s is not here; %s", what, GetData)
}
