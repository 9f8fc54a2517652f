package spec

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/pipeline"
)

// Migration says what it costs to go from one layout to another by live
// migration (pipeline.Parcae): published, or from measured parts.
type Migration struct {
	Published string `json:"published,omitempty" jsonschema:"network of Parcae whose costs come with marigram, for instance gpt-1.5b"`

	Layers      string  `json:"layers,omitempty" jsonschema:"instead: CSV file with layers, as for a throughput; weight_bytes (4 bytes per parameter) is the amount sent"`
	LinkGBPerS  float64 `json:"link_gb_per_s,omitempty" jsonschema:"link between two instances, 1e9 bytes per second"`
	RendezvousS float64 `json:"rendezvous_s,omitempty" jsonschema:"time until all instances know those that join"`
	RegroupS    float64 `json:"regroup_s,omitempty" jsonschema:"time to rebuild the communication groups, in every migration"`
	BuildS      float64 `json:"build_s,omitempty" jsonschema:"time to build a stage in memory, in every restart"`
	ReloadS     float64 `json:"reload_s,omitempty" jsonschema:"time to write a checkpoint and read it back, in a restart without parameter servers"`

	ServerShare float64 `json:"server_share,omitempty" jsonschema:"share of the speed that keeping parameter servers up to date takes; 0 if absent, as in Parcae's simulator"`
}

// costs returns the migrations of a network that trains on some layouts.
func (s *Spec) costs(m *Migration, t *pipeline.Throughput) (*pipeline.Parcae, error) {
	measured := m.LinkGBPerS != 0 || m.RendezvousS != 0 || m.RegroupS != 0 || m.BuildS != 0 || m.ReloadS != 0
	switch {
	case (m.Published == "") == (m.Layers == ""):
		return nil, fmt.Errorf("expected one of published and layers")
	case t.Samples != math.Trunc(t.Samples):
		return nil, fmt.Errorf("steps of %v samples, expected a whole number of them", t.Samples)
	case m.Published != "" && measured:
		return nil, fmt.Errorf("link_gb_per_s, rendezvous_s, regroup_s, build_s and reload_s belong to layers")
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
	if !(m.LinkGBPerS > 0 && m.LinkGBPerS <= 1e6) {
		return nil, fmt.Errorf("link_gb_per_s is %v, expected above 0 and at most 1e6", m.LinkGBPerS)
	}
	for _, x := range []quantity{{"rendezvous_s", m.RendezvousS}, {"regroup_s", m.RegroupS}, {"build_s", m.BuildS}, {"reload_s", m.ReloadS}} {
		if err := x.check(86400); err != nil {
			return nil, err
		}
	}
	layers, err := pipeline.OpenLayers(s.Path(m.Layers))
	if err != nil {
		return nil, err
	}
	const bytesPerParameter = 4
	p := pipeline.Parcae{
		Batch: int(t.Samples), LeastPipelines: 1,
		Restart: pipeline.RestartCosts{Rendezvous: 1e3 * m.RendezvousS, Regroup: 1e3 * m.RegroupS, Save: 1e3 * m.ReloadS,
			Build: func(int) float64 { return 1e3 * m.BuildS }},
		Transfer: pipeline.TransferTable{Bytes: []float64{0, 1e9}, MS: []float64{0, 1e3 / m.LinkGBPerS}},
	}
	for _, l := range layers {
		p.Layers = append(p.Layers, l.WeightBytes/bytesPerParameter)
	}
	for _, l := range t.Layouts {
		if l.Stages > len(layers) {
			return nil, fmt.Errorf("the throughput has pipelines of %d stages, but %s has only %d layers", l.Stages, m.Layers, len(layers))
		}
		if !slices.Contains(p.Depths, l.Stages) {
			p.Depths = append(p.Depths, l.Stages)
		}
	}
	slices.Sort(p.Depths)
	return pipeline.NewParcae(p, t.Layouts), nil
}

// quantity is a number of a spec, which is at least 0.
type quantity struct {
	name string
	x    float64
}

func (q quantity) check(most float64) error {
	if q.x < 0 || q.x > most {
		return fmt.Errorf("%s is %v, expected 0 to %v", q.name, q.x, most)
	}
	return nil
}
