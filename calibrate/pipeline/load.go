package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
)

// ParcaeNetworks returns the names that LoadParcae knows.
func ParcaeNetworks() []string {
	var names []string
	for _, row := range facts.Read[parcaeRow]("liveput_models") {
		names = append(names, row.Model)
	}
	return names
}

// LoadParcae returns a network of the paper by the name that its code has, with
// the profile of that code on p3.2xlarge. An unknown one is an error that lists
// all.
func LoadParcae(name string) (*Parcae, error) {
	rows := facts.Read[parcaeRow]("liveput_models")
	i := slices.IndexFunc(rows, func(row parcaeRow) bool { return row.Model == name })
	if i < 0 {
		return nil, fmt.Errorf("network %q, expected one of %s", name, strings.Join(ParcaeNetworks(), ", "))
	}
	row := rows[i]
	network := &Parcae{
		Batch:          row.Batch,
		UnitsPerSample: row.Units,
		MinPipelines:   row.MinPipelines,
		Restart:        restartCosts(&row),
		Transfer:       parcaeTransfers(),
		speeds:         map[[2]int]float64{},
	}
	for stages := row.MinStages; stages <= row.MaxStages; stages++ {
		if !slices.Contains(strings.Fields(row.WithoutStages), strconv.Itoa(stages)) {
			network.Depths = append(network.Depths, stages)
		}
	}
	for _, layer := range facts.Read[parcaeLayers]("liveput_layers") {
		if layer.Model == name {
			network.Layers = append(network.Layers, slices.Repeat([]float64{layer.Parameters}, layer.Layers)...)
		}
	}
	for _, speed := range facts.Read[parcaeSpeed]("liveput_speeds") {
		if speed.Model == name {
			network.speeds[[2]int{speed.Pipelines, speed.Stages}] = speed.SamplesPerS
		}
	}
	network.plan()
	return network, nil
}

// NewParcae completes a profile: speeds are those of the layouts that have one.
func NewParcae(m Parcae, speeds []LayoutSpeed) *Parcae {
	m.speeds = map[[2]int]float64{}
	for _, speed := range speeds {
		m.speeds[[2]int{speed.Pipelines, speed.Stages}] = speed.SamplesPerS
	}
	m.plan()
	return &m
}

type parcaeRow struct {
	Model         string  `col:"model"`
	Batch         int     `col:"batch"`
	Units         float64 `col:"units_per_sample"`
	MinStages     int     `col:"least_stages"`
	MaxStages     int     `col:"most_stages"`
	WithoutStages string  `col:"without_stages"`
	MinPipelines  int     `col:"least_pipelines"`
	Process       float64 `col:"process_ms"`
	Joining       float64 `col:"joining_ms"`
	BuildLayer    float64 `col:"build_layer_ms"`
	BuildLayers   int     `col:"build_layers"`
	BuildBytes    float64 `col:"build_bytes"`
}

type parcaeLayers struct {
	Model      string  `col:"model"`
	Layers     int     `col:"layers"`
	Parameters float64 `col:"parameters"`
}

type parcaeSpeed struct {
	Model       string  `col:"model"`
	Pipelines   int     `col:"pipelines"`
	Stages      int     `col:"stages"`
	SamplesPerS float64 `col:"samples_per_s"`
}

// plan lays the layers out at every depth.
func (m *Parcae) plan() {
	m.scratch = &sync.Pool{New: func() any { return new(revealed) }}
	m.scratches = &sync.Pool{New: func() any { return new(migrationScratch) }}
	m.before = make([]float64, len(m.Layers)+1)
	for layer, params := range m.Layers {
		m.before[layer+1] = m.before[layer] + params
	}
	m.plans = make([]depthPlan, slices.Max(m.Depths)+1)
	for _, p := range m.Depths {
		depth := depthPlan{bounds: partition(len(m.Layers), p)}
		for s := range p {
			params := m.before[depth.bounds[s+1]] - m.before[depth.bounds[s]]
			ms := m.Transfer.Time(params * stateBytes)
			depth.params = append(depth.params, params)
			depth.transfers = append(depth.transfers, ms)
			depth.broadcast = max(depth.broadcast, ms)
		}
		m.plans[p] = depth
	}
	m.planChanges()
}

