package spec

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/outofcore"
	"github.com/marigram/marigram/calibrate/parallel"
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

	OutOfCore *outofcore.Option `json:"out_of_core,omitempty" jsonschema:"parameters lie on a disk, and one worker trains; all in memory if absent"`
}

// Workers bounds how many instances train together.
type Workers struct {
	Least int `json:"least,omitempty" jsonschema:"the least measured number if absent"`
	Most  int `json:"most,omitempty" jsonschema:"all that the quotas allow if absent"`
}

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

// onDisk slows the laws of instance types down that train from a disk, and says how.
func (d *DataParallel) onDisk(laws map[string]parallel.Fitted, job *parallel.Job) (warnings []string, err error) {
	o := d.OutOfCore
	if o == nil {
		return nil, nil
	}
	if err := o.Check(); err != nil {
		return nil, &partError{"out_of_core", err}
	}
	if job.Least != 1 || job.Most != 1 {
		return nil, &partError{"out_of_core", fmt.Errorf("it trains on one worker, but workers or sizes allow %d to %d; expected workers: {least: 1, most: 1}", job.Least, job.Most)}
	}
	steps := o.SamplesPerEpoch / job.Batch
	for _, name := range typesOf(laws) {
		f := laws[name]
		compute := f.Step(1) * steps
		e, onDisk, err := o.On(name, compute)
		if err != nil {
			return nil, &partError{"out_of_core", err}
		}
		if onDisk {
			f.Law = parallel.Law{Scaling: f.Scaling, Alone: e.Seconds / steps}
			laws[name] = f
			warnings = append(warnings, fmt.Sprintf("%s trains with %d of %d partitions in memory: %.6g GB and %.6g s an epoch by a formula (compute alone %.6g s), not measured",
				name, e.Buffer, e.Partitions, e.ReadWriteGB, e.Seconds, compute))
		}
	}
	for i := range o.Machines {
		if _, known := laws[o.Machines[i].Type]; !known {
			return nil, &partError{"out_of_core", fmt.Errorf("machines: no measured speed of %s, expected one of its compute with all in memory", o.Machines[i].Type)}
		}
	}
	return warnings, nil
}
