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
	table, err := csvtext.Read(name, r, "type", "workers")
	if err != nil {
		return nil, err
	}
	inSteps := slices.Contains(table.Header, "steps_per_s")
	inSamples := slices.Contains(table.Header, "samples_per_s")
	if inSteps == inSamples {
		return nil, table.HeaderErrorf(0, "expected one of the columns steps_per_s and samples_per_s")
	}
	var rows []Measured
	for i := range table.Rows {
		cells := table.Cells(i)
		row := Measured{Type: cells.Text("type"), Workers: cells.Count("workers", 1, maxWorkers)}
		if row.Type == "" {
			return nil, table.Errorf(i, "type", "expected an instance type")
		}
		if inSteps {
			row.StepsPerS = cells.Number("steps_per_s", minSpeed, 1/minSpeed)
		} else {
			row.SamplesPS = cells.Number("samples_per_s", minSpeed, maxSamples)
		}
		if cells.Err != nil {
			return nil, cells.Err
		}
		if slices.ContainsFunc(rows, row.sameCluster) {
			return nil, table.Errorf(i, "workers", "%d workers of type %s are given twice", row.Workers, row.Type)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (m *Measured) sameCluster(other Measured) bool {
	return m.Type == other.Type && m.Workers == other.Workers
}

const (
	maxWorkers = 1 << 16
	minSpeed   = 1e-6 // steps or samples per second
	maxSamples = 1e12 // per second
)

// stepsPerS returns the speed in steps per second, where a step has batch samples
// in strong scaling, and as many a worker in weak scaling. An error names what is
// missing or out of range.
func (m *Measured) stepsPerS(scaling Scaling, batch float64) (float64, error) {
	steps := m.StepsPerS
	inSamples := m.SamplesPS != 0
	switch {
	case m.Workers < 1 || m.Workers > maxWorkers:
		return 0, fmt.Errorf("type %s: %d workers, expected 1 to %d", m.Type, m.Workers, maxWorkers)
	case inSamples == (steps != 0):
		return 0, fmt.Errorf("type %s, %d workers: expected one of steps_per_s and samples_per_s, more than 0",
			m.Type, m.Workers)
	case inSamples && scaling == Weak:
		steps = m.SamplesPS / (batch * float64(m.Workers))
	case inSamples:
		steps = m.SamplesPS / batch
	}
	if !(steps >= minSpeed && steps <= 1/minSpeed) {
		return 0, fmt.Errorf("type %s, %d workers: %v steps/s, expected %v to %v",
			m.Type, m.Workers, steps, minSpeed, 1/minSpeed)
	}
	return steps, nil
}
