package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/sim"
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
			return t, nil, model.At("compression", err)
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
			return t, nil, model.At("compression", err)
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

// parts returns what makes a policy's job: its own, or else the model's.
func (s *Spec) parts(p *Policy) (*Throughput, *Recovery) {
	t, r := p.Throughput, p.Recovery
	if t == nil {
		t = &s.Model.Pipelined.Throughput
	}
	if r == nil {
		r = &s.Model.Pipelined.Recovery
	}
	return t, r
}

// pipelinedJob is a pipelined job under one policy.
type pipelinedJob struct {
	sim.PipelineModel
	recovery pipeline.Recovery
	warnings []string
}

// pipelined returns the model that a policy runs, and doubts about it. Errors of
// throughput and recovery are those of model.At.
func (s *Spec) pipelined(p *Policy) (out pipelinedJob, err error) {
	m := s.Model.Pipelined
	from, r := s.parts(p)
	known, again := s.throughputs[*from]
	if !again {
		if known.Throughput, known.warnings, err = s.throughput(from); err != nil {
			return out, model.At("throughput", err)
		}
		if s.throughputs == nil {
			s.throughputs = map[Throughput]knownThroughput{}
		}
		s.throughputs[*from] = known
	}
	if out.recovery, err = r.recovery(); err != nil {
		return out, model.At("recovery", err)
	}
	out.warnings = known.warnings
	total := m.Samples
	if m.Steps > 0 {
		total = m.Steps * known.Samples
	}
	if out.recovery.Loss != pipeline.LossMigrated {
		out.PipelineModel, err = pipeline.New(total, known.Samples, known.Layouts, out.recovery)
		return out, err
	}
	costs, err := s.costs(r.Migration, &known.Throughput)
	if err == nil {
		out.PipelineModel, err = pipeline.NewMigrating(total, costs, out.recovery.Save, r.Migration.ServerShare)
	}
	if err != nil {
		err = model.At("recovery.migration", err)
	}
	return out, err
}

// minInstances returns the size of the smallest layout.
func minInstances(m sim.PipelineModel) int {
	n := 1
	for d, _ := m.Best(n); d == 0; d, _ = m.Best(n) {
		n++
	}
	return n
}

// costs returns the migrations of a network that trains on some layouts.
func (s *Spec) costs(m *Migration, t *pipeline.Throughput) (*pipeline.Parcae, error) {
	switch {
	case t.Samples != math.Trunc(t.Samples):
		return nil, fmt.Errorf("steps of %v samples, expected a whole number of them", t.Samples)
	case m.Published != "":
		p, err := pipeline.LoadParcae(m.Published)
		if err != nil {
			return nil, err
		}
		p.Batch = int(t.Samples)
		return p.WithSpeeds(t.Layouts)
	}
	return s.measuredCosts(m, t)
}

// measuredCosts puts the parts of a migration together.
func (s *Spec) measuredCosts(m *Migration, t *pipeline.Throughput) (*pipeline.Parcae, error) {
	if m.LinkGBPerS == 0 {
		return nil, fmt.Errorf("link_gb_per_s is missing: layers need it")
	}
	layers, err := pipeline.OpenLayers(s.Path(m.Layers))
	if err != nil {
		return nil, err
	}
	const bytesPerParameter = 4
	p := pipeline.Parcae{
		Batch: int(t.Samples), MinPipelines: 1,
		Restart: pipeline.RestartCosts{Rendezvous: 1e3 * m.RendezvousS, Regroup: 1e3 * m.RegroupS, Save: 1e3 * m.ReloadS,
			Build: func(int) float64 { return 1e3 * m.BuildS }},
		Transfer: pipeline.TransferTable{Bytes: []float64{0, 1e9}, MS: []float64{0, 1e3 / m.LinkGBPerS}},
	}
	for _, l := range layers {
		p.Layers = append(p.Layers, l.WeightBytes/bytesPerParameter)
	}
	for _, l := range t.Layouts {
		if l.Stages > len(layers) {
			return nil, fmt.Errorf("the throughput has pipelines of %d stages, but %s has only %d layers", l.Stages, m.Layers,
				len(layers))
		}
		if !slices.Contains(p.Depths, l.Stages) {
			p.Depths = append(p.Depths, l.Stages)
		}
	}
	slices.Sort(p.Depths)
	return pipeline.NewParcae(p, t.Layouts), nil
}
