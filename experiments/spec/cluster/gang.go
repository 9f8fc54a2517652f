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
	Speeds     string  `json:"speeds,omitempty" jsonschema:"how fast kinds of job are on each model of GPU: gavel, gavel-physical, or a CSV file with the columns kind, gpus (8, or by server 4+4, or * for any other number) and one for each model, relative to this file; if absent, a job takes its duration on any GPU"`
	Phases     string  `json:"phases,omitempty" jsonschema:"CSV file with the columns kind, phase (from 1), work (share of the job's work in the phase) and factor (of its speed in it, on any GPUs), relative to this file: a job takes the sum of work/factor times as long as the trace says; if absent, all kinds have one phase"`
	DurationOn string  `json:"duration_on,omitempty" needs:"speeds" jsonschema:"model of GPU to which durations of the trace refer that do not say it (with speeds)"`
	RestartS   float64 `json:"restart_s,omitempty" min:"0" max:"86400" jsonschema:"time until a job trains again after it was stopped or moved, with its GPUs held; 0 if absent"`
	SaveEveryS float64 `json:"save_every_s,omitempty" min:"0" max:"86400" jsonschema:"time that a job trains between two saves, to the last of which it falls back when GPUs fail or the cloud takes them; 0 or absent: nothing is lost"`
	SaveS      float64 `json:"save_s,omitempty" min:"0" max:"86400" needs:"save_every_s" jsonschema:"time that each of these saves stops training, counted as checkpointing_h; 0 if absent"`

	ResizeS     *float64 `json:"resize_s,omitempty" min:"0" max:"86400" jsonschema:"time until a job trains again whose number of GPUs has changed (min_gpus and max_gpus of the trace), with its GPUs held; restart_s if absent"`
	ResizeLoses bool     `json:"resize_loses,omitempty" needs:"save_every_s" jsonschema:"a job whose number of GPUs changes falls back to its last save; else it keeps what it has done"`

	Network       []float64            `json:"network,omitempty" above:"0" max:"1" jsonschema:"part of its speed that a job of several GPUs keeps on one server, on several of one rack, and on several racks: three numbers, above 0 to 1; one more for each further tier of market.tiers; if absent, all of it"`
	NetworkByKind map[string][]float64 `json:"network_by_kind,omitempty" above:"0" max:"1" jsonschema:"the same for kinds of job that differ, by kind; the others have network"`
}

// tables are those that come with marigram.
var tables = map[string]func() *throughput.Table{"gavel": throughput.Gavel, "gavel-physical": throughput.GavelPhysical}

// TableFiles returns the names of the files with the speeds and the phases; empty where there is none.
func (g *Gang) TableFiles() []string {
	switch {
	case g == nil:
		return nil
	case tables[g.Speeds] != nil:
		return []string{g.Phases}
	}
	return []string{g.Speeds, g.Phases}
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

// Apply gives a model what changes of its GPUs cost.
func (g *Gang) Apply(to *throughput.Gang) {
	if g == nil {
		return
	}
	to.Restart, to.SaveEvery, to.Save = units.Seconds(g.RestartS), units.Seconds(g.SaveEveryS), units.Seconds(g.SaveS)
	if to.Sizes == nil {
		return
	}
	to.Sizes.Resize = to.Restart
	to.Sizes.Loses = g.ResizeLoses
	if g.ResizeS != nil {
		to.Sizes.Resize = units.Seconds(*g.ResizeS)
	}
}

// checkNetwork reports what is wrong with the parts of their speed that jobs keep.
func checkNetwork(place string, keeps []float64, tiers []Tier, at At) error {
	if spans := Spans(tiers); keeps != nil && len(keeps) != len(spans)+1 {
		return at(place, "%d numbers, expected %d: on one server, %s",
			len(keeps), len(spans)+1, strings.Join(spans, ", "))
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

// Between returns what the network leaves of the speed of a kind of job on pools in places of these tiers
// (sim.Market.Tiers), nil where it leaves all.
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
