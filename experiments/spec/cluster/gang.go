package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
)

// Gang says how jobs train that need all their GPUs at once.
type Gang struct {
	Speeds     string  `json:"speeds,omitempty" jsonschema:"how fast kinds of job are on each model of GPU: gavel, gavel-physical, or a CSV file with the columns kind, gpus and one for each model, relative to this file; if absent, a job takes its duration on any GPU"`
	DurationOn string  `json:"duration_on,omitempty" jsonschema:"model of GPU to which durations of the trace refer that do not say it (with speeds)"`
	RestartS   float64 `json:"restart_s,omitempty" jsonschema:"time until a job trains again after it was stopped or moved, with its GPUs held; 0 if absent"`
	SaveEveryS float64 `json:"save_every_s,omitempty" jsonschema:"time between two saves, to the last of which a job falls back when the cloud takes GPUs; 0 or absent: nothing is lost"`
	SaveS      float64 `json:"save_s,omitempty" jsonschema:"time that each of these saves takes; 0 if absent"`

	Tasks *Tasks `json:"tasks,omitempty" jsonschema:"jobs as tasks that share rented instances (market.instances)"`

	Network []float64 `json:"network,omitempty" jsonschema:"part of its speed that a job of several GPUs keeps on one server, on several of one rack, and on several racks: three numbers, above 0 to 1; if absent, all of it"`
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

// Check reports what is wrong with what is at $.model.gang.
func (g *Gang) Check(at At) error {
	if g == nil {
		return nil
	}
	for _, q := range []struct {
		key string
		x   float64
	}{{"restart_s", g.RestartS}, {"save_every_s", g.SaveEveryS}, {"save_s", g.SaveS}} {
		if !(q.x >= 0) || q.x > 86400 {
			return at("$.model.gang."+q.key, "%v, expected 0 to 86400", q.x)
		}
	}
	for k, x := range g.Network {
		if !(x > 0 && x <= 1) {
			return at(fmt.Sprintf("$.model.gang.network[%d]", k), "%v, expected above 0, at most 1", x)
		}
	}
	switch {
	case g.Network != nil && len(g.Network) != 3:
		return at("$.model.gang.network", "%d numbers, expected three: on one server, on several of one rack, on several racks", len(g.Network))
	case g.SaveS > 0 && g.SaveEveryS == 0:
		return at("$.model.gang.save_s", "%v, but save_every_s is not set: nothing is saved", g.SaveS)
	case g.DurationOn != "" && g.Speeds == "":
		return at("$.model.gang.duration_on", "%q, but speeds is not set: a job takes its duration on any GPU", g.DurationOn)
	}
	return g.Tasks.Check(at)
}

// Apply gives a model what changes of its GPUs cost.
func (g *Gang) Apply(to *throughput.Gang) {
	if g == nil {
		return
	}
	seconds := func(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }
	to.Restart, to.SaveEvery, to.Save = seconds(g.RestartS), seconds(g.SaveEveryS), seconds(g.SaveS)
}

// Between returns what the network leaves of a job's speed on pools of these regions (racks), nil where it leaves all.
func (g *Gang) Between(regions []string) *throughput.Network {
	if g == nil || g.Network == nil {
		return nil
	}
	n := &throughput.Network{Server: g.Network[0], Rack: g.Network[1], Beyond: g.Network[2]}
	for _, r := range regions {
		n.Racks = append(n.Racks, slices.Index(regions, r))
	}
	return n
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
