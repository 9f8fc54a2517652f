package backtest_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/internal/near"
	_ "github.com/marigram/marigram/papers/extensions"
)

func judged(t *testing.T, name string, draws int) *backtest.Verdict {
	t.Helper()
	set, _ := backtest.Published(name)
	runs, err := set.Runs()
	if err != nil {
		t.Fatal(err)
	}
	var list []backtest.Observed
	for _, r := range runs {
		list = append(list, backtest.From(r))
	}
	v, err := backtest.Judge(context.Background(), list, backtest.Options{Idle: set.Idle, Draws: draws})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPublished checks the verdict on published runs.
func TestPublished(t *testing.T) {
	for name, runs := range map[string]int{"icac19-k80-spot": 94, "cmdare-replacements": 11} {
		v := judged(t, name, 50)
		if v.Finish.Runs != runs || v.Finish.Median > 0.05 || v.USD.Median > 0.05 {
			t.Errorf("%s: %d runs, median errors %v and %v, want %d and at most 0.05", name, v.Finish.Runs, v.Finish.Median, v.USD.Median, runs)
		}
	}
}

// TestSameNumbers checks that a verdict depends on its inputs alone.
func TestSameNumbers(t *testing.T) {
	a, b := judged(t, "cmdare-replacements", 20), judged(t, "cmdare-replacements", 20)
	if !reflect.DeepEqual(a.RunRows(), b.RunRows()) {
		t.Error("two verdicts on the same runs differ")
	}
}

// TestExactReplay checks that a run without chance is replayed to the second: a run whose model is fitted to itself.
func TestExactReplay(t *testing.T) {
	check := near.Count(t)
	u := Usual()
	u.Steps, u.Spread, u.Boot.Sigma, u.Restart.Sigma, u.Save.Sigma = 20000, 0, 0, 0, 0
	r, err := u.Run(3)
	if err != nil {
		t.Fatal(err)
	}
	o := backtest.From(r)
	v, err := backtest.Judge(context.Background(), []backtest.Observed{o}, backtest.Options{Draws: 200})
	if err != nil {
		t.Fatal(err)
	}
	j := &v.Runs[0]
	if j.LeftOut {
		t.Error("a single run counts as left out")
	}
	for what, c := range map[string]*backtest.Compared{"finish": &j.Finish, "dollars": &j.USD} {
		if check.Outside(c.Error(), -0.02, 0.02) {
			t.Errorf("%s: %v predicted, %v observed", what, c.Median, c.Observed)
		}
	}
	if check.Off(j.Redone.Median, j.Redone.Observed, 0.02*20000) {
		t.Errorf("%v steps done again predicted, %v observed", j.Redone.Median, j.Redone.Observed)
	}
	if check.Above(j.CurveError, 0.02) {
		t.Errorf("the curves are %v apart", j.CurveError)
	}
}
