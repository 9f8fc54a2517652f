package spec

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/sim"
)

// DataParallel is synchronous data-parallel training, as of PyTorch DDP, until so
// many samples are trained (package calibrate/parallel).
type DataParallel struct {
	Samples float64 `json:"samples,omitempty" jsonschema:"size of the job in samples"`
	Steps   float64 `json:"steps,omitempty" jsonschema:"size of the job in steps, instead; with batch only"`

	Batch          float64 `json:"batch,omitempty" jsonschema:"samples of a step of all workers together, which stays the same when workers join (strong scaling)"`
	BatchPerWorker float64 `json:"batch_per_worker,omitempty" jsonschema:"instead: samples of a step of one worker, which stays the same when workers join (weak scaling)"`

	Measured []parallel.Measured `json:"measured,omitempty" jsonschema:"measured speeds: two or three sizes of each instance type suffice"`
	Table    string              `json:"table,omitempty" jsonschema:"instead: CSV file with the columns type, workers and steps_per_s or samples_per_s, relative to this file"`

	Workers *Workers `json:"workers,omitempty" jsonschema:"how many workers train together; from the least measured number to the quotas if absent"`
	Sizes   []int    `json:"sizes,omitempty" jsonschema:"instead: the only numbers of workers on which the job trains, for instance [2, 4, 8]; other instances are spares"`

	RestartS *float64 `json:"restart_s,omitempty" jsonschema:"from the loss of a worker until training goes on from the last save"`
	ResizeS  float64  `json:"resize_s,omitempty" jsonschema:"to go on with more or fewer workers where nothing was lost"`
	SaveS    float64  `json:"save_s,omitempty" jsonschema:"training stops for a save"`
	PersistS float64  `json:"persist_s,omitempty" jsonschema:"then until the save is safe, while training goes on"`
}

// Workers bounds how many instances train together.
type Workers struct {
	Least int `json:"least,omitempty" jsonschema:"the least measured number if absent"`
	Most  int `json:"most,omitempty" jsonschema:"all that the quotas allow if absent"`
}

// WholeJob reports whether the job is so many samples, all of which are to be
// trained: it has no loss to reach.
func (s *Spec) WholeJob() bool { return s.Model.Pipelined != nil || s.Model.DataParallel != nil }

// scaling returns how the batch changes with the workers, and its samples.
func (d *DataParallel) scaling() (parallel.Scaling, float64, error) {
	const most = 1e12
	strong, weak := d.Batch, d.BatchPerWorker
	switch {
	case (strong != 0) == (weak != 0):
		return 0, 0, fmt.Errorf("batch %v, batch_per_worker %v, expected one of them, more than 0", strong, weak)
	case !(max(strong, weak) > 0 && max(strong, weak) <= most):
		return 0, 0, fmt.Errorf("a batch of %v, expected more than 0 and at most %v", max(strong, weak), most)
	case strong != 0:
		return parallel.Strong, strong, nil
	}
	return parallel.Weak, weak, nil
}

// fitted returns the laws of the measured instance types.
func (s *Spec) fitted() ([]parallel.Fitted, error) {
	d := s.Model.DataParallel
	scaling, batch, err := d.scaling()
	if err != nil {
		return nil, err
	}
	rows := d.Measured
	switch {
	case (rows != nil) == (d.Table != ""):
		return nil, fmt.Errorf("expected one of measured and table")
	case d.Table != "":
		if rows, err = parallel.OpenMeasured(s.Path(d.Table)); err != nil {
			return nil, err
		}
	case len(rows) == 0:
		return nil, fmt.Errorf("measured is empty, expected two or three sizes of each instance type")
	}
	return parallel.Fit(scaling, batch, rows)
}

// dataParallel returns the model's laws by instance type and the job.
func (s *Spec) dataParallel() (laws map[string]parallel.Fitted, job parallel.Job, err error) {
	d := s.Model.DataParallel
	fitted, err := s.fitted()
	if err != nil {
		return nil, job, err
	}
	laws = map[string]parallel.Fitted{}
	for _, f := range fitted {
		laws[f.Type] = f
	}
	job = parallel.Job{Samples: d.Samples, Batch: max(d.Batch, d.BatchPerWorker), Sizes: slices.Clone(d.Sizes), Least: math.MaxInt, Most: s.fleet(),
		Restart: seconds(valueOr(d.RestartS, 0)), Resize: seconds(d.ResizeS), Save: seconds(d.SaveS), Persist: seconds(d.PersistS)}
	if d.Steps > 0 {
		job.Samples = d.Steps * d.Batch
	}
	for i := range s.Market.Pools {
		if f, known := laws[s.Market.Pools[i].Type]; known {
			job.Least = min(job.Least, f.Sizes[0])
		}
	}
	if w := d.Workers; w != nil {
		job.Least, job.Most = cmp.Or(w.Least, job.Least), cmp.Or(w.Most, job.Most)
	}
	if len(job.Sizes) > 0 {
		slices.Sort(job.Sizes)
		job.Least, job.Most = job.Sizes[0], min(job.Sizes[len(job.Sizes)-1], job.Most)
	}
	return laws, job, nil
}

