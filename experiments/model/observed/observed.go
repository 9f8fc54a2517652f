// Package observed is the kind of models of jobs that train as past runs did (package calibrate/fromruns).
package observed

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	model.Register(model.Kind{
		Key:     "observed",
		Name:    "of past runs",
		Doc:     "training as past runs did, by a model file of marigram backtest",
		Job:     func() model.Job { return &Observed{} },
		Serves:  []policies.Needs{policies.WorkerModels, policies.RestartingPipelines},
		NoBound: "training as past runs did: the least cost of such a job is not known",
	})
}

// Observed is a job that trains as past runs did.
type Observed struct {
	File  string  `json:"file" jsonschema:"model file of marigram backtest --model, relative to this file"`
	Steps float64 `json:"steps" above:"0" max:"1e15" jsonschema:"size of the job in steps, as the runs counted them"`

	fitted *fromruns.Fitted // what the file has, once it was read
}

// Open implements model.Job.
func (o *Observed) Open(s model.Study) (*model.Opened, error) {
	if o.fitted == nil {
		fitted, err := fromruns.ReadFile(s.Path(o.File))
		if err != nil {
			return nil, model.At("file", err)
		}
		o.fitted = fitted
	}
	largest := s.Fleet()
	on := func(pools []sim.Pool) (sim.Model, error) {
		job := fromruns.Job{Steps: o.Steps, Max: largest}
		for i := range pools {
			job.Types = append(job.Types, pools[i].InstanceType)
		}
		return o.fitted.Point(job)
	}
	for i, pool := range s.Pools() {
		if _, err := on([]sim.Pool{{InstanceType: pool.Type}}); err != nil {
			return nil, s.ErrorAt(fmt.Sprintf("$.market.pools[%d].type", i), "%v", err)
		}
	}
	opened := &model.Opened{On: on}
	for _, note := range o.fitted.Notes {
		opened.Warnings = append(opened.Warnings, o.File+": "+note)
	}
	return opened, nil
}

// Files implements model.Reader.
func (o *Observed) Files(model.Study) []string { return []string{o.File} }

// Boot implements model.Booter: the time that was observed, unless the spec says another one.
func (o *Observed) Boot(_ model.Study, of sim.Boot, stated bool) sim.Boot {
	if o.fitted == nil || stated {
		return of
	}
	if boot, seen := o.fitted.BootTime(); seen {
		return boot
	}
	return of
}
