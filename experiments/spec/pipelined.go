package spec

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/compression"
	"github.com/marigram/marigram/calibrate/pipeline"
)

// Pipelined is synchronous training on pipelines of stages, until so many
// samples are trained.
type Pipelined struct {
	Samples    float64    `json:"samples,omitempty" jsonschema:"size of the job in samples"`
	Steps      float64    `json:"steps,omitempty" jsonschema:"size of the job in steps, instead"`
	Throughput Throughput `json:"throughput" jsonschema:"how fast it trains, by layout; a policy may have its own"`
	Recovery   Recovery   `json:"recovery,omitzero" jsonschema:"what losses and saves cost; a policy may have its own"`
}

// Throughput is a measured throughput, or what it is computed from.
type Throughput struct {
	Published   string `json:"published,omitempty" jsonschema:"name of a throughput that comes with marigram, for instance bamboo-bert"`
	Table       string `json:"table,omitempty" jsonschema:"CSV file with pipelines, stages, samples, step_s, relative to this file"`
	Interpolate bool   `json:"interpolate,omitempty" jsonschema:"fill gaps in the numbers of pipelines by interpolation; results say so"`

	Layers      string  `json:"layers,omitempty" jsonschema:"CSV file with layer, forward_s, backward_s, weight_bytes, activation_bytes, output_bytes, relative to this file: the throughput is computed"`
	MicroBatch  int     `json:"micro_batch,omitempty" jsonschema:"samples with which the layers were measured"`
	Batch       int     `json:"batch,omitempty" jsonschema:"samples of a step"`
	Schedule    string  `json:"schedule,omitempty" jsonschema:"gpipe, 1f1b or varuna; 1f1b if absent"`
	MemoryGB    float64 `json:"memory_gb,omitempty" jsonschema:"memory of an instance, 1e9 bytes"`
	StateFactor float64 `json:"state_factor,omitempty" jsonschema:"bytes of memory per byte of weights; 4 (Adam: weights, gradients, two moments) if absent"`
	LinkGBPerS  float64 `json:"link_gb_per_s,omitempty" jsonschema:"link between two instances, 1e9 bytes per second"`

	Compression compression.Option `json:"compression,omitzero" jsonschema:"ranks compress what they exchange: a formula, no measurement, and accuracy is not in it"`
}

// knownThroughput is one that was read or computed, which can take seconds.
type knownThroughput struct {
	pipeline.Throughput
	warnings []string
}

// Recovery says what losses and saves cost (pipeline.Recovery).
type Recovery struct {
	Loss         string   `json:"loss,omitempty" jsonschema:"what a loss of instances does: restarts (from the last save), covered (neighbours do the work), reinstantiated (from replicas) or migrated (the remaining instances continue in another layout); restarts if absent"`
	RestartS     *float64 `json:"restart_s,omitempty" jsonschema:"time from a loss until training continues from the last save; 0 if absent"`
	ReconfigureS float64  `json:"reconfigure_s,omitempty" was:"relay_s" jsonschema:"time to change the layout of pipelines without going back to a save"`
	SaveS        float64  `json:"save_s,omitempty" jsonschema:"time that training stops for a save"`
	PersistS     float64  `json:"persist_s,omitempty" jsonschema:"then the time until the save is complete, while training continues"`
	Slowdown     float64  `json:"slowdown,omitempty" jsonschema:"divides the speed while stages are covered; 1 if absent"`
	Redundant    float64  `json:"redundant,omitempty" jsonschema:"share of the time that is replicated computation: reported as redundant, without slowing training down, because the throughput was measured with it"`

	Migration *Migration `json:"migration,omitempty" jsonschema:"what migrations cost (loss: migrated)"`
}

func (r *Recovery) recovery() (pipeline.Recovery, error) {
	out := pipeline.Recovery{Restart: seconds(valueOr(r.RestartS, 0)), Reconfigure: seconds(r.ReconfigureS), Save: seconds(r.SaveS),
		Persist:  seconds(r.PersistS),
		Slowdown: r.Slowdown, Redundant: r.Redundant}
	for _, q := range []quantity{{"restart_s", valueOr(r.RestartS, 0)}, {"reconfigure_s", r.ReconfigureS}, {"save_s", r.SaveS},
		{"persist_s", r.PersistS}} {
		if err := q.check(86400); err != nil {
			return out, err
		}
	}
	if out.Slowdown == 0 {
		out.Slowdown = 1
	}
	var err error
	if r.Loss != "" {
		out.Loss, err = pipeline.ParseLossRule(r.Loss)
	}
	if migrated := out.Loss == pipeline.LossMigrated; err == nil && migrated != (r.Migration != nil) {
		err = fmt.Errorf("loss is %v: migration is required with loss: migrated, and not allowed otherwise", out.Loss)
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
	Published string `json:"published,omitempty" jsonschema:"network of Parcae whose costs come with marigram, for instance gpt-1.5b"`

	Layers      string  `json:"layers,omitempty" jsonschema:"instead: CSV file with layers, as for a throughput; weight_bytes (4 bytes per parameter) is the amount sent"`
	LinkGBPerS  float64 `json:"link_gb_per_s,omitempty" jsonschema:"link between two instances, 1e9 bytes per second"`
	RendezvousS float64 `json:"rendezvous_s,omitempty" jsonschema:"time until all instances know those that join"`
	RegroupS    float64 `json:"regroup_s,omitempty" jsonschema:"time to rebuild the communication groups, in every migration"`
	BuildS      float64 `json:"build_s,omitempty" jsonschema:"time to build a stage in memory, in every restart"`
	ReloadS     float64 `json:"reload_s,omitempty" jsonschema:"time to write a checkpoint and read it back, in a restart without parameter servers"`

	ServerShare float64 `json:"server_share,omitempty" jsonschema:"share of the speed that keeping parameter servers up to date takes; 0 if absent, as in Parcae's simulator"`
}
