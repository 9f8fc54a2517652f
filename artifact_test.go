package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/claims"
	"github.com/marigram/marigram/traces"
)

// What ARTIFACT.md says of each figure is what comes out: how many numbers, how
// many of them open, and the largest relative error. -update writes it, with the
// seconds of this machine, which are not compared.
func TestArtifact(t *testing.T) {
	if testing.Short() {
		t.Skip("short: all published numbers")
	}
	pullHistories(t)
	list, err := claims.Select()
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := claims.Run(t.Context(), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newClaimsReport("", outcomes, false)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("ARTIFACT.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- figures -->\n", "<!-- end of figures -->"
	before, rest, _ := strings.Cut(string(data), begin)
	table, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("ARTIFACT.md has no %s and %s", begin, end)
	}
	var rows strings.Builder
	for _, f := range r.Figures {
		row, seconds := artifactRow(&f)
		fmt.Fprintf(&rows, "%s %.1f |\n", row, seconds)
		if !notPulled(&f) && !strings.Contains(table, row) && !*update {
			t.Errorf("ARTIFACT.md lacks\n%s\n(go test -run TestArtifact . -update)", row)
		}
	}
	if n := strings.Count(table, "`marigram reproduce "); n != len(r.Figures) && !*update {
		t.Errorf("ARTIFACT.md has %d figures, there are %d", n, len(r.Figures))
	}
	if *update {
		head := "| command | source | numbers | open | largest error | seconds |\n|---|---|--:|--:|--:|--:|\n"
		write(t, "ARTIFACT.md", before+begin+head+rows.String()+end+after)
	}
}

// pullHistories takes the recorded histories that claims need from ../shared, if
// that is there, into a cache of its own.
func pullHistories(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	from := filepath.Join("..", "shared", "traces")
	if _, err := os.Stat(from); err != nil {
		t.Logf("figures of recorded histories are not compared: %v", err)
		return
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^HISTORIES\s*:= (.*)$`).FindSubmatch(makefile)
	cache, err := traces.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(names[1])) {
		e, err := traces.EntryNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := traces.Pull(t.Context(), e, traces.PullOptions{From: from, Cache: cache}); err != nil {
			t.Fatal(err)
		}
	}
}

// notPulled reports whether a figure needs a history that is not here.
func notPulled(f *claimsFigure) bool {
	return strings.Contains(f.Claims[0].Reason, "is not pulled")
}

// artifactRow is what ARTIFACT.md says of a figure but for its seconds.
func artifactRow(f *claimsFigure) (row string, seconds float64) {
	source, _, _ := strings.Cut(f.Claims[0].Source, ";")
	worst := -1.0
	for _, c := range f.Claims {
		if c.Verdict == claims.Pass && c.Kind == claims.Relative {
			worst = max(worst, *c.Error)
		}
	}
	largest := ""
	if worst >= 0 {
		largest = percent(worst)
	}
	return fmt.Sprintf("| `marigram reproduce %s` | %s | %d | %d | %s |", f.Name, source, len(f.Claims), f.Open, largest), f.Claims[0].Seconds
}
