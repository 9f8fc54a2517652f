package backtest_test

import (
	"context"
	"testing"

	"github.com/marigram/marigram/experiments/backtest"
)

// TestTruth makes fits to runs of known parameters: intervals of 90 % have to have the truth about so often, and
// predictions to lie within theirs. The bounds are those of chance on so few runs; docs/backtest.md has the table of
// many.
func TestTruth(t *testing.T) {
	u := Usual()
	u.Steps = 20000
	f, err := u.Find(context.Background(), 8, 6, nil, backtest.Options{Draws: 60})
	if err != nil {
		t.Fatal(err)
	}
	if x := f.Inside(); x < 0.75 {
		t.Errorf("%.2f of the intervals of 90 %% have the truth", x)
	}
	for _, p := range f.Parameters {
		if p.Fits > 0 && !(p.Mean > 0.9*p.Truth && p.Mean < 1.1*p.Truth) && p.Name != "spread" {
			t.Errorf("%s: mean %v, want about %v", p.Name, p.Mean, p.Truth)
		}
	}
	of50, of90 := f.Finish.Coverage()
	if f.Finish.Runs != 48 || of50 < 0.25 || of50 > 0.75 || of90 < 0.75 {
		t.Errorf("%d runs, within the intervals of 50 %% and 90 %%: %.2f and %.2f", f.Finish.Runs, of50, of90)
	}
	if f.Finish.Median > 0.05 || f.USD.Median > 0.05 {
		t.Errorf("median errors %v of the finish and %v of the dollars", f.Finish.Median, f.USD.Median)
	}
}
