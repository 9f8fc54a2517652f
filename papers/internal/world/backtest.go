package world

import (
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/papers"
)

// Backtest predicts each run of a published set from all others.
func Backtest(f *papers.Figure, name string) (*backtest.Verdict, error) {
	var in struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}
	if err := f.Inputs(&in); err != nil {
		return nil, err
	}
	set, _ := backtest.Published(name)
	runs, err := set.Runs()
	if err != nil {
		return nil, err
	}
	observed := make([]backtest.Observed, len(runs))
	for i, r := range runs {
		observed[i] = backtest.From(r)
	}
	return backtest.Judge(f.Context(), observed, backtest.Options{Idle: set.Idle, Draws: in.Draws, Seed: in.Seed})
}
