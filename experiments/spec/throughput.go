package spec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/calibrate/pipeline"
)

// throughput reads or computes the speeds of layouts.
func (s *Spec) throughput(x *Throughput) (t pipeline.Throughput, warnings []string, err error) {
	switch {
	case x.Layers != "":
		t, warnings, err = s.computed(x)
		return t, warnings, err
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
	if x.Compression != (formulas.Compression{}) {
		if err := x.Compression.Check(false); err != nil {
			return t, nil, &partError{"compression", err}
		}
		t.Layouts = slices.Clone(t.Layouts)
		for i := range t.Layouts {
			t.Layouts[i].SamplesPerS *= x.Compression.Speedup
		}
		warnings = append(warnings, fmt.Sprintf("compression: the measured throughput is multiplied by %v, which is assumed, not measured; "+
			"accuracy is not modelled", x.Compression.Speedup))
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

func (s *Spec) computed(x *Throughput) (t pipeline.Throughput, warnings []string, err error) {
	n := pipeline.Network{MicroBatch: x.MicroBatch, Batch: x.Batch, Schedule: pipeline.OneFOneB,
		MemoryBytes: 1e9 * x.MemoryGB,
		StateFactor: x.StateFactor, BytesPerS: 1e9 * x.LinkGBPerS, Instances: s.fleet()}
	if n.StateFactor == 0 {
		n.StateFactor = pipeline.DefaultStateFactor
	}
	if x.Schedule != "" {
		if n.Schedule, err = pipeline.ParseSchedule(x.Schedule); err != nil {
			return t, nil, err
		}
	}
	if n.Layers, err = pipeline.OpenLayers(s.Path(x.Layers)); err != nil {
		return t, nil, err
	}
	if x.Compression != (formulas.Compression{}) {
		if warnings, err = compress(&n, &x.Compression); err != nil {
			return t, nil, &partError{"compression", err}
		}
	}
	speeds, err := n.Speeds()
	if err != nil {
		return t, nil, fmt.Errorf("%s: %w", x.Layers, err)
	}
	return pipeline.Throughput{Samples: float64(x.Batch), Layouts: speeds}, warnings, nil
}

// compress lets the ranks of a network compress what they exchange, and says by how much.
func compress(n *pipeline.Network, o *formulas.Compression) (warnings []string, err error) {
	if err := o.Check(true); err != nil {
		return nil, err
	}
	faster, err := o.WithinLayer(n.MicroBatch)
	if err != nil {
		return nil, err
	}
	for i := range n.Layers {
		l := &n.Layers[i]
		l.Forward, l.Backward = time.Duration(float64(l.Forward)/faster), time.Duration(float64(l.Backward)/faster)
	}
	says := []string{fmt.Sprintf("layers %.4g times as fast", faster)}
	if o.Stages {
		c := o.Compressor()
		n.Sent = c.Payload(o.Hidden, o.BytesPerNumber())
		n.Coder = time.Duration(1e9 * c.Coder(n.MicroBatch, o.Sequence, o.Hidden, 1e12*o.TFLOPs))
		says = append(says, fmt.Sprintf("between stages %.4g of the bytes, %v to encode a micro-batch", n.Sent, n.Coder))
	}
	return []string{"compression (" + string(o.Kind) + ") by a formula, not measured: " + strings.Join(says, ", ") + "; accuracy is not modelled"}, nil
}
