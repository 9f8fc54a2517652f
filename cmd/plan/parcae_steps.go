package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/policies/parcae"
)

// parcaePlan is the answer of plan parcae, with the names of its JSON form.
type parcaePlan struct {
	Network       string          `json:"network"`
	Objective     string          `json:"objective"`
	IntervalS     float64         `json:"interval_s"`
	Instances     int             `json:"instances"`
	Present       parcaeLayout    `json:"present"`
	Forecast      []int           `json:"forecast"`
	Configuration parcaeLayout    `json:"configuration"`
	Throughput    float64         `json:"throughput_samples_per_s"`
	Liveput       parcaeLiveput   `json:"liveput"`
	Migration     parcaeMigration `json:"migration"`
	Plan          []parcaeStep    `json:"plan"`
}

// parcaeLayout is a layout; 0 x 0 is none.
type parcaeLayout struct {
	Pipelines int `json:"pipelines"`
	Stages    int `json:"stages"`
}

func (l parcaeLayout) String() string {
	if l.Stages == 0 {
		return "none"
	}
	return fmt.Sprintf("%d x %d", l.Pipelines, l.Stages)
}

// parcaeLiveput is the throughput that is expected to be left, samples/s.
type parcaeLiveput struct {
	Preempted     int     `json:"preempted"`
	WithoutRepair float64 `json:"without_repair_samples_per_s"`
	WithRepair    float64 `json:"with_repair_samples_per_s"`
}

// parcaeMigration is a migration whose preempted instances are not known yet.
type parcaeMigration struct {
	Kind       string             `json:"kind"` // the most probable
	Chances    map[string]float64 `json:"chances"`
	ExpectedMs float64            `json:"expected_ms"`
	StdErrMs   float64            `json:"standard_error_ms"` // 0: counted
}

// about tells the chances if there are several, and the error if there is one.
func (m *parcaeMigration) about() string {
	var parts []string
	for k := range pipeline.MigrationDepth + 1 {
		if p := m.Chances[k.String()]; p > 0 && p < 1 {
			parts = append(parts, fmt.Sprintf("%s %.1f %%", k, 100*p))
		}
	}
	if m.StdErrMs > 0 {
		parts = append(parts, fmt.Sprintf("standard error %.2f s", m.StdErrMs/1000))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// parcaeStep is one interval of the plan.
type parcaeStep struct {
	Instances int             `json:"instances"`
	Layout    parcaeLayout    `json:"layout"`
	Stalled   bool            `json:"stalled"` // its migration is not over at the end
	Migration parcaeMigration `json:"migration"`
	Samples   float64         `json:"samples"` // expected since the beginning of the plan
}

// migration tells what it takes to go from one shape to another when so many of
// the instances are preempted.
func migration(m *pipeline.Parcae, from, to parcae.Shape, instances, preempted int) parcaeMigration {
	e := pipeline.Exposed{Pipelines: from.Pipelines, Stages: from.Stages, Instances: instances, Preempted: preempted}
	switch {
	case to.Stages == 0:
		return parcaeMigration{Kind: "suspend", Chances: map[string]float64{}}
	case from.Stages == 0:
		ms, _ := m.ExpectMigration(e, to.Pipelines, to.Stages)
		return parcaeMigration{Kind: "start", Chances: map[string]float64{}, ExpectedMs: ms}
	}
	var x parcaeMigration
	x.ExpectedMs, x.StdErrMs = m.ExpectMigration(e, to.Pipelines, to.Stages)
	x.Chances = map[string]float64{}
	most := math.Inf(-1)
	for k, p := range m.Chances(e, to.Pipelines, to.Stages) {
		x.Chances[pipeline.MigrationKind(k).String()] = p
		if p > most {
			x.Kind, most = pipeline.MigrationKind(k).String(), p
		}
	}
	return x
}
