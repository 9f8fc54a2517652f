package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
)

// Parcae is a network as Parcae (Duan et al., NSDI 2024) sees it: how fast it
// trains as D pipelines of P stages, an instance a stage, and what it costs to go
// from one such layout to another. Times are in ms, as in the paper's public
// code, from whose constants its profiles are (JF-D/Parcae at efedee7).
type Parcae struct {
	Batch          int       // samples of a mini-batch, global
	UnitsPerSample float64   // tokens or images
	Layers         []float64 // parameters by layer, in order
	Depths         []int     // numbers of stages that fit into memory, ascending
	LeastPipelines int
	Restart        RestartCosts
	Transfer       TransferTable
	Quirks         ParcaeQuirks // set before first use

	speeds  map[[2]int]float64
	before  []float64   // parameters of the layers before each, and of all
	plans   []depthPlan // by depth, up to the greatest
	scratch *sync.Pool  // of *revealed
	rooms   *sync.Pool  // of *migrationRoom
}

// depthPlan is how the layers lie on so many stages.
type depthPlan struct {
	bounds    []int     // the first layer of each stage, and the end
	params    []float64 // by stage
	transfers []float64 // ms to send the state of each stage
	broadcast float64   // the longest of them
	to        []depthBound
}

// ParcaeNetworks returns the names that LoadParcae knows.
func ParcaeNetworks() []string {
	var names []string
	for _, r := range facts.Read[parcaeRow]("parcae_models") {
		names = append(names, r.Model)
	}
	return names
}

// LoadParcae returns a network of the paper by the name that its code has, with
// the profile of that code on p3.2xlarge. An unknown one is an error that lists
// all.
func LoadParcae(name string) (*Parcae, error) {
	rows := facts.Read[parcaeRow]("parcae_models")
	i := slices.IndexFunc(rows, func(r parcaeRow) bool { return r.Model == name })
	if i < 0 {
		return nil, fmt.Errorf("network %q, expected one of %s", name, strings.Join(ParcaeNetworks(), ", "))
	}
	r := rows[i]
	m := &Parcae{
		Batch: r.Batch, UnitsPerSample: r.Units, LeastPipelines: r.LeastPipelines,
		Restart: restartCosts(&r), Transfer: parcaeTransfers(),
		speeds: map[[2]int]float64{},
	}
	for p := r.LeastStages; p <= r.MostStages; p++ {
		if !slices.Contains(strings.Fields(r.WithoutStages), strconv.Itoa(p)) {
			m.Depths = append(m.Depths, p)
		}
	}
	for _, l := range only(name, facts.Read[parcaeLayers]("parcae_layers")) {
		m.Layers = append(m.Layers, slices.Repeat([]float64{l.Parameters}, l.Layers)...)
	}
	for _, s := range only(name, facts.Read[parcaeSpeed]("parcae_speeds")) {
		m.speeds[[2]int{s.Pipelines, s.Stages}] = s.SamplesPerS
	}
	m.plan()
	return m, nil
}

// NewParcae completes a profile: speeds are those of the layouts that have one.
func NewParcae(m Parcae, speeds []LayoutSpeed) *Parcae {
	m.speeds = map[[2]int]float64{}
	for _, s := range speeds {
		m.speeds[[2]int{s.Pipelines, s.Stages}] = s.SamplesPerS
	}
	m.plan()
	return &m
}

