package papers_test

import (
	"context"
	"testing"

	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/papers"
)

// The claims on recorded traces, with these pulled, hold;
// without them they are open and say how to get them.
func TestPulledClaims(t *testing.T) {
	list, err := papers.Select("deadline/rows", "oobleck/fig10", "bamboo/p3")
	if err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, want papers.Verdict) {
		t.Helper()
		outcomes, err := papers.Run(context.Background(), list, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if o.Verdict != want && !o.Claim.Timed() || want == papers.Missing && o.Reason == "" {
				t.Errorf("%s: %s, want %s; %v, %s", o.Name, o.Verdict, want, deref(o.Simulated), o.Reason)
			}
		}
	}
	t.Run("without", func(t *testing.T) {
		dir := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", dir)
		t.Setenv("HOME", dir)
		check(t, papers.Missing)
	})
	for _, name := range []string{"skynomad-aws-v100-availability", "oobleck-scaled-p3", "bamboo-aws-p3"} {
		pulled.Dir(t, name)
	}
	check(t, papers.Pass)
}
