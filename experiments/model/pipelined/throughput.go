package pipelined

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/model"
)

// Throughput is a measured throughput, or what it is computed from.
type Throughput struct {
	Published   string `json:"published,omitempty" either:"source" jsonschema:"name of a throughput that comes with marigram, for instance bamboo-bert"`
	Table       string `json:"table,omitempty" either:"source" jsonschema:"CSV file with pipelines, stages, samples, step_s, relative to this file"`
	Interpolate bool   `json:"interpolate,omitempty" excludes:"layers" jsonschema:"fill gaps in the numbers of pipelines by interpolation; results say so"`

	Layers      string  `json:"layers,omitempty" either:"source" jsonschema:"CSV file with layer, forward_s, backward_s, weight_bytes, activation_bytes, output_bytes, relative to this file: the throughput is computed"`
	MicroBatch  int     `json:"micro_batch,omitempty" needs:"layers" jsonschema:"samples with which the layers were measured"`
	Batch       int     `json:"batch,omitempty" needs:"layers" jsonschema:"samples of a step"`
	Schedule    string  `json:"schedule,omitempty" names:"gpipe,1f1b,varuna" needs:"layers" jsonschema:"gpipe, 1f1b or varuna; 1f1b if absent"`
	MemoryGB    float64 `json:"memory_gb,omitempty" needs:"layers" jsonschema:"memory of an instance, 1e9 bytes"`
	StateFactor float64 `json:"state_factor,omitempty" needs:"layers" jsonschema:"bytes of memory per byte of weights; 4 (Adam: weights, gradients, two moments) if absent"`
	LinkGBPerS  float64 `json:"link_gb_per_s,omitempty" needs:"layers" jsonschema:"link between two instances, 1e9 bytes per second"`
}

// speeds is a throughput that was read or computed.
type speeds struct {
	pipeline.Throughput
	warnings []string
}

// open reads or computes the speeds of layouts.
func (t *Throughput) open(s model.Study) (*speeds, error) {
	switch {
	case t.Layers != "":
		return t.compute(s)
	case t.Published != "":
		published, err := pipeline.PublishedThroughput(t.Published)
		if err != nil {
			return nil, err
		}
		return t.complete(published)
	}
	measured, err := pipeline.OpenThroughput(s.Path(t.Table))
	if err != nil {
		return nil, err
	}
	return t.complete(measured)
}

// complete fills the gaps of a measured throughput.
func (t *Throughput) complete(measured pipeline.Throughput) (*speeds, error) {
	out := speeds{Throughput: measured}
	if filled := out.Fill(); filled != nil {
		if !t.Interpolate {
			return nil, fmt.Errorf("gap: no step time for %s (pipelines x stages); interpolate: true fills it",
				layoutNames(filled))
		}
		out.warnings = append(out.warnings,
			"interpolated, not measured: the throughput of "+layoutNames(filled)+" (pipelines x stages)")
	}
	return &out, nil
}

// layoutNames names layouts, eight at most.
func layoutNames(layouts []pipeline.LayoutSpeed) string {
	const shown = 8
	var names []string
	for _, layout := range layouts[:min(len(layouts), shown)] {
		names = append(names, fmt.Sprintf("%d x %d", layout.Pipelines, layout.Stages))
	}
	if more := len(layouts) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// compute computes the speeds of layouts from layers.
func (t *Throughput) compute(s model.Study) (*speeds, error) {
	network := pipeline.Network{
		MicroBatch:  t.MicroBatch,
		Batch:       t.Batch,
		Schedule:    pipeline.OneFOneB,
		MemoryBytes: 1e9 * t.MemoryGB,
		StateFactor: t.StateFactor,
		BytesPerS:   1e9 * t.LinkGBPerS,
		Instances:   s.Fleet(),
	}
	if network.StateFactor == 0 {
		network.StateFactor = pipeline.DefaultStateFactor
	}
	var err error
	if t.Schedule != "" {
		if network.Schedule, err = pipeline.ParseSchedule(t.Schedule); err != nil {
			return nil, err
		}
	}
	if network.Layers, err = pipeline.OpenLayers(s.Path(t.Layers)); err != nil {
		return nil, err
	}
	var out speeds
	out.Samples = float64(t.Batch)
	if out.Layouts, err = network.Speeds(); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Layers, err)
	}
	return &out, nil
}
