// Package dataparallel is the kind of models of synchronous data-parallel training, as of PyTorch DDP, from a few
// measured speeds (package calibrate/parallel).
package dataparallel

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	model.Register(model.Kind{
		Key:    "data_parallel",
		Name:   "data-parallel",
		Doc:    "synchronous data-parallel training (PyTorch DDP) from a few measured speeds",
		Shares: "workers",
		Job:    func() model.Job { return &DataParallel{} },
		Serves: []policies.Needs{policies.WorkerModels, policies.RestartingPipelines},
	})
}

// DataParallel is synchronous data-parallel training, as of PyTorch DDP, until so many samples are trained.
type DataParallel struct {
	Samples float64 `json:"samples,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in samples"`
	Steps   float64 `json:"steps,omitempty" above:"0" max:"1e15" either:"size" excludes:"batch_per_worker" jsonschema:"size of the job in steps, instead; with batch only"`

	Batch          float64 `json:"batch,omitempty" above:"0" max:"1e12" either:"batch" jsonschema:"samples of a step of all workers together, which stays the same when workers join (strong scaling)"`
	BatchPerWorker float64 `json:"batch_per_worker,omitempty" above:"0" max:"1e12" either:"batch" jsonschema:"instead: samples of a step of one worker, which stays the same when workers join (weak scaling)"`

	Measured []parallel.Measured `json:"measured,omitempty" either:"speeds" jsonschema:"measured speeds: two or three sizes of each instance type suffice"`
	Table    string              `json:"table,omitempty" either:"speeds" jsonschema:"instead: CSV file with the columns type, workers and steps_per_s or samples_per_s, relative to this file"`

	Workers *Workers `json:"workers,omitempty" excludes:"sizes" jsonschema:"how many workers train together; from the least measured number to the quotas if absent"`
	Sizes   []int    `json:"sizes,omitempty" jsonschema:"instead: the only numbers of workers on which the job trains, for instance [2, 4, 8]; other instances are spares"`

	RestartS *float64 `json:"restart_s,omitempty" min:"0" max:"86400" jsonschema:"from the loss of a worker until training goes on from the last save"`
	ResizeS  float64  `json:"resize_s,omitempty" min:"0" max:"86400" jsonschema:"to go on with more or fewer workers where nothing was lost"`
	SaveS    float64  `json:"save_s,omitempty" min:"0" max:"86400" jsonschema:"training stops for a save"`
	PersistS float64  `json:"persist_s,omitempty" min:"0" max:"86400" jsonschema:"then until the save is safe, while training goes on"`
	// The interval is of policies that plan clusters, not saves.
	IntervalS float64 `json:"interval_s,omitempty" min:"1" max:"604800" jsonschema:"between saves, under every policy that has no interval or rule of saves itself (checkpoint, varuna); Young's interval by the losses so far if absent"`
}

// Workers bounds how many instances train together.
type Workers struct {
	Min int `json:"min,omitempty" min:"1" jsonschema:"the smallest measured number if absent"`
	Max int `json:"max,omitempty" min:"1" jsonschema:"all that the quotas allow if absent"`
}

// laws is the speed of each instance type that was measured.
type laws map[string]parallel.Fitted

// types returns the instance types, sorted.
func (l laws) types() []string { return slices.Sorted(maps.Keys(l)) }

// on returns the law of each instance type of a list.
func (l laws) on(types []string) []parallel.Law {
	out := make([]parallel.Law, len(types))
	for i, name := range types {
		out[i] = l[name].Law
	}
	return out
}

// Open implements model.Job.
func (d *DataParallel) Open(s model.Study) (*model.Opened, error) {
	measured, err := d.fit(s)
	if err != nil {
		return nil, err
	}
	pools := s.Pools()
	job := d.job(measured, pools, s.Fleet())
	for i, pool := range pools {
		if _, known := measured[pool.Type]; !known {
			return nil, s.ErrorAt(fmt.Sprintf("$.market.pools[%d].type", i),
				"no measured speed of instance type %q in model.data_parallel; there are %s",
				pool.Type, strings.Join(measured.types(), ", "))
		}
	}
	first, err := parallel.New(job, measured.on([]string{pools[0].Type}))
	if err != nil {
		return nil, err
	}
	on := func(pools []sim.Pool) (sim.Model, error) {
		types := make([]string, len(pools))
		for i := range pools {
			types[i] = pools[i].InstanceType
		}
		return parallel.New(job, measured.on(types))
	}
	return &model.Opened{
		On:       on,
		Warnings: d.doubts(measured, pools, &job),
		Smallest: model.SmallestOf(first),
	}, nil
}

