package spec

import (
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/experiments/model/pipelined"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/fields"
)

// Model says how the job trains: as one of the registered kinds has it, or in layouts over GPU types and zones.
type Model struct {
	Kind model.Section `json:"-"` // the keys of the registered kinds

	Gang *cluster.Gang `json:"gang,omitempty" needs:"/jobs" excludes:"*" jsonschema:"how each of many jobs trains (jobs): all its GPUs at once; excludes the other keys"`

	Layout *Layout `json:"layout,omitempty" excludes:"*" jsonschema:"training in the best layout of what is held (tensor, pipeline and data parallelism) over GPU types and zones; excludes the other keys"`
}

// UnmarshalYAML decodes the keys of the struct and those of the registered kinds.
func (m *Model) UnmarshalYAML(decode func(any) error) error { return fields.Decode(m, decode) }

// Layout is training in the best layout of what is held, over GPU types and zones (package calibrate/layout, Training).
type Layout struct {
	Profiles string `json:"profiles" required:"true" jsonschema:"folder of profiles in the form of Sailor or written by the profiler (calibrate/facts/h100), relative to this file, or pulled:sailor"`
	Network  string `json:"network" required:"true" jsonschema:"profiled network, for instance OPT-350"`
	Runtime  string `json:"runtime,omitempty" jsonschema:"what the training program adds to the times and sizes of layers: deepspeed-gh200, deepspeed-consumer or torch (calibrate/facts/layout_runtimes.csv); if absent, torch with the profiler's profiles, else deepspeed-gh200"`

	Samples     float64 `json:"samples,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in samples"`
	Steps       float64 `json:"steps,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in steps, instead"`
	GlobalBatch int     `json:"global_batch" min:"1" max:"1000000" required:"true" jsonschema:"samples of a step, which stays the same in all layouts"`

	GPUs  []LayoutGPUs `json:"gpus" required:"true" jsonschema:"which GPUs an instance of each type has"`
	Links *LayoutLinks `json:"links,omitempty" jsonschema:"links between instances, and the price of traffic; if absent, those that were measured with the profiles, between the zones that they name"`

	Goal          string  `json:"goal,omitempty" names:"throughput,cost" jsonschema:"which layout of a set is the best: that of most throughput, or of least cost an iteration (the instances that it uses, and traffic); throughput if absent"`
	MaxUSDPerStep float64 `json:"max_usd_per_step,omitempty" above:"0" max:"1e9" jsonschema:"only layouts whose iteration costs no more; any if absent"`
	MaxStepS      float64 `json:"max_step_s,omitempty" above:"0" max:"86400" jsonschema:"only layouts whose step takes no longer; any if absent"`

	Recovery  pipelined.Recovery `json:"recovery,omitzero" jsonschema:"what losses, saves and changes cost: loss is restarts (from the last save) or reinstantiated (from replicas, while each stage has one left), with restart_s, reconfigure_s (then the bytes move that instances lack), save_s and persist_s"`
	IntervalS float64            `json:"interval_s,omitempty" min:"1" max:"604800" jsonschema:"between saves, under policies without an interval of their own; Young's interval by the losses so far if absent"`
	Moved     *float64           `json:"state_factor,omitempty" min:"0" max:"100" jsonschema:"bytes that move in a change of layout, by byte of 4-byte parameters; 3 (parameters and Adam's two moments) if absent"`
}

// LayoutGPUs says which GPUs an instance of a type has.
type LayoutGPUs struct {
	Type    string  `json:"type" required:"true" jsonschema:"instance type of the pools"`
	GPU     string  `json:"gpu" required:"true" jsonschema:"GPU as the profiles name it, for instance V100-16"`
	Count   int     `json:"count,omitempty" min:"1" max:"64" jsonschema:"GPUs of an instance; 1 if absent"`
	USDPerH float64 `json:"usd_per_h,omitempty" min:"0" max:"100000" jsonschema:"price of an instance with which layouts are compared (goal: cost, max_usd_per_step); that on demand if absent"`
}

// LayoutLinks are links that have one bandwidth within a zone, between the zones of a region, and beyond.
type LayoutLinks struct {
	ZoneGBPerS   float64  `json:"zone_gb_per_s" above:"0" max:"1e6" required:"true" jsonschema:"between two instances of a zone, 1e9 bytes per second"`
	RegionGBPerS float64  `json:"region_gb_per_s,omitempty" above:"0" max:"1e6" jsonschema:"between zones of a region; no layout spans zones if absent"`
	BeyondGBPerS float64  `json:"beyond_gb_per_s,omitempty" above:"0" max:"1e6" jsonschema:"between regions and clouds; no layout spans them if absent"`
	Tariff       string   `json:"tariff,omitempty" excludes:"usd_per_gb" jsonschema:"price of traffic between zones: aws-2025 (between regions), tiers-2020 (AWS, Azure and Google; between zones, too) or a CSV file as for market.moves; free if absent"`
	USDPerGB     *float64 `json:"usd_per_gb,omitempty" min:"0" max:"10000" jsonschema:"one price instead of a tariff, for every other zone, region and cloud"`
}
