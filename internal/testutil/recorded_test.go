package testutil

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page of recorded runs of clusters names every table and only tests that exist.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "recorded-clusters.md"))
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(page), "## What is compared with nothing")
	for _, m := range regexp.MustCompile("`([a-z/-]+)\\.(Test[A-Za-z]+)`").FindAllStringSubmatch(table, -1) {
		if !hasTest(t, m[1], m[2]) {
			t.Errorf("%s has no %s", m[1], m[2])
		}
	}
	var patterns []string
	for _, m := range regexp.MustCompile("`([a-z0-9_*]+\\.csv)`").FindAllStringSubmatch(table, -1) {
		patterns = append(patterns, m[1])
	}
	for _, path := range Files(t, "oracles/clusters/*.csv") {
		name := filepath.Base(path)
		if !slices.ContainsFunc(patterns, func(p string) bool { ok, _ := filepath.Match(p, name); return ok }) {
			t.Errorf("docs/recorded-clusters.md does not name %s", name)
		}
	}
}

// hasTest reports whether a test is in a folder.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(source), "\nfunc "+name+"(t *testing.T)")
	})
}
