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
	page, err := os.ReadFile(filepath.Join(Root(t), "papers", "RECORDED.md"))
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(page), "### What is compared with nothing")
	for _, m := range regexp.MustCompile("`([a-z/-]+)\\.(Test[A-Za-z]+)`").FindAllStringSubmatch(table, -1) {
		if !hasTest(t, m[1], m[2]) {
			t.Errorf("%s has no %s", m[1], m[2])
		}
	}
	var patterns []string
	for _, m := range regexp.MustCompile("`([a-z0-9_*]+\\.csv)`").FindAllStringSubmatch(table, -1) {
		patterns = append(patterns, m[1])
	}
	// Files of speeds and prices, which hold no runs of a cluster.
	const others = "gavel_throughputs.csv gavel_colocation_throughputs.csv gavel_job_types.csv tiresias_gittins_gpu_seconds.csv " +
		"dime_throughputs.csv dime_regions.csv dime_days.csv"
	var paths []string
	for _, paper := range []string{"blox", "dally", "dynamic-pricing", "gavel", "starburst", "tiresias"} {
		paths = append(paths, Files(t, "papers/"+paper+"/testdata/*.csv")...)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if !slices.Contains(strings.Fields(others), name) && !slices.ContainsFunc(patterns, func(p string) bool { ok, _ := filepath.Match(p, name); return ok }) {
			t.Errorf("papers/RECORDED.md does not name %s", name)
		}
	}
}

// hasTest reports whether a test is in a folder.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Root(t), folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(source), "\nfunc "+name+"(t *testing.T)")
	})
}
