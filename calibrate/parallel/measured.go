package parallel

import (
	"fmt"
	"io"
	"slices"

	"github.com/marigram/marigram/internal/csvtext"
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
		c := t.Cells(i)
		m := Measured{Type: c.Text("type"), Workers: c.Count("workers", 1, maxWorkers)}
		if m.Type == "" {
			return nil, t.Errorf(i, "type", "expected an instance type")
		}
		if steps {
			m.StepsPerS = c.Number("steps_per_s", minSpeed, 1/minSpeed)
		} else {
			m.SamplesPS = c.Number("samples_per_s", minSpeed, maxSamples)
		}
		if c.Err != nil {
			return nil, c.Err
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
