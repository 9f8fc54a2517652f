package formats_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

// The same bytes under two names are noted, and refused for jobs; a file that no
// format can be in says why; an empty file in a folder is skipped.
func TestSameBytesAndOddFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	jobs := example(t, "jobs-csv")
	if _, _, err := formats.Import("", []string{put("a.csv", jobs), put("b.csv", jobs)}, traces.Options{}); err == nil ||
		!strings.Contains(err.Error(), "b.csv: holds the same bytes as") {
		t.Errorf("jobs twice: %v", err)
	}
	nodes := example(t, "node-events")
	if _, r, err := formats.Import("", []string{put("n/a.csv", nodes), put("n/b.csv", nodes), put("n/c.csv", "")}[:2], traces.Options{}); err != nil ||
		!strings.Contains(strings.Join(r.Notes, "\n"), "b.csv holds the same bytes as a.csv") {
		t.Errorf("two places: %v, notes %q", err, r.Notes)
	}
	if _, r, err := formats.Import("", []string{filepath.Join(dir, "n")}, traces.Options{}); err != nil || len(r.Skipped) != 1 {
		t.Errorf("a folder with an empty file: %v, skipped %q", err, r.Skipped)
	}
	if _, _, err := formats.Import("", []string{put("u.json", "\xff\xfe{\x00}\x00")}, traces.Options{}); err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16: %v", err)
	}
}

// example returns how files of a format begin.
func example(t testing.TB, format string) string {
	t.Helper()
	f, err := formats.Named(format)
	if err != nil {
		t.Fatal(err)
	}
	return f.Example
}
