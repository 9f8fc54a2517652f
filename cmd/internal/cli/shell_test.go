package cli

import (
	"os/exec"
	"testing"
)

// A shell reads back what was written for it.
func TestShellWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell:", err)
	}
	for word, want := range map[string]string{
		"market.pools.0.quota=4":                                "market.pools.0.quota=4",
		`market.pools=[{"type":"p3.2xlarge","zone":"us east"}]`: `'market.pools=[{"type":"p3.2xlarge","zone":"us east"}]'`,
		"it's":    `'it'\''s'`,
		"$HOME *": "'$HOME *'",
		"":        "''",
	} {
		got := ShellWord(word)
		if got != want {
			t.Errorf("%s, expected %s", got, want)
		}
		back, err := exec.Command(sh, "-c", "printf %s "+got).Output()
		if err != nil || string(back) != word {
			t.Errorf("%s: the shell reads %q, %v, expected %q", got, back, err, word)
		}
	}
}