type parcaeRow struct {
	Model          string  `col:"model"`
	Batch          int     `col:"batch"`
	Units          float64 `col:"units_per_sample"`
	LeastStages    int     `col:"least_stages"`
	MostStages     int     `col:"most_stages"`
	WithoutStages  string  `col:"without_stages"`
	LeastPipelines int     `col:"least_pipelines"`
	Process        float64 `col:"process_ms"`
	Joining        float64 `col:"joining_ms"`
	BuildLayer     float64 `col:"build_layer_ms"`
	BuildLayers    int     `col:"build_layers"`
	BuildBytes     float64 `col:"build_bytes"`
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

func (r parcaeLayers) of() string { return r.Model }
func (r parcaeSpeed) of() string  { return r.Model }

// only returns the rows of a network.
func only[T interface{ of() string }](model string, rows []T) []T {
	return slices.DeleteFunc(rows, func(r T) bool { return r.of() != model })
}

// plan lays the layers out at every depth.
func (m *Parcae) plan() {
	m.scratch = &sync.Pool{New: func() any { return new(revealed) }}
	m.rooms = &sync.Pool{New: func() any { return new(migrationRoom) }}
	m.before = make([]float64, len(m.Layers)+1)
	for l, params := range m.Layers {
		m.before[l+1] = m.before[l] + params
	}
	m.plans = make([]depthPlan, slices.Max(m.Depths)+1)
	for _, p := range m.Depths {
		d := depthPlan{bounds: partition(len(m.Layers), p)}
		for s := range p {
			params := m.before[d.bounds[s+1]] - m.before[d.bounds[s]]
			t := m.Transfer.Time(params * stateBytes)
			d.params, d.transfers, d.broadcast = append(d.params, params), append(d.transfers, t), max(d.broadcast, t)
		}
		m.plans[p] = d
	}
	var c recut
	for _, p := range m.Depths {
		m.plans[p].to = make([]depthBound, len(m.plans))
		for _, to := range m.Depths {
			m.plans[p].to[to] = m.bound(&c, p, to)
		}
	}
}

// stateBytes is the state of a parameter with Adam: weight and two moments, of 4
// bytes each.
const stateBytes = 12

// partition returns the first layer of each stage, and the number of layers at
// its end: the first stage has one layer more than the others, and what is over
// goes one each to the stages before the last, backwards.
func partition(layers, stages int) []int {
	base, over := (layers-1)/stages, (layers-1)%stages
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

// Stages returns the depths, ascending.
func (m *Parcae) Stages() []int { return m.Depths }

// Pipelines returns the least number of pipelines.
func (m *Parcae) Pipelines() int { return m.LeastPipelines }

// Speed returns the samples/s of a layout; 0 for those without a profile.
func (m *Parcae) Speed(pipelines, stages int) float64 { return m.speeds[[2]int{pipelines, stages}] }

// Liveput returns the samples/s that are expected to be left of a layout, without
// repair, when so many of the instances are preempted.
func (m *Parcae) Liveput(pipelines, stages, instances, preempted int) float64 {
	return Exposed{pipelines, stages, instances, preempted}.Liveput(m.Speed, false)
}

// Best returns the fastest layout for so many instances, of equal ones that with
// the fewest pipelines, then stages; 0, 0 if none trains.
func (m *Parcae) Best(instances int) (pipelines, stages int) {
	fastest := 0.0
	for d := m.LeastPipelines; d*m.Depths[0] <= instances; d++ {
		for _, p := range m.Depths {
			if v := m.Speed(d, p); d*p <= instances && v > fastest {
				fastest, pipelines, stages = v, d, p
			}
		}
	}
	return pipelines, stages
}

// TransferTable is the time to send bytes from one instance to another: points
// of measured bytes and ms, ascending.
type TransferTable struct{ Bytes, MS []float64 }

// Time returns the ms for bytes: linear between the points, in proportion beyond
// the last, the first below it.
func (t *TransferTable) Time(bytes float64) float64 {
	last := len(t.Bytes) - 1
	switch {
	case bytes <= t.Bytes[0]:
		return t.MS[0]
	case bytes >= t.Bytes[last]:
		return t.MS[last] * bytes / t.Bytes[last]
	}
	i, _ := slices.BinarySearch(t.Bytes, bytes)
	slope := (t.MS[i] - t.MS[i-1]) / (t.Bytes[i] - t.Bytes[i-1])
	return t.MS[i-1] + float64(slope*(bytes-t.Bytes[i-1]))
}

func parcaeTransfers() TransferTable {
	type row struct {
		Bytes float64 `col:"bytes"`
		US    float64 `col:"us"`
	}
	var t TransferTable
	for _, r := range facts.Read[row]("parcae_p2p") {
		t.Bytes, t.MS = append(t.Bytes, r.Bytes), append(t.MS, r.US/1000)
	}
	return t
}
