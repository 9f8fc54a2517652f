package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/units"
)

// Gang says how jobs train that need all their GPUs at once.
type Gang struct {
	Speeds     string  `json:"speeds,omitempty" jsonschema:"how fast kinds of job are on each model of GPU: gavel, gavel-physical, or a CSV file with the columns kind, gpus and one for each model, relative to this file; if absent, a job takes its duration on any GPU"`
	DurationOn string  `json:"duration_on,omitempty" needs:"speeds" jsonschema:"model of GPU to which durations of the trace refer that do not say it (with speeds)"`
	Pairs      string  `json:"pairs,omitempty" needs:"speeds" excludes:"tasks" jsonschema:"how fast two jobs are that share GPUs (with speeds): gavel, or a CSV file with the columns kind, beside, gpus and one for each model of GPU, relative to this file; for policies that put two jobs on the same GPUs. Jobs that it does not list share none"`
	RestartS   float64 `json:"restart_s,omitempty" min:"0" max:"86400" jsonschema:"time until a job trains again after it was stopped or moved, with its GPUs held; 0 if absent"`
	SaveEveryS float64 `json:"save_every_s,omitempty" min:"0" max:"86400" jsonschema:"time that a job trains between two saves, to the last of which it falls back when GPUs fail or the cloud takes them; 0 or absent: nothing is lost"`
	SaveS      float64 `json:"save_s,omitempty" min:"0" max:"86400" needs:"save_every_s" jsonschema:"time that each of these saves stops training, counted as checkpointing_h; 0 if absent"`

	Tasks *Tasks `json:"tasks,omitempty" jsonschema:"jobs as tasks that share rented instances (market.instances)"`

	Network       []float64            `json:"network,omitempty" above:"0" max:"1" jsonschema:"part of its speed that a job of several GPUs keeps on one server, on several of one rack, and on several racks: three numbers, above 0 to 1; one more for each further tier of market.tiers; if absent, all of it"`
	NetworkByKind map[string][]float64 `json:"network_by_kind,omitempty" above:"0" max:"1" jsonschema:"the same for kinds of job that differ, by kind; the others have network"`
}

// tables are those that come with marigram.
var tables = map[string]func() *throughput.Table{"gavel": throughput.Gavel, "gavel-physical": throughput.GavelPhysical}

// TableFile returns the name of the file with the speeds; empty where there is none.
func (g *Gang) TableFile() string {
	if g == nil || tables[g.Speeds] != nil {
		return ""
	}
	return g.Speeds
}

// Check reports what is wrong with what is at $.model.gang, where servers are in places of these tiers.
func (g *Gang) Check(tiers []Tier, at At) error {
	if g == nil {
		return nil
	}
	if err := checkNetwork("$.model.gang.network", g.Network, tiers, at); err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(g.NetworkByKind)) {
		if err := checkNetwork("$.model.gang.network_by_kind", g.NetworkByKind[kind], tiers, at); err != nil {
			return fmt.Errorf("%w (kind %q)", err, kind)
		}
	}
	return nil
}

// SharesGPUs reports whether two jobs can share GPUs.
func (g *Gang) SharesGPUs() bool { return g != nil && g.Pairs != "" }

// PairsFile returns the name of the file with the speeds of pairs; empty where there is none.
func (g *Gang) PairsFile() string {
	if g == nil || g.Pairs == gavelPairs {
		return ""
	}
	return g.Pairs
}

// gavelPairs is the name of the speeds of pairs that come with marigram.
const gavelPairs = "gavel"

// TableOfPairs returns the speeds of pairs of the kinds of a table, nil where there are none; file makes a path of a file's name.
func (g *Gang) TableOfPairs(of *throughput.Table, file func(string) string) (*throughput.Pairs, error) {
	switch {
	case !g.SharesGPUs():
		return nil, nil
	case g.Pairs == gavelPairs:
		return throughput.GavelPairs(), nil
	}
	p, err := throughput.OpenPairs(file(g.Pairs), of)
	if err != nil && !strings.ContainsAny(g.Pairs, "./\\") {
		err = fmt.Errorf("%w; expected a file, or gavel", err)
	}
	return p, err
}

// Apply gives a model what changes of its GPUs cost.
func (g *Gang) Apply(to *throughput.Gang) {
	if g == nil {
		return
	}
	to.Restart, to.SaveEvery, to.Save = units.Seconds(g.RestartS), units.Seconds(g.SaveEveryS), units.Seconds(g.SaveS)
}

