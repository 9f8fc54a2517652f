package spec

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/pipeline"
)

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
