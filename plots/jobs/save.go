package jobs

import (
	"errors"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// Names are those of the files that Save writes, as plots.Files takes them.
func Names() []string {
	return []string{"completion-times", "cost-completion", "load", "placement-*"}
}

// Save draws the results of many jobs into dir, each figure as SVG, PNG and PDF, and returns the
// paths: completion-times and load of the first seed, cost-completion of all, and for each policy
// placement-<policy>.
func Save(dir string, set *results.Set) ([]string, error) {
	var figures []plots.Named
	add := func(name string, f *canvas.Figure, err error) error {
		if errors.Is(err, plots.ErrNothing) {
			return nil
		}
		figures = append(figures, plots.Named{Name: name, Figure: f})
		return err
	}
	runs := Runs(set)
	f, err := CompletionTimes(runs)
	err = errors.Join(add("completion-times", f, err))
	if f, e := Load(runs); err == nil {
		err = add("load", f, e)
	}
	if f, e := CostCompletion(set.Summaries); err == nil {
		err = add("cost-completion", f, e)
	}
	for i := range runs {
		if f, e := Placement(&runs[i]); err == nil {
			err = add("placement-"+runs[i].Policy, f, e)
		}
	}
	if err != nil {
		return nil, err
	}
	return plots.SaveFigures(dir, figures)
}
