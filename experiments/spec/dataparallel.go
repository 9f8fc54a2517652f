package spec

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// scaling returns how the batch changes with the workers, and its samples.
func (d *DataParallel) scaling() (parallel.Scaling, float64) {
	if d.Batch != 0 {
		return parallel.Strong, d.Batch
	}
	return parallel.Weak, d.BatchPerWorker
}

// onDisk slows the laws of instance types down that train from a disk, and says how.
func (d *DataParallel) onDisk(laws map[string]parallel.Fitted, job *parallel.Job) (warnings []string, err error) {
	o := d.OutOfCore
	if o == nil {
		return nil, nil
	}
	if err := o.Check(); err != nil {
		return nil, model.At("out_of_core", err)
	}
	if job.Min != 1 || job.Max != 1 {
		return nil,
			model.At("out_of_core", fmt.Errorf("it trains on one worker, but workers or sizes allow %d to %d; expected workers: {min: 1, max: 1}",
				job.Min, job.Max))
	}
	steps := o.SamplesPerEpoch / job.Batch
	for _, name := range typesOf(laws) {
		f := laws[name]
		compute := f.Step(1) * steps
		e, onDisk, err := o.On(name, compute)
		if err != nil {
			return nil, model.At("out_of_core", err)
		}
		if onDisk {
			f.Law = parallel.Law{Scaling: f.Scaling, Alone: e.Seconds / steps}
			laws[name] = f
			warnings = append(warnings, fmt.Sprintf("%s trains with %d of %d partitions in memory: %.6g GB and %.6g s an epoch by a formula (compute "+
				"alone %.6g s), not measured",
				name, e.Buffer, e.Partitions, e.ReadWriteGB, e.Seconds, compute))
		}
	}
	for i := range o.Machines {
		if _, known := laws[o.Machines[i].Type]; !known {
			return nil, model.At("out_of_core", fmt.Errorf("machines: no measured speed of %s, expected one of its compute with all in memory", o.Machines[i].Type))
		}
	}
	return warnings, nil
}

// fitted returns the laws of the measured instance types.
func (s *Spec) fitted() ([]parallel.Fitted, error) {
	d := s.Model.DataParallel
	scaling, batch := d.scaling()
	rows := d.Measured
	if d.Table != "" {
		var err error
		if rows, err = parallel.OpenMeasured(s.Path(d.Table)); err != nil {
			return nil, err
		}
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
		Min: math.MaxInt, Max: s.fleet(),
		Restart: units.Seconds(stats.Or(d.RestartS, 0)), Resize: units.Seconds(d.ResizeS), Save: units.Seconds(d.SaveS),
		Persist: units.Seconds(d.PersistS), Interval: units.Seconds(d.IntervalS)}
	if d.Steps > 0 {
		job.Samples = d.Steps * d.Batch
	}
	for i := range s.Market.Pools {
		if f, known := laws[s.Market.Pools[i].Type]; known {
			job.Min = min(job.Min, f.Sizes[0])
		}
	}
	if w := d.Workers; w != nil {
		job.Min, job.Max = cmp.Or(w.Min, job.Min), cmp.Or(w.Max, job.Max)
	}
	if len(job.Sizes) > 0 {
		slices.Sort(job.Sizes)
		job.Min, job.Max = job.Sizes[0], min(job.Sizes[len(job.Sizes)-1], job.Max)
	}
	if d.OutOfCore != nil && d.Workers == nil && len(job.Sizes) == 0 {
		job.Max = 1
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
		if len(f.Sizes) == 1 && job.Max == 1 && job.Min == f.Sizes[0] {
			continue
		}
		if len(f.Sizes) == 1 {
			warnings = append(warnings, fmt.Sprintf("%s was measured on %d workers only: other sizes are taken to "+
				"lose nothing to communication; measure a second size", name, f.Sizes[0]))
		} else if worst := f.Worst(); worst > 0.05 {
			warnings = append(warnings, fmt.Sprintf("%s: the fitted time of a step is off by up to %.0f %% (each "+
				"size predicted from the others)", name, 100*worst))
		}
		if largest := f.Sizes[len(f.Sizes)-1]; job.Max > largest && len(f.Sizes) > 1 {
			warnings = append(warnings, fmt.Sprintf("%s was measured on %d to %d workers, and up to %d may train: "+
				"larger sizes are extrapolated (set workers: {max: %d}, or measure them)",
				name, f.Sizes[0], largest, job.Max, largest))
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
