package papers_test

import (
	"context"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/traces/catalogue"
)

// The claims on recorded histories, with these pulled from the material, hold;
// without them they are open and say how to get them.
func TestPulledClaims(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	list, err := papers.Select("deadline/rows", "oobleck/fig10", "bamboo/p3")
	if err != nil {
		t.Fatal(err)
	}
	check := func(want papers.Verdict) {
		t.Helper()
		outcomes, err := papers.Run(context.Background(), list, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if o.Verdict != want && !o.Claim.Timed() || want == papers.Open && o.Reason == "" {
				t.Errorf("%s: %s, want %s; %v, %s", o.Name, o.Verdict, want, deref(o.Simulated), o.Reason)
			}
		}
	}
	check(papers.Open)
	from, there := testutil.Path(t, "traces")
	if !there {
		t.Skip("the recorded histories are not here")
	}
	for _, name := range []string{"skynomad-aws-v100-availability", "oobleck-scaled-p3", "bamboo-aws-p3"} {
		e, err := catalogue.EntryNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := catalogue.Pull(context.Background(), e, catalogue.PullOptions{From: from}); err != nil {
			t.Fatal(err)
		}
	}
	check(papers.Pass)
}
