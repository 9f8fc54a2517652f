// Package spotdnn computes the claims on spotDNN (IWQoS 2023): fitted laws, plans,
// one episode and its costs.
package spotdnn

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/sim"
)

// iterations reports the normalised iterations that a cluster needs from
// the start of training to each loss (spotDNN Eq. 3), and what a fit to another
// network's curve says.
func iterations(f *papers.Figure) error {
	var in struct {
		Published string         `json:"published"`
		Form      string         `json:"form"`
		Workers   map[string]int `json:"workers"`
		Losses    []float64      `json:"losses"`
		Curve     lossCurve      `json:"curve"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	profile, coef, err := ps.Published(in.Published)
	if err != nil {
		return err
	}
	form, err := ps.ParseForm(in.Form)
	if err != nil {
		return err
	}
	model, err := ps.NewASP(profile, coef, form, profile.Types())
	if err != nil {
		return err
	}
	tally, err := tallyOf(model, profile.Types(), in.Workers)
	if err != nil {
		return err
	}
	for _, loss := range in.Losses {
		f.Report("resnet110-"+decimal(loss), model.Estimate(tally, math.Inf(1), loss).Iterations)
	}
	return in.Curve.report(f)
}

// tallyOf sums up a cluster that is given by instance type.
func tallyOf(model sim.WorkerModel, types []string, counts map[string]int) (sim.Tally, error) {
	n, known := 0, 0
	for _, t := range types {
		if k, ok := counts[t]; ok {
			n, known = n+k, known+1
		}
	}
	if known != len(counts) {
		return sim.Tally{}, fmt.Errorf("workers %v, expected types of %v", counts, types)
	}
	each := make([]sim.Worker, len(types))
	model.Workers(n, 0, each)
	var tally sim.Tally
	for p, t := range types {
		if counts[t] > 0 {
			tally.Add(counts[t], each[p])
		}
	}
	return tally, nil
}
