package pipelined

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
)

// Recovery says what losses and saves cost (pipeline.Recovery).
type Recovery struct {
	Loss         string   `json:"loss,omitempty" names:"restarts,covered,reinstantiated,migrated" jsonschema:"what a loss of instances does: restarts (from the last save), covered (neighbours do the work), reinstantiated (from replicas) or migrated (the remaining instances continue in another layout); restarts if absent"`
	RestartS     *float64 `json:"restart_s,omitempty" min:"0" max:"86400" jsonschema:"time from a loss until training continues from the last save; 0 if absent"`
	ReconfigureS float64  `json:"reconfigure_s,omitempty" min:"0" max:"86400" jsonschema:"time to change the layout of pipelines without going back to a save"`
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

// rules returns what losses and saves cost.
func (r *Recovery) rules() (pipeline.Recovery, error) {
	restart := units.Seconds(stats.Or(r.RestartS, 0))
	rules := pipeline.Recovery{
		Restart:     restart,
		Reconfigure: units.Seconds(r.ReconfigureS),
		Save:        units.Seconds(r.SaveS),
		Persist:     units.Seconds(r.PersistS),
		Slowdown:    r.Slowdown,
		Redundant:   r.Redundant,
		Copies: pipeline.Copies{
			N:       r.Copies,
			Ring:    r.Group == "ring",
			Time:    units.Seconds(r.CopyS),
			Restart: restart,
		},
	}
	if r.CopiesRestartS != nil {
		rules.Copies.Restart = units.Seconds(*r.CopiesRestartS)
	}
	if rules.Slowdown == 0 {
		rules.Slowdown = 1
	}
	if r.Loss != "" {
		var err error
		if rules.Loss, err = pipeline.ParseLossRule(r.Loss); err != nil {
			return rules, err
		}
	}
	if rules.Loss != pipeline.LossMigrated {
		return rules, nil
	}
	if r.Migration == nil {
		return rules, errors.New("migration is missing: loss: migrated needs it")
	}
	if restart != 0 || r.ReconfigureS != 0 || r.PersistS != 0 || r.Slowdown != 0 || r.Redundant != 0 {
		return rules, errors.New("restart_s, reconfigure_s, persist_s, slowdown or redundant with loss: migrated, " +
			"expected only save_s: migration has the other costs")
	}
	return rules, nil
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

// costs returns the migrations of a network that trains on some layouts.
func (m *Migration) costs(s model.Study, trains *pipeline.Throughput) (*pipeline.Parcae, error) {
	if trains.Samples != math.Trunc(trains.Samples) {
		return nil, fmt.Errorf("steps of %v samples, expected a whole number of them", trains.Samples)
	}
	if m.Published == "" {
		return m.measuredCosts(s, trains)
	}
	published, err := pipeline.LoadParcae(m.Published)
	if err != nil {
		return nil, err
	}
	published.Batch = int(trains.Samples)
	return published.WithSpeeds(trains.Layouts)
}

// measuredCosts puts the parts of a migration together.
func (m *Migration) measuredCosts(s model.Study, trains *pipeline.Throughput) (*pipeline.Parcae, error) {
	if m.LinkGBPerS == 0 {
		return nil, errors.New("link_gb_per_s is missing: layers need it")
	}
	layers, err := pipeline.OpenLayers(s.Path(m.Layers))
	if err != nil {
		return nil, err
	}
	const bytesPerParameter = 4
	network := pipeline.Parcae{
		Batch:        int(trains.Samples),
		MinPipelines: 1,
		Restart: pipeline.RestartCosts{
			Rendezvous: 1e3 * m.RendezvousS,
			Regroup:    1e3 * m.RegroupS,
			Save:       1e3 * m.ReloadS,
			Build:      func(int) float64 { return 1e3 * m.BuildS },
		},
		Transfer: pipeline.TransferTable{Bytes: []float64{0, 1e9}, MS: []float64{0, 1e3 / m.LinkGBPerS}},
	}
	for _, layer := range layers {
		network.Layers = append(network.Layers, layer.WeightBytes/bytesPerParameter)
	}
	for _, layout := range trains.Layouts {
		if layout.Stages > len(layers) {
			return nil, fmt.Errorf("the throughput has pipelines of %d stages, but %s has only %d layers",
				layout.Stages, m.Layers, len(layers))
		}
		if !slices.Contains(network.Depths, layout.Stages) {
			network.Depths = append(network.Depths, layout.Stages)
		}
	}
	slices.Sort(network.Depths)
	return pipeline.NewParcae(network, trains.Layouts), nil
}
