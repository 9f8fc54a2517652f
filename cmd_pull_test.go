package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A set is pulled from the copy beside the repository, once, and then read by
// its name.
func TestPullFromACopy(t *testing.T) {
	from := filepath.Join("..", "shared", "traces")
	if _, err := os.Stat(filepath.Join(from, "bamboo-preemption-traces")); err != nil {
		t.Skipf("recorded data is not here: %v", err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", os.Getenv("XDG_CACHE_HOME"))
	for _, want := range []string{"1 files, 344 rows in 1 pools", "bamboo-aws-p3: is there"} {
		code, stdout, stderr := marigram("traces", "pull", "bamboo-aws-p3", "--from", from)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Fatalf("exit %d, %s%s, expected %q", code, stdout, stderr, want)
		}
	}
	if _, stdout, _ := marigram("traces", "list"); !strings.Contains(stdout, "bamboo-aws-p3  [pulled]") {
		t.Errorf("not listed as pulled:\n%s", stdout)
	}
	if code, stdout, stderr := marigram("traces", "stats", "pulled:bamboo-aws-p3"); code != 0 || !strings.Contains(stdout, "bamboo-aws-p3 (autoscaling_pool)") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}