// planChanges works out what a change from each depth to each is, from none at the start.
func (m *Parcae) planChanges() {
	m.plans[0].to = make([]depthBound, len(m.plans))
	var cut recut
	for _, to := range m.Depths {
		m.recut(&cut, 0, to)
		m.plans[0].to[to].cut = m.kept(&cut)
	}
	for _, from := range m.Depths {
		m.plans[from].to = make([]depthBound, len(m.plans))
		for _, to := range m.Depths {
			m.plans[from].to[to] = m.bound(&cut, from, to)
			m.plans[from].to[to].cut = m.kept(&cut)
		}
	}
}

// maxKept is the number of depths up to which what lies on what is kept: its size grows with
// the third power.
const maxKept = 64

// kept returns a copy of c, nil where there are too many depths.
func (m *Parcae) kept(c *recut) *recut {
	if len(m.Depths) > maxKept {
		return nil
	}
	return &recut{c.stages, c.params, slices.Clone(c.span), slices.Clone(c.missing), slices.Clone(c.min)}
}

// partition returns the first layer of each stage, and the number of layers at
// its end: the first stage has one layer more than the others, and what is over
// goes one each to the stages before the last, backwards.
func partition(layers, stages int) []int {
	base := (layers - 1) / stages
	over := (layers - 1) % stages
	bounds := make([]int, stages+1)
	for s := range stages {
		n := base
		if s == 0 {
			n++
		}
		if s < stages-1 && s >= stages-1-over {
			n++
		}
		bounds[s+1] = bounds[s] + n
	}
	return bounds
}

func parcaeTransfers() TransferTable {
	type row struct {
		Bytes float64 `col:"bytes"`
		US    float64 `col:"us"`
	}
	var table TransferTable
	for _, r := range facts.Read[row]("liveput_p2p") {
		table.Bytes = append(table.Bytes, r.Bytes)
		table.MS = append(table.MS, r.US/1000)
	}
	return table
}

// Constants of the public code (liveput/cost.py, throughput.py), ms.
const (
	parcaeRendezvous = 6600
	parcaeRegroup    = 35
	parcaeSave       = 14000
)

func restartCosts(r *parcaeRow) RestartCosts {
	type build struct {
		Model  string  `col:"model"`
		Stages int     `col:"stages"`
		MS     float64 `col:"ms"`
	}
	builds := map[int]float64{}
	for _, b := range facts.Read[build]("liveput_builds") {
		if b.Model == r.Model {
			builds[b.Stages] = b.MS
		}
	}
	table := parcaeTransfers()
	send := 0.0
	if r.BuildBytes > 0 {
		send = table.Time(r.BuildBytes)
	}
	layer := r.BuildLayer
	layers := r.BuildLayers
	return RestartCosts{
		Rendezvous: parcaeRendezvous,
		Joining:    r.Joining,
		Process:    r.Process,
		Regroup:    parcaeRegroup,
		Save:       parcaeSave,
		Groups:     groupCosts(r.Model),
		Build: func(stages int) float64 {
			if layers == 0 {
				return builds[stages]
			}
			return layer*float64((layers+stages-1)/stages) + send
		},
	}
}

func groupCosts(model string) []GroupCosts {
	type row struct {
		Model          string  `col:"model"`
		Min            int     `col:"least_pipelines"`
		Add            float64 `col:"add_ms"`
		Remove         float64 `col:"remove_ms"`
		GroupAdd       float64 `col:"group_add_ms"`
		GroupRemove    float64 `col:"group_remove_ms"`
		InstanceAdd    float64 `col:"instance_add_ms"`
		InstanceRemove float64 `col:"instance_remove_ms"`
	}
	var out []GroupCosts
	for _, group := range facts.Read[row]("liveput_groups") {
		if group.Model == model {
			out = append(out, GroupCosts{group.Min, [2]float64{group.Add, group.Remove},
				[2]float64{group.GroupAdd, group.GroupRemove},
				[2]float64{group.InstanceAdd, group.InstanceRemove}})
		}
	}
	return out
}
