package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each spec of the folder examples runs as it is, and README names it.
func TestExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("examples/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.Contains(string(readme), "["+strings.TrimPrefix(file, "examples/")+"]("+file+")") {
			t.Errorf("README does not name %s", file)
		}
		args := []string{"run", file}
		if !strings.Contains(file, "own-prices") { // its runs differ by their starts
			args = append(args, "--seeds", "2")
		}
		code, stdout, stderr := marigram(args...)
		if code != 0 || !strings.Contains(stdout, "runs per policy") || strings.Contains(stdout, "error:") {
			t.Errorf("%s: exit %d\n%s%s", file, code, stdout, stderr)
		}
	}
}
