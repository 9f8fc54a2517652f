package rules

import (
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSourcesOfRecordedRows checks that every packed table in a testdata folder is named, by a pattern, in the SOURCE
// of its folder, which names nothing that is not there; and that it is packed the same way everywhere, without a name
// or a time, so that the same rows are the same bytes.
func TestSourcesOfRecordedRows(t *testing.T) {
	tables := map[string][]string{}
	walkFiles(t, func(name string) {
		folder := path.Dir(name)
		if path.Base(folder) == "testdata" && strings.HasSuffix(name, ".gz") {
			tables[folder] = append(tables[folder], strings.TrimSuffix(path.Base(name), ".gz"))
		}
	})
	if len(tables) < 20 {
		t.Fatalf("%d folders have packed tables, expected at least 20", len(tables))
	}
	pattern := regexp.MustCompile(`[a-zA-Z0-9_*.-]+\.(?:csv|json)`)
	for dir, names := range tables {
		text, err := os.ReadFile(filepath.Join(root, dir, "SOURCE"))
		if err != nil {
			t.Error(err)
			continue
		}
		var known []string
		for block := range strings.SplitSeq(strings.ReplaceAll(string(text), "\n  ", " "), "\n") {
			list, _, _ := strings.Cut(block, ": ")
			known = append(known, pattern.FindAllString(list, -1)...)
		}
		fits := func(p, name string) bool { is, err := path.Match(p, name); return is && err == nil }
		for _, name := range names {
			if !slices.ContainsFunc(known, func(p string) bool { return fits(p, name) }) {
				t.Errorf("%s/SOURCE does not say where the rows of %s come from", dir, name)
			}
			checkPacked(t, filepath.Join(root, dir, name+".gz"))
		}
		for _, p := range known {
			if !slices.ContainsFunc(names, func(name string) bool { return fits(p, name) }) {
				t.Errorf("%s/SOURCE names %s, which is not there", dir, p)
			}
		}
	}
}

// checkPacked checks that a packed file has no name and no time in its head, and is whole.
func checkPacked(t *testing.T, file string) {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(strings.NewReader(string(packed)))
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	_, err = io.Copy(io.Discard, r)
	if r.Name != "" || !r.ModTime.IsZero() || err != nil {
		t.Errorf("%s: name %q, time %v, %v; pack it with gzip -9 -n", file, r.Name, r.ModTime, err)
	}
}
