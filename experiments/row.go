package experiments

import (
	"fmt"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/policies/plugin"
)

// Row runs one case as a sweep does: a run that fails, by a panic of a policy for one, is
// a row with its error, and the worker can be used again. Cell and parameters are left to
// who knows them.
func (w *Worker) Row(c Case) results.SweepRow {
	var row results.SweepRow
	summary, err := w.try(c)
	if err == nil {
		err = summary.Check()
	}
	row.Summary = summary
	if err == nil {
		return row
	}
	spec := w.study.Spec
	markets := w.study.Markets
	o := &spec.Objectives[c.Objective]
	row.Summary = results.Summary{
		Run:            c.Run,
		Scenario:       spec.Name,
		Objective:      o.Name,
		Policy:         spec.Policies[c.Policy].Name,
		Seed:           c.Seed,
		StartS:         c.Start.Seconds(),
		Market:         markets.Name,
		Replay:         markets.Replay,
		Unit:           markets.Unit,
		ObjectiveLoss:  o.Loss,
		ObjectiveS:     o.TimeS,
		ObjectiveShare: o.Share,
		Goal:           o.Kind().Name,
		GoalValue:      o.GoalValue(),
		HorizonS:       spec.HorizonS,
	}
	row.Fail(err)
	return row
}

// try is Run in which a panic is an error, after which the worker begins anew.
func (w *Worker) try(c Case) (s results.Summary, err error) {
	defer func() {
		x := recover()
		if x == nil {
			return
		}
		w.Close()
		*w = *w.study.WorkerIn(w.slot)
		if failure := plugin.Fault(x); failure != nil {
			err = failure
		} else {
			err = fmt.Errorf("panic: %v", x)
		}
	}()
	return w.Run(c)
}
