package parallel

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/registry"
)

// Measured is a measured speed: n workers of one type make m steps a
// second together.
type Measured struct {
	Type      string  `json:"type" jsonschema:"instance type of the workers, as in the pools"`
	Workers   int     `json:"workers" jsonschema:"instances that train together"`
	StepsPerS float64 `json:"steps_per_s,omitempty" jsonschema:"steps that they make together in a second"`
	SamplesPS float64 `json:"samples_per_s,omitempty" jsonschema:"instead: samples that they train together in a second"`
}

// OpenMeasured reads a file of measured speeds; see ReadMeasured.
func OpenMeasured(path string) ([]Measured, error) { return csvtext.Open(path, ReadMeasured) }

// ReadMeasured reads a CSV table with the columns type and workers, and either
// steps_per_s or samples_per_s: a row a measured size. name is for its errors,
// which give line, column, value and what was expected.
func ReadMeasured(name string, r io.Reader) ([]Measured, error) {
	t, err := csvtext.Read(name, r, "type", "workers")
	if err != nil {
		return nil, err
	}
	steps, samples := slices.Contains(t.Header, "steps_per_s"), slices.Contains(t.Header, "samples_per_s")
	if steps == samples {
		return nil, t.HeaderErrorf(0, "expected one of the columns steps_per_s and samples_per_s")
	}
	var out []Measured
	for i := range t.Rows {
		m := Measured{Type: t.Text(i, "type")}
		if m.Type == "" {
			return nil, t.Errorf(i, "type", "expected an instance type")
		}
		if m.Workers, err = t.Count(i, "workers", 1, maxWorkers); err != nil {
			return nil, err
		}
		if steps {
			m.StepsPerS, err = t.Number(i, "steps_per_s", minSpeed, 1/minSpeed)
		} else {
			m.SamplesPS, err = t.Number(i, "samples_per_s", minSpeed, maxSamples)
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o Measured) bool { return o.Type == m.Type && o.Workers == m.Workers }) {
			return nil, t.Errorf(i, "workers", "%d workers of type %s are given twice", m.Workers, m.Type)
		}
		out = append(out, m)
	}
	return out, nil
}

const (
	maxWorkers = 1 << 16
	minSpeed   = 1e-6 // steps or samples per second
	maxSamples = 1e12 // per second
)

// stepsPerS returns the speed in steps per second, where a step has batch samples
// in strong scaling, and as many a worker in weak scaling. An error names what is
// missing or out of range.
func (m *Measured) stepsPerS(s Scaling, batch float64) (float64, error) {
	v := m.StepsPerS
	switch given := m.SamplesPS != 0; {
	case m.Workers < 1 || m.Workers > maxWorkers:
		return 0, fmt.Errorf("type %s: %d workers, expected 1 to %d", m.Type, m.Workers, maxWorkers)
	case given == (v != 0):
		return 0, fmt.Errorf("type %s, %d workers: expected one of steps_per_s and samples_per_s, more than 0", m.Type, m.Workers)
	case given && s == Weak:
		v = m.SamplesPS / (batch * float64(m.Workers))
	case given:
		v = m.SamplesPS / batch
	}
	if !(v >= minSpeed && v <= 1/minSpeed) {
		return 0, fmt.Errorf("type %s, %d workers: %v steps/s, expected %v to %v", m.Type, m.Workers, v, minSpeed, 1/minSpeed)
	}
	return v, nil
}

// Speed is a published speed of training: a row of calibrate/facts/published_speeds.csv.
type Speed struct {
	Network     string  `col:"network"`
	GPU         string  `col:"gpu"`
	GPUs        int     `col:"gpus"`          // that train together
	Node        int     `col:"node"`          // of them in a machine
	Batch       float64 `col:"batch"`         // samples of a step
	Sequence    float64 `col:"sequence"`      // tokens of a sample; NaN where it has none
	SamplesPerS float64 `col:"samples_per_s"` // of all GPUs together
	How         string  `col:"how"`           // measured, or computed from measured layers
	Source      string  `col:"source"`
	Conditions  string  `col:"conditions"`
}

// Speeds returns all published speeds, by network, GPU and number of GPUs.
func Speeds() []Speed { return facts.Read[Speed]("published_speeds") }

// SpeedNetworks returns the networks of published speeds, sorted.
func SpeedNetworks() []string {
	var names []string
	for _, s := range Speeds() {
		names = append(names, s.Network)
	}
	return slices.Compact(names)
}

// PublishedSpeeds returns the speeds of a network on a GPU type, one for each number of GPUs: of several the median. The error of a network
// or GPU without any names those that have one; nothing is taken from another GPU.
func PublishedSpeeds(network, gpu string) ([]Speed, error) {
	var of []Speed
	var gpus []string
	for _, s := range Speeds() {
		if s.Network != network {
			continue
		}
		gpus = append(gpus, s.GPU)
		if s.GPU == gpu {
			of = append(of, s)
		}
	}
	if gpus == nil {
		return nil, registry.Unknown("network with published speeds", network, SpeedNetworks())
	}
	if of == nil {
		return nil, fmt.Errorf("no published speed of %s on %s, only on %s", network, gpu, strings.Join(slices.Compact(gpus), ", "))
	}
	slices.SortStableFunc(of, func(a, b Speed) int { return cmp.Or(a.GPUs-b.GPUs, cmp.Compare(a.SamplesPerS, b.SamplesPerS)) })
	var out []Speed
	for from := 0; from < len(of); {
		to := from
		for to < len(of) && of[to].GPUs == of[from].GPUs {
			to++
		}
		out = append(out, of[(from+to-1)/2])
		from = to
	}
	return out, nil
}

// OnMachines returns the speeds as measured speeds of instances of a type with a number of GPUs; those of fewer GPUs, or of no whole number of
// instances, are left out.
func OnMachines(speeds []Speed, typ string, gpus int) (out []Measured) {
	for _, s := range speeds {
		if s.GPUs%gpus == 0 {
			out = append(out, Measured{Type: typ, Workers: s.GPUs / gpus, SamplesPS: s.SamplesPerS})
		}
	}
	return out
}