// checkNetwork reports what is wrong with the parts of their speed that jobs keep.
func checkNetwork(place string, keeps []float64, tiers []Tier, at At) error {
	if spans := Spans(tiers); keeps != nil && len(keeps) != len(spans)+1 {
		return at(place, "%d numbers, expected %d: on one server, %s", len(keeps), len(spans)+1, strings.Join(spans, ", "))
	}
	return nil
}

// Own returns the network of a kind of job, false if it has none of its own.
func (g *Gang) Own(kind string) (keeps []float64, own bool) {
	if g == nil {
		return nil, false
	}
	keeps, own = g.NetworkByKind[kind]
	return keeps, own
}

// Between returns what the network leaves of the speed of a kind of job on pools in places of these tiers (sim.Market.Tiers), nil where it
// leaves all.
func (g *Gang) Between(kind string, tiers [][]int32) *throughput.Network {
	keeps, own := g.Own(kind)
	if !own && g != nil {
		keeps = g.Network
	}
	if keeps == nil {
		return nil
	}
	return &throughput.Network{Keeps: keeps, Tiers: tiers}
}

// Table returns the speeds, nil where there are none; file makes a path of a file's name.
func (g *Gang) Table(file func(string) string) (*throughput.Table, error) {
	if g == nil || g.Speeds == "" {
		return nil, nil
	}
	if own := tables[g.Speeds]; own != nil {
		return own(), nil
	}
	t, err := throughput.Open(file(g.Speeds))
	if err != nil && !strings.ContainsAny(g.Speeds, "./\\") {
		err = fmt.Errorf("%w; expected a file, gavel or gavel-physical", err)
	}
	return t, err
}

// Tasks says what the tasks of jobs take of an instance that is shared, how long they take to begin and to end, and how they slow
// one another.
type Tasks struct {
	Kinds          string  `json:"kinds,omitempty" jsonschema:"what each kind of job needs: eva, or a CSV file with the columns kind, tasks, gpus, vcpus, memory_gb and iterations_per_s, and, if wanted, family (of instances), launch_s, build_s, init_s, stop_s and save_s, relative to this file; work is in iterations, or the duration at that speed. If absent, tasks are of a job's GPUs"`
	GPUsPerTask    int     `json:"gpus_per_task,omitempty" min:"0" max:"1024" excludes:"kinds" jsonschema:"without kinds: a job of more GPUs is several tasks of this number each, the last of which may have fewer in use; 8 if absent"`
	CPUsPerGPU     float64 `json:"cpus_per_gpu,omitempty" min:"0" max:"1024" excludes:"kinds" jsonschema:"without kinds: cores that a task takes for each of its GPUs; 0 if absent"`
	MemoryGBPerGPU float64 `json:"memory_gb_per_gpu,omitempty" min:"0" max:"65536" excludes:"kinds" jsonschema:"without kinds: memory that a task takes for each of its GPUs, GB; 0 if absent"`
	LaunchS        float64 `json:"launch_s,omitempty" min:"0" max:"86400" excludes:"kinds" jsonschema:"without kinds: time from its place on an instance until a task has been launched; 0 if absent"`
	InitS          float64 `json:"init_s,omitempty" min:"0" max:"86400" excludes:"kinds" jsonschema:"without kinds: time from the launch of the last task until the job trains; 0 if absent"`
	StopS          float64 `json:"stop_s,omitempty" min:"0" max:"86400" excludes:"kinds" jsonschema:"without kinds: time for which a job that is to move trains on; 0 if absent"`
	UploadS        float64 `json:"upload_s,omitempty" min:"0" max:"86400" excludes:"kinds" jsonschema:"without kinds: time in which a job that is to move saves its state, before its place is free; 0 if absent"`
	LeaveS         float64 `json:"leave_s,omitempty" min:"0" max:"86400" jsonschema:"time until the place of a job that is done is free; 0 if absent"`

	Keeps *float64 `json:"keeps,omitempty" was:"beside" above:"0" max:"1" jsonschema:"part of its speed that a task keeps next to each other task on its instance, above 0 to 1; 1 if absent"`
	Pairs string   `json:"pairs,omitempty" jsonschema:"the same by kind: eva (as its simulator has it), eva-measured, or a CSV file with the columns kind, beside, keeps, relative to this file; pairs that are not listed take the key keeps"`
}

// Files returns the names of the files of the tables.
func (t *Tasks) Files() (names []string) {
	if t == nil {
		return nil
	}
	if t.Kinds != "" && t.Kinds != throughput.Eva {
		names = append(names, t.Kinds)
	}
	if t.Pairs != "" && t.Pairs != throughput.Eva && t.Pairs != throughput.EvaMeasured {
		names = append(names, t.Pairs)
	}
	return names
}
