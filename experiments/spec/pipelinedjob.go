package spec

import (
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/sim"
)

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

// leastInstances returns the size of the smallest layout.
func leastInstances(m sim.PipelineModel) int {
	n := 1
	for d, _ := m.Best(n); d == 0; d, _ = m.Best(n) {
		n++
	}
	return n
}
