package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/units"
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
// throughput and recovery are a *partError.
func (s *Spec) pipelined(p *Policy) (out pipelinedJob, err error) {
	m := s.Model.Pipelined
	from, r := s.parts(p)
	known, again := s.throughputs[*from]
	if !again {
		if known.Throughput, known.warnings, err = s.throughput(from); err != nil {
			return out, &partError{"throughput", err}
		}
		if s.throughputs == nil {
			s.throughputs = map[Throughput]knownThroughput{}
		}
		s.throughputs[*from] = known
	}
	if out.recovery, err = r.recovery(); err != nil {
		return out, &partError{"recovery", err}
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
		err = &partError{"recovery.migration", err}
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

// Pipelined is synchronous training on pipelines of stages, until n
// samples are trained.
type Pipelined struct {
	Samples    float64    `json:"samples,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in samples"`
	Steps      float64    `json:"steps,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in steps, instead"`
	Throughput Throughput `json:"throughput" jsonschema:"how fast it trains, by layout; a policy may have its own"`
	Recovery   Recovery   `json:"recovery,omitzero" jsonschema:"what losses and saves cost; a policy may have its own"`
}

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

	Compression formulas.Compression `json:"compression,omitzero" jsonschema:"ranks compress what they exchange: a formula, no measurement, and accuracy is not in it"`
}

// knownThroughput is one that was read or computed, which can take seconds.
type knownThroughput struct {
	pipeline.Throughput
	warnings []string
}

// Recovery says what losses and saves cost (pipeline.Recovery).
type Recovery struct {
	Loss         string   `json:"loss,omitempty" names:"restarts,covered,reinstantiated,migrated" jsonschema:"what a loss of instances does: restarts (from the last save), covered (neighbours do the work), reinstantiated (from replicas) or migrated (the remaining instances continue in another layout); restarts if absent"`
	RestartS     *float64 `json:"restart_s,omitempty" min:"0" max:"86400" jsonschema:"time from a loss until training continues from the last save; 0 if absent"`
	ReconfigureS float64  `json:"reconfigure_s,omitempty" min:"0" max:"86400" was:"relay_s" jsonschema:"time to change the layout of pipelines without going back to a save"`
	SaveS        float64  `json:"save_s,omitempty" min:"0" max:"86400" jsonschema:"time that training stops for a save"`
	PersistS     float64  `json:"persist_s,omitempty" min:"0" max:"86400" jsonschema:"then the time until the save is complete, while training continues"`
	Slowdown     float64  `json:"slowdown,omitempty" jsonschema:"divides the speed while stages are covered; 1 if absent"`
	Redundant    float64  `json:"redundant,omitempty" jsonschema:"share of the time that is replicated computation: reported as redundant, without slowing training down, because the throughput was measured with it"`

	Copies         int      `json:"copies,omitempty" min:"2" max:"8" jsonschema:"instances that have the state of each in their memory, its own included (Gemini): after a loss training goes on from the last copy, unless all that have a state are lost at once; none if absent. For loss: restarts"`
	Group          string   `json:"group,omitempty" names:"groups,ring" needs:"copies" jsonschema:"where copies are: groups (of instances that have the same) or ring (at those that follow); groups if absent"`
	CopyS          float64  `json:"copy_s,omitempty" min:"0" max:"86400" needs:"copies" jsonschema:"time that a copy takes while training goes on; where it is longer than a step, only every n-th step is copied"`
	CopiesRestartS *float64 `json:"copies_restart_s,omitempty" min:"0" max:"86400" needs:"copies" jsonschema:"time from a loss until training continues from a copy; restart_s if absent"`

	Migration *Migration `json:"migration,omitempty" needs:"loss=migrated" jsonschema:"what migrations cost (loss: migrated)"`
}

func (r *Recovery) recovery() (pipeline.Recovery, error) {
	out := pipeline.Recovery{Restart: units.Seconds(valueOr(r.RestartS, 0)), Reconfigure: units.Seconds(r.ReconfigureS), Save: units.Seconds(r.SaveS),
		Persist:  units.Seconds(r.PersistS),
		Slowdown: r.Slowdown, Redundant: r.Redundant,
		Copies: pipeline.Copies{N: r.Copies, Ring: r.Group == "ring", Time: units.Seconds(r.CopyS), Restart: units.Seconds(valueOr(r.RestartS, 0))}}
	if r.CopiesRestartS != nil {
		out.Copies.Restart = units.Seconds(*r.CopiesRestartS)
	}
	if out.Slowdown == 0 {
		out.Slowdown = 1
	}
	var err error
	if r.Loss != "" {
		out.Loss, err = pipeline.ParseLossRule(r.Loss)
	}
	if err == nil && out.Loss == pipeline.LossMigrated && r.Migration == nil {
		err = fmt.Errorf("migration is missing: loss: migrated needs it")
	}
	if r.Loss == "migrated" && (valueOr(r.RestartS, 0) != 0 || r.ReconfigureS != 0 || r.PersistS != 0 || r.Slowdown != 0 ||
		r.Redundant != 0) {
		err = fmt.Errorf("restart_s, reconfigure_s, persist_s, slowdown or redundant with loss: migrated, " +
			"expected only save_s: migration has the other costs")
	}
	return out, err
}

// Migration says what it costs to go from one layout to another by live
// migration (pipeline.Parcae): published, or from measured parts.
type Migration struct {
	Published string `json:"published,omitempty" either:"source" jsonschema:"network of Parcae whose costs come with marigram, for instance gpt-1.5b"`

	Layers      string  `json:"layers,omitempty" either:"source" jsonschema:"instead: CSV file with layers, as for a throughput; weight_bytes (4 bytes per parameter) is the amount sent"`
	LinkGBPerS  float64 `json:"link_gb_per_s,omitempty" above:"0" max:"1e6" needs:"layers" jsonschema:"link between two instances, 1e9 bytes per second"`
	RendezvousS float64 `json:"rendezvous_s,omitempty" min:"0" max:"86400" needs:"layers" jsonschema:"time until all instances know those that join"`
	RegroupS    float64 `json:"regroup_s,omitempty" min:"0" max:"86400" needs:"layers" jsonschema:"time to rebuild the communication groups, in every migration"`
	BuildS      float64 `json:"build_s,omitempty" min:"0" max:"86400" needs:"layers" jsonschema:"time to build a stage in memory, in every restart"`
	ReloadS     float64 `json:"reload_s,omitempty" min:"0" max:"86400" needs:"layers" jsonschema:"time to write a checkpoint and read it back, in a restart without parameter servers"`

	ServerShare float64 `json:"server_share,omitempty" jsonschema:"share of the speed that keeping parameter servers up to date takes; 0 if absent, as in Parcae's simulator"`
}
