package spec

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/sim"
)

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
func (s *Spec) dataParallel() (laws map[string]parallel.Fitted, job parallel.Job, warnings []string, err error) {
	d := s.Model.DataParallel
	fitted, err := s.fitted()
	if err != nil {
		return nil, job, nil, err
	}
	laws = map[string]parallel.Fitted{}
	for _, f := range fitted {
		laws[f.Type] = f
	}
	job = parallel.Job{Samples: d.Samples, Batch: max(d.Batch, d.BatchPerWorker), Sizes: slices.Clone(d.Sizes),
		Least: math.MaxInt, Most: s.fleet(),
		Restart: seconds(valueOr(d.RestartS, 0)), Resize: seconds(d.ResizeS), Save: seconds(d.SaveS),
		Persist: seconds(d.PersistS)}
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
	if d.OutOfCore != nil && d.Workers == nil && len(job.Sizes) == 0 {
		job.Most = 1
	}
	warnings, err = d.onDisk(laws, &job)
	return laws, job, warnings, err
}

// parallelModels returns the model for a market's pools, and why its numbers may
// mislead.
func (s *Spec) parallelModels() (on func(types []string) (sim.Model, error), warnings []string, err error) {
	laws, job, onDisk, err := s.dataParallel()
	if err != nil {
		return nil, nil, err
	}
	return func(types []string) (sim.Model, error) {
		of := make([]parallel.Law, len(types))
		for i, name := range types {
			of[i] = laws[name].Law
		}
		return parallel.New(job, of)
	}, append(onDisk, s.warnParallel(laws, &job)...), nil
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
		if len(f.Sizes) == 1 && job.Most == 1 && job.Least == f.Sizes[0] {
			continue
		}
		if len(f.Sizes) == 1 {
			warnings = append(warnings, fmt.Sprintf("%s was measured on %d workers only: other sizes are taken to "+
				"lose nothing to communication; measure a second size", name, f.Sizes[0]))
		} else if worst := f.Worst(); worst > 0.05 {
			warnings = append(warnings, fmt.Sprintf("%s: the fitted time of a step is off by up to %.0f %% (each "+
				"size predicted from the others)", name, 100*worst))
		}
		if most := f.Sizes[len(f.Sizes)-1]; job.Most > most && len(f.Sizes) > 1 {
			warnings = append(warnings, fmt.Sprintf("%s was measured on %d to %d workers, and up to %d may train: "+
				"larger sizes are extrapolated (set workers: {most: %d}, or measure them)",
				name, f.Sizes[0], most, job.Most, most))
		}
	}
	if s.Model.DataParallel.RestartS == nil {
		warnings = append(warnings, "model.data_parallel has no restart_s: restarts after the loss of a worker take no time")
	}
	return warnings
}

func typesOf(laws map[string]parallel.Fitted) []string {
	var names []string
	for name := range laws {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
