package spec

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate/pipeline"
)

// throughput reads or computes the speeds of layouts.
func (s *Spec) throughput(x *Throughput) (t pipeline.Throughput, warnings []string, err error) {
	sources := 0
	for _, name := range []string{x.Published, x.Table, x.Layers} {
		if name != "" {
			sources++
		}
	}
	computed := x.MicroBatch != 0 || x.Batch != 0 || x.Schedule != "" || x.MemoryGB != 0 || x.StateFactor != 0 ||
		x.LinkGBPerS != 0
	switch {
	case sources != 1:
		return t, nil, fmt.Errorf("expected one of published, table and layers")
	case x.Layers == "" && computed:
		return t, nil, fmt.Errorf("micro_batch, batch, schedule, memory_gb, state_factor and link_gb_per_s belong to layers")
	case x.Layers != "" && x.Interpolate:
		return t, nil, fmt.Errorf("interpolate is for a table: a computed throughput has no gaps")
	case x.Layers != "":
		t, err = s.computed(x)
		return t, nil, err
	case x.Published != "":
		t, err = pipeline.PublishedThroughput(x.Published)
	default:
		t, err = pipeline.OpenThroughput(s.Path(x.Table))
	}
	if err != nil {
		return t, nil, err
	}
	if filled := t.Fill(); filled != nil && !x.Interpolate {
		return t, nil, fmt.Errorf("gap: no step time for %s (pipelines x stages); interpolate: true fills it",
			layoutNames(filled))
	} else if filled != nil {
		warnings = []string{"interpolated, not measured: the throughput of " + layoutNames(filled) + " (pipelines x stages)"}
	}
	return t, warnings, nil
}

func layoutNames(layouts []pipeline.LayoutSpeed) string {
	var names []string
	for _, l := range layouts[:min(len(layouts), 8)] {
		names = append(names, fmt.Sprintf("%d x %d", l.Pipelines, l.Stages))
	}
	if more := len(layouts) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

func (s *Spec) computed(x *Throughput) (pipeline.Throughput, error) {
	n := pipeline.Network{MicroBatch: x.MicroBatch, Batch: x.Batch, Schedule: pipeline.OneFOneB,
		MemoryBytes: 1e9 * x.MemoryGB,
		StateFactor: x.StateFactor, BytesPerS: 1e9 * x.LinkGBPerS, Instances: s.fleet()}
	if n.StateFactor == 0 {
		n.StateFactor = pipeline.DefaultStateFactor
	}
	var err error
	if x.Schedule != "" {
		if n.Schedule, err = pipeline.ParseSchedule(x.Schedule); err != nil {
			return pipeline.Throughput{}, err
		}
	}
	if n.Layers, err = pipeline.OpenLayers(s.Path(x.Layers)); err != nil {
		return pipeline.Throughput{}, err
	}
	speeds, err := n.Speeds()
	if err != nil {
		return pipeline.Throughput{}, fmt.Errorf("%s: %w", x.Layers, err)
	}
	return pipeline.Throughput{Samples: float64(x.Batch), Layouts: speeds}, nil
}
