package papers_test

import (
	"context"
	"errors"
	"flag"
	"math"
	"path"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/papers"
	_ "github.com/marigram/marigram/papers/all"
)

var slowFigures = flag.Bool("slow", false, "figures that take seconds, too")

// Every figure has claims, a spec and a procedure, which reports what is
// claimed, no less and no more; and what is claimed holds, but for what depends
// on the clock of the machine.
func TestFigures(t *testing.T) {
	want := map[string][]papers.Claim{}
	for _, c := range papers.Published() {
		want[c.Figure()] = append(want[c.Figure()], c)
	}
	var named []string
	for _, name := range papers.SpecNames() {
		if want[name] == nil {
			t.Errorf("spec %s has no claims", name)
		}
		if f, err := papers.OpenSpec(name); err == nil {
			named = append(named, f.Procedure)
		}
	}
	for _, name := range papers.Procedures() {
		if !slices.Contains(named, name) {
			t.Errorf("no spec names the procedure %s", name)
		}
	}
	slow := []string{"gavel/single", "gavel/multiple", "gavel/makespan", "cmdare/scores", "cmdare/speeds", "spotdnn/planning", "parcae/fig14",
		"waiting/simulated", "skynomad/runs", "skynomad/ablation", "skynomad/fig10a", "skynomad/fig10b", "dynamic-pricing/world",
		"skynomad/fig9b", "defection/simulated", "gavel/priorities",
		"icac19/speeds", "icac19/backtest", "parcae/distance", "deadline/optimum", "bamboo/table", "hadar/published"} // seconds each, minutes with the race detector
	for name, list := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if spec, err := papers.OpenSpec(name); !*slowFigures && (slices.Contains(slow, name) || err == nil && spec.Minutes > 0) {
				t.Skip("a slow figure: TestArtifact of cmd/reproduce runs all, and -slow here")
			}
			f, err := papers.Reproduce(context.Background(), name)
			values := f.Values()
			if missing := (papers.NotPulled{}); errors.As(err, &missing) {
				pulled.Dir(t, missing.Set) // skips, TestPulledClaims too
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				value, ok := values[path.Base(c.Name)]
				o := papers.Judge(c, value, nil)
				switch {
				case !ok:
					t.Errorf("no number for %s", c.Name)
				case c.Basis == papers.Ours && o.Verdict != papers.Open && c.NextTo(value):
					t.Errorf("%s: the error %v is next to the tolerance %v: tolerance_from is %s, expected %s", o.Name, deref(o.Error), o.Tolerance,
						c.Basis, papers.After)
				case o.Verdict == papers.Fail && !c.Timed():
					t.Errorf("%s: published %v, simulated %v, error %v, tolerance %v", o.Name, o.Published, value, deref(o.Error), o.Tolerance)
				}
				delete(values, path.Base(c.Name))
			}
			for item := range values {
				t.Errorf("a number for %s, which is not claimed", item)
			}
		})
	}
}

// Run gives each claim its outcome, in the order asked for.
func TestRun(t *testing.T) {
	list, err := papers.Select("spotdnn/fig6")
	if err != nil {
		t.Fatal(err)
	}
	figures := 0
	out, err := papers.Run(context.Background(), list, func(string) { figures++ })
	if err != nil || figures != 1 || len(out) != len(list) {
		t.Fatalf("%d outcomes of %d claims, %d figures, %v", len(out), len(list), figures, err)
	}
	for i, o := range out {
		if o.Name != list[i].Name || o.Simulated == nil {
			t.Errorf("%+v", o)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := papers.Run(ctx, list, nil); err == nil {
		t.Error("an interrupt is not told")
	}
}

func deref(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}
