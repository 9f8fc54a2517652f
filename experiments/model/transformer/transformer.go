// Package transformer is the kind of models of decoder-only transformers of which nothing, or little, was measured: how
// fast they train comes from parameters, tokens and GPUs (calibrate/transformer), with a band.
package transformer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/transformer"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	model.Register(model.Kind{
		Key:    "transformer",
		Name:   "of a transformer",
		Doc:    "training of a decoder-only transformer whose speed is estimated from parameters, tokens and GPUs",
		Job:    func() model.Job { return &Transformer{} },
		Serves: []policies.Needs{policies.WorkerModels, policies.RestartingPipelines},
	})
}

// Transformer is a job of which little more is known than its parameters and tokens.
type Transformer struct {
	transformer.Job `json:",inline"`

	Tokens      float64    `json:"tokens" above:"0" max:"1e16" jsonschema:"tokens that are trained: epochs times those of the data, padding included"`
	BatchTokens float64    `json:"batch_tokens,omitempty" min:"1" max:"1e9" jsonschema:"tokens of a step: how fine progress is, no input of the speed; 524288 if absent"`
	Speed       string     `json:"speed,omitempty" names:"band,low,middle,high,drawn" jsonschema:"which of the estimated speeds: band (runs with the middle, and both ends of the 80 % band beside them), low, middle or high (one of the three), drawn (each seed draws one); band if absent"`
	Instances   []Instance `json:"instances,omitempty" items:"100" jsonschema:"the GPUs of instance types that the list of prices (calibrate/facts/instance_prices.csv) does not have, or has with other memory"`
	Workers     *Workers   `json:"workers,omitempty" jsonschema:"how many instances train together; from the fewest whose memory fits to the quotas if absent"`
	RestartS    *float64   `json:"restart_s,omitempty" min:"0" max:"86400" jsonschema:"from the loss of an instance until training goes on from the last save; 300 if absent"`
	ResizeS     *float64   `json:"resize_s,omitempty" min:"0" max:"86400" jsonschema:"to go on with more or fewer instances where nothing was lost; 120 if absent"`
	SaveS       *float64   `json:"save_s,omitempty" min:"0" max:"86400" jsonschema:"training stops for a save; if absent, for full training 12 bytes a parameter at 2 GB/s from each instance (of the most that train), and at least 5"`
	IntervalS   float64    `json:"interval_s,omitempty" min:"1" max:"604800" jsonschema:"between saves, under every policy that has no interval or rule of saves itself; Young's interval by the losses so far if absent"`
}

// Instance is an instance type.
type Instance struct {
	Type     string  `json:"type" jsonschema:"instance type, as in the pools"`
	GPU      string  `json:"gpu" jsonschema:"GPU type: H100, A100-80"`
	GPUs     int     `json:"gpus" min:"1" max:"1024" jsonschema:"GPUs of an instance"`
	MemoryGB float64 `json:"memory_gb,omitempty" min:"1" max:"10000" jsonschema:"memory of a GPU, where it is sold with several; by its name if absent"`
}

// Workers bounds how many instances train together.
type Workers struct {
	Min int `json:"min,omitempty" min:"1" max:"65536" jsonschema:"the fewest whose memory fits if absent"`
	Max int `json:"max,omitempty" min:"1" max:"65536" jsonschema:"all that the quotas allow if absent"`
}

// machine is the GPUs of an instance.
type machine struct {
	gpu  transformer.GPU
	gpus int
}

// layout returns the cluster of so many instances.
func (m *machine) layout(instances int) transformer.Layout {
	return transformer.Layout{GPUs: instances * m.gpus, Node: m.gpus}
}

// fitted is a job on the instances of a study.
type fitted struct {
	job     transformer.Job
	machine machine
	least   int // instances whose memory fits
	most    int
	speeds  []transformer.Speed // by instances
	tight   string              // a warning on memory
	notes   []string
}