// parallelModels returns the model for a market's pools, and why its numbers may
// mislead.
func (s *Spec) parallelModels() (on func(types []string) (sim.Model, error), warnings []string, err error) {
	laws, job, err := s.dataParallel()
	if err != nil {
		return nil, nil, err
	}
	return func(types []string) (sim.Model, error) {
		of := make([]parallel.Law, len(types))
		for i, name := range types {
			of[i] = laws[name].Law
		}
		return parallel.New(job, of)
	}, s.warnParallel(laws, &job), nil
}

// warnParallel says how well the laws say what was measured, and where they are
// used beyond it.
func (s *Spec) warnParallel(laws map[string]parallel.Fitted, job *parallel.Job) (warnings []string) {
	var seen []string
	for i := range s.Market.Pools {
		name := s.Market.Pools[i].Type
		if slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		f := laws[name]
		if len(f.Sizes) == 1 {
			warnings = append(warnings, fmt.Sprintf("%s was measured on %d workers only: other sizes are taken to lose nothing to communication; measure a second size", name, f.Sizes[0]))
		} else if worst := f.Worst(); worst > 0.05 {
			warnings = append(warnings, fmt.Sprintf("%s: the fitted time of a step is off by up to %.0f %% (each size predicted from the others)", name, 100*worst))
		}
		if most := f.Sizes[len(f.Sizes)-1]; job.Most > most && len(f.Sizes) > 1 {
			warnings = append(warnings, fmt.Sprintf("%s was measured on %d to %d workers, and up to %d may train: larger sizes are extrapolated (set workers: {most: %d}, or measure them)",
				name, f.Sizes[0], most, job.Most, most))
		}
	}
	if s.Model.DataParallel.RestartS == nil {
		warnings = append(warnings, "model.data_parallel has no restart_s: restarts after the loss of a worker take no time")
	}
	return warnings
}

// checkDataParallel reports what is wrong with a data-parallel model.
func (s *Spec) checkDataParallel() error {
	const at = "$.model.data_parallel"
	d := s.Model.DataParallel
	if x := s.Model; x.Published != "" || x.Profile != "" || x.Coefficients != "" || x.LossForm != "" || x.Training != nil || len(x.Speeds) > 0 || x.Pipelined != nil {
		return s.ErrorAt("$.model", "expected data_parallel alone, or none of it")
	}
	if (d.Samples > 0) == (d.Steps > 0) || d.Samples < 0 || d.Steps < 0 || max(d.Samples, d.Steps) > 1e15 {
		return s.ErrorAt(at, "samples %v, steps %v, expected one of them, more than 0 and at most 1e15", d.Samples, d.Steps)
	}
	if d.Steps > 0 && d.BatchPerWorker != 0 {
		return s.ErrorAt(at+".steps", "%v with batch_per_worker: a step has more samples with more workers; expected samples", d.Steps)
	}
	if d.Workers != nil && len(d.Sizes) > 0 {
		return s.ErrorAt(at, "expected workers or sizes, not both")
	}
	for _, q := range []quantity{{"restart_s", valueOr(d.RestartS, 0)}, {"resize_s", d.ResizeS}, {"save_s", d.SaveS}, {"persist_s", d.PersistS}} {
		if err := q.check(86400); err != nil {
			return s.ErrorAt(at, "%v", err)
		}
	}
	laws, job, err := s.dataParallel()
	if err != nil {
		return s.ErrorAt(at, "%v", err)
	}
	for i, p := range s.Market.Pools {
		if _, known := laws[p.Type]; !known {
			return s.ErrorAt(fmt.Sprintf("$.market.pools[%d].type", i), "no measured speed of instance type %q in model.data_parallel; there are %s", p.Type, strings.Join(typesOf(laws), ", "))
		}
	}
	if b := &s.Market.Billing; b.SkipParameterServers || b.ParameterServerUSDPerH != nil {
		return s.ErrorAt("$.market.billing", "a parameter server is priced, and a data-parallel job has none")
	}
	model, err := parallel.New(job, []parallel.Law{laws[s.Market.Pools[0].Type].Law})
	if err != nil {
		return s.ErrorAt(at, "%v", err)
	}
	for i := range s.Policies {
		p := &s.Policies[i]
		if fleet, least := s.fleetOf(policyNeeds(p.Name)), leastInstances(model); !policyNeeds(p.Name).Workers() && least > fleet {
			return s.ErrorAt(fmt.Sprintf("$.policies[%d]", i), "policy %s: the job trains on %d workers at least, and it may hold %d", p.Name, least, fleet)
		}
	}
	return nil
}

func typesOf(laws map[string]parallel.Fitted) []string {
	var names []string
	for name := range laws {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
