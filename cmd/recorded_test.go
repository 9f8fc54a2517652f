package cmd

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil/pulled"
)

// The table of recorded machines in README is what the program prints, also from
// starts and adapters that it names: never late under the other adapter, and the
// dollars that README says.
func TestDocumentsRecorded(t *testing.T) {
	pulled.Dir(t, "skynomad-aws-v100")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	all := blocks(string(text))
	at := slices.IndexFunc(all, func(b block) bool { return len(b.lines) > 0 && strings.Contains(b.lines[0], "run recorded") })
	if at < 0 {
		t.Fatal("README has no table of recorded machines")
	}
	_, policies, _ := strings.Cut(all[at].lines[0], "--policy ")
	policies, _, _ = strings.Cut(policies, " ")
	code, stdout, stderr := marigram("run", "recorded", "--policy", policies)
	if code != 0 || stderr != "" {
		t.Fatal(code, stderr)
	}
	printed := strings.Split(stdout, "\n")
	for _, line := range all[at].lines[1:] {
		if !slices.Contains(printed, line) {
			t.Errorf("README has %q, the program prints\n%s", line, stdout)
		}
	}
	code, stdout, stderr = marigram("run", "recorded", "-s", "market.replay.adapter=launch_only", "-s", "market.replay.scale=8",
		"-s", "market.replay.lifetime={distribution: exponential, mean_h: 5}")
	if code != 0 || strings.Count(stdout, " 100/100 ") != 4 || !strings.Contains(stdout, " 14.89") || !strings.Contains(stdout, " 14.99 ") {
		t.Errorf("%d %s\n%s", code, stderr, stdout)
	}
}

// Without the set the error has the one command.
func TestRecordedWithoutTheSet(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	code, _, stderr := marigram("run", "recorded")
	if code != 2 || !strings.Contains(stderr, "skynomad-aws-v100 is not pulled; add --pull to marigram run, or: marigram traces pull skynomad-aws-v100") {
		t.Errorf("%d %s", code, stderr)
	}
}
