package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readers are the files, of those that a call of marigram mcp can reach, that open local files by themselves, and why they may.
var readers = map[string]string{
	"traces/catalogue/origin.go":   "the files of sets that are pulled, and checked",
	"traces/formats/import.go":     "names in a folder that internal/store has looked at; their files are opened there",
	"calibrate/stalls/summary.go":  "marigram calibrate only",
	"experiments/judge/set.go":     "marigram judge only",
	"internal/atomicfile/sweep.go": "what is left of files that were being written", "internal/atomicfile/file.go": "what is written",
	"internal/atomicfile/folder.go": "what is written",
}

var opening = regexp.MustCompile(`\bos\.(Open|OpenFile|ReadFile|ReadDir|DirFS|OpenRoot|OpenInRoot)\(|\bfilepath\.(Walk|WalkDir|Glob)\(`)

// All inputs are opened by internal/store, which can be confined to a folder (store.Confine). Commands and programs in
// folders of their own open theirs.
func TestReads(t *testing.T) {
	found := map[string]bool{}
	for _, name := range goFiles(t) {
		name = filepath.ToSlash(name)
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "test/") || regexp.MustCompile(
			`^(cmd|tools|internal/(store|testutil)|policies/plugin/confine)/`).MatchString(name) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !opening.Match(text) {
			continue
		}
		if found[name] = true; readers[name] == "" {
			t.Errorf("%s opens files by itself; expected store.OpenInput or another function of internal/store", name)
		}
	}
	for name := range readers {
		if !found[name] {
			t.Errorf("%s opens no files any more: take it off the list", name)
		}
	}
}