// SizeInSamples implements model.Sized: steps of a batch per worker are no number of samples.
func (d *DataParallel) SizeInSamples() float64 {
	if d.Samples > 0 {
		return d.Samples
	}
	return d.Steps * d.Batch
}

// Files implements model.Reader.
func (d *DataParallel) Files(model.Study) []string { return []string{d.Table} }

// fit fits the laws of the instance types to what was measured of them.
func (d *DataParallel) fit(s model.Study) (laws, error) {
	rows := d.Measured
	if d.Table != "" {
		var err error
		if rows, err = parallel.OpenMeasured(s.Path(d.Table)); err != nil {
			return nil, err
		}
	}
	scaling := parallel.Weak
	batch := d.BatchPerWorker
	if d.Batch != 0 {
		scaling = parallel.Strong
		batch = d.Batch
	}
	fitted, err := parallel.Fit(scaling, batch, rows)
	if err != nil {
		return nil, err
	}
	out := laws{}
	for _, law := range fitted {
		out[law.Type] = law
	}
	return out, nil
}

// job returns what is trained, on how many workers of pools of which so many instances can be held, and what changes
// cost.
func (d *DataParallel) job(measured laws, pools []model.Pool, fleet int) parallel.Job {
	job := parallel.Job{
		Samples:  d.Samples,
		Batch:    max(d.Batch, d.BatchPerWorker),
		Sizes:    slices.Clone(d.Sizes),
		Min:      math.MaxInt,
		Max:      fleet,
		Restart:  units.Seconds(stats.Or(d.RestartS, 0)),
		Resize:   units.Seconds(d.ResizeS),
		Save:     units.Seconds(d.SaveS),
		Persist:  units.Seconds(d.PersistS),
		Interval: units.Seconds(d.IntervalS),
	}
	if d.Steps > 0 {
		job.Samples = d.Steps * d.Batch
	}
	for _, pool := range pools {
		if law, known := measured[pool.Type]; known {
			job.Min = min(job.Min, law.Sizes[0])
		}
	}
	if w := d.Workers; w != nil {
		job.Min = cmp.Or(w.Min, job.Min)
		job.Max = cmp.Or(w.Max, job.Max)
	}
	if len(job.Sizes) > 0 {
		slices.Sort(job.Sizes)
		job.Min = job.Sizes[0]
		job.Max = min(job.Sizes[len(job.Sizes)-1], job.Max)
	}
	return job
}

// doubts says how well the laws say what was measured, and where they are used beyond it.
func (d *DataParallel) doubts(measured laws, pools []model.Pool, job *parallel.Job) (warnings []string) {
	var seen []string
	for _, pool := range pools {
		name := pool.Type
		if slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		law := measured[name]
		smallest := law.Sizes[0]
		largest := law.Sizes[len(law.Sizes)-1]
		if len(law.Sizes) == 1 {
			if job.Max != 1 || job.Min != smallest {
				warnings = append(warnings, fmt.Sprintf("%s was measured on %d workers only: other sizes are taken to "+
					"lose nothing to communication; measure a second size", name, smallest))
			}
			continue
		}
		if worst := law.Worst(); worst > 0.05 {
			warnings = append(warnings, fmt.Sprintf("%s: the fitted time of a step is off by up to %.0f %% "+
				"(each size predicted from the others)", name, 100*worst))
		}
		if job.Max > largest {
			warnings = append(warnings, fmt.Sprintf("%s was measured on %d to %d workers, and up to %d may train: "+
				"larger sizes are extrapolated (set workers: {max: %d}, or measure them)",
				name, smallest, largest, job.Max, largest))
		}
	}
	if d.RestartS == nil {
		warnings = append(warnings, "model.data_parallel has no restart_s: "+
			"restarts after the loss of a worker take no time")
	}
	return warnings
}
