package spec

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
)

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

func (r *Recovery) recovery() (pipeline.Recovery, error) {
	out := pipeline.Recovery{Restart: units.Seconds(stats.Or(r.RestartS, 0)), Reconfigure: units.Seconds(r.ReconfigureS), Save: units.Seconds(r.SaveS),
		Persist:  units.Seconds(r.PersistS),
		Slowdown: r.Slowdown, Redundant: r.Redundant,
		Copies: pipeline.Copies{N: r.Copies, Ring: r.Group == "ring", Time: units.Seconds(r.CopyS), Restart: units.Seconds(stats.Or(r.RestartS, 0))}}
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
	if r.Loss == "migrated" && (stats.Or(r.RestartS, 0) != 0 || r.ReconfigureS != 0 || r.PersistS != 0 || r.Slowdown != 0 ||
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