// fit works out how fast the job is on each number of instances.
func (t *Transformer) fit(s model.Study) (*fitted, error) {
	pools := s.Pools()
	machine, note, err := t.machineOf(pools)
	if err != nil {
		return nil, err
	}
	out := &fitted{job: t.Job.WithDefaults(), machine: machine, most: s.Fleet()}
	if note != "" {
		out.notes = append(out.notes, note)
	}
	if w := t.Workers; w != nil && w.Max > 0 {
		out.most = w.Max
	}
	whole := machine.layout(out.most)
	if t.Active == 0 && t.Params > 200e9 {
		return nil, model.At("active", errors.New("networks of more than 200e9 parameters are often mixtures "+
			"of experts: expected the parameters that a token uses, or the same number as params"))
	}
	warnings, err := out.job.Check(machine.gpu, whole)
	if err != nil {
		return nil, err
	}
	out.notes = append(out.notes, warnings...)
	memory, err := out.job.Room(machine.gpu, whole)
	if err != nil {
		return nil, err
	}
	if memory.Fit == transformer.Tight {
		out.tight = fmt.Sprintf("memory is tight: %.0f of %.0f GB a GPU at least; offloading would slow the job",
			memory.GB, memory.OfGB)
		out.notes = append(out.notes, out.tight)
	}
	out.least = out.most
	for out.least > 1 && out.job.Memory(machine.gpu, machine.layout(out.least-1)).Fit <= memory.Fit {
		out.least--
	}
	if w := t.Workers; w != nil && w.Min > 0 {
		if w.Min < out.least {
			_, err := out.job.Room(machine.gpu, machine.layout(w.Min))
			return nil, model.At("workers.min", fmt.Errorf("%d: %w", w.Min, err))
		}
		out.least = w.Min
	}
	out.speeds = make([]transformer.Speed, out.most+1)
	for n := 1; n <= out.most; n++ {
		if out.speeds[n], err = out.job.On(machine.gpu, n*machine.gpus); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// machineOf returns the one kind of instances that the pools have.
func (t *Transformer) machineOf(pools []model.Pool) (first machine, assumed string, err error) {
	for i, pool := range pools {
		is, note, err := t.lookUp(pool.Type)
		if err != nil {
			return machine{}, "", err
		}
		if i > 0 && is != first {
			return machine{}, "", fmt.Errorf("pools of %d %s and of %d %s: the speed of a mixture is not known, "+
				"expected one type (model.layouts mixes measured ones)",
				first.gpus, first.gpu.Name, is.gpus, is.gpu.Name)
		}
		first = is
		assumed = note
	}
	return first, assumed, nil
}

// lookUp returns the GPUs of an instance type: by instances, else by the list of prices.
func (t *Transformer) lookUp(name string) (is machine, assumed string, err error) {
	find := func(i Instance) bool { return strings.EqualFold(i.Type, name) }
	at := slices.IndexFunc(t.Instances, find)
	if at < 0 {
		listed := Listed()
		if at = slices.IndexFunc(listed, find); at < 0 {
			return machine{}, "", model.At("instances", fmt.Errorf("the GPUs of instance type %q are not known; "+
				"expected {type: %s, gpu: H100, gpus: 8}", name, name))
		}
		is.gpu, _, err = transformer.GPUNamed(listed[at].GPU, listed[at].MemoryGB)
		is.gpus = listed[at].GPUs
		return is, "", err
	}
	own := t.Instances[at]
	is.gpus = own.GPUs
	is.gpu, assumed, err = transformer.GPUNamed(own.GPU, own.MemoryGB)
	if err != nil {
		err = model.At("instances", err)
	}
	return is, assumed, err
}

// Listed returns the instance types of the list of prices.
func Listed() (out []Instance) {
	type row struct {
		Type     string  `col:"instance_type"`
		GPU      string  `col:"gpu"`
		GPUs     int     `col:"gpus"`
		MemoryGB float64 `col:"memory_gb"`
	}
	for _, r := range facts.Read[row]("instance_prices") {
		out = append(out, Instance(r))
	}
	return out
}

// job returns what is trained, in steps.
func (t *Transformer) job(f *fitted) parallel.Job {
	batch := t.batch()
	save := 5.0
	if f.job.Method == transformer.Full { // else adapters alone are saved
		save = max(save, 12*t.Params/(2e9*float64(f.most)))
	}
	return parallel.Job{
		Samples:  math.Ceil(t.Tokens/batch) * batch,
		Batch:    batch,
		Min:      f.least,
		Max:      f.most,
		Restart:  units.Seconds(stats.Or(t.RestartS, 300)),
		Resize:   units.Seconds(stats.Or(t.ResizeS, 120)),
		Save:     units.Seconds(stats.Or(t.SaveS, math.Ceil(save))),
		Interval: units.Seconds(t.IntervalS),
	}
}

func (t *Transformer) batch() float64 {
	if t.BatchTokens == 0 {
		return 524288
	}
	return t.BatchTokens
}

// Open implements model.Job.
func (t *Transformer) Open(s model.Study) (*model.Opened, error) {
	f, err := t.fit(s)
	if err != nil {
		return nil, err
	}
	job := t.job(f)
	moved := t.offset(f, s.LnSpeed())
	of := func(pools int, ln float64) (*parallel.Model, error) {
		seconds := func(workers, _ int) float64 { return job.Batch / (f.speeds[workers].TokensPerS * math.Exp(ln)) }
		return parallel.NewOf(job, pools, seconds)
	}
	first, err := of(1, moved)
	if err != nil {
		return nil, err
	}
	opened := &model.Opened{
		On:       func(pools []sim.Pool) (sim.Model, error) { return of(len(pools), moved) },
		Warnings: append(f.notes, t.said(f)),
		Smallest: model.SmallestOf(first),
	}
	if t.Speed == "drawn" {
		begin, count := s.Seeds()
		draws := transformer.Drawn(f.speeds[f.most], f.machine.gpu.Name, begin, count)
		opened.OnSeed = func(pools []sim.Pool, seed int64) (sim.Model, error) {
			return of(len(pools), draws[seed-begin])
		}
		if count == 1 {
			opened.Warnings = append(opened.Warnings, "speed: drawn with one seed is the middle: expected seeds: 100")
		}
	}
	return opened, nil
}

// offset returns by what the logarithm of the speed is moved from its middle.
func (t *Transformer) offset(f *fitted, asked float64) float64 {
	most := &f.speeds[f.most]
	switch t.Speed {
	case "low":
		return -most.Slow.Of80
	case "high":
		return most.Fast.Of80
	}
	return asked
}

// said says that the speed is an estimate, and how wide it is.
func (t *Transformer) said(f *fitted) string {
	most := &f.speeds[f.most]
	if most.Measured {
		return fmt.Sprintf("speed: measured on %d %s, %.4g tokens/s",
			f.most*f.machine.gpus, f.machine.gpu.Name, most.TokensPerS)
	}
	return fmt.Sprintf("speed: estimated, %.4g tokens/s (80 %% band: %.2f to %.2f times the time, docs/dollars.md)",
		most.TokensPerS, math.Exp(-most.Fast.Of80), math.Exp(most.Slow.Of80))
}

// Estimate implements model.Estimated.
func (t *Transformer) Estimate(s model.Study) (model.Estimate, bool) {
	if t.Speed != "" && t.Speed != "band" {
		return model.Estimate{}, false
	}
	f, err := t.fit(s)
	if err != nil {
		return model.Estimate{}, false // Open says why
	}
	most := &f.speeds[f.most]
	memory := f.job.Memory(f.machine.gpu, f.machine.layout(f.most))
	return model.Estimate{
		Unit:   "tokens/s",
		Middle: most.TokensPerS,
		Slow:   most.Slow.Of80,
		Fast:   most.Fast.Of80,
		Memory: fmt.Sprintf("%v, %.0f of %.0f GB", memory.Fit, memory.GB, memory.OfGB),
	}, true
}

// SizeInSamples implements model.Sized: a sample is a token.
func (t *Transformer) SizeInSamples() float64 { return math.Ceil(t.Tokens/t.batch()) * t.batch() }
