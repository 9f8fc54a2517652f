package pipeline

import (
	"fmt"
	"io"
	"slices"

	"github.com/marigram/marigram/internal/csvtext"
)

// OpenLayoutSpeeds reads the file at path as ReadLayoutSpeeds does.
func OpenLayoutSpeeds(path string) ([]LayoutSpeed, error) {
	return csvtext.Open(path, ReadLayoutSpeeds)
}

// ReadLayoutSpeeds reads a CSV table with the columns pipelines, stages and
// samples_per_s. name is for its errors, which give line, column, value and what
// was expected.
func ReadLayoutSpeeds(name string, r io.Reader) ([]LayoutSpeed, error) {
	table, err := csvtext.Read(name, r, "pipelines", "stages", "samples_per_s")
	if err != nil {
		return nil, err
	}
	var speeds []LayoutSpeed
	for i := range table.Rows {
		cells := table.Cells(i)
		row := LayoutSpeed{cells.Count("pipelines", 1, 1000), cells.Count("stages", 1, 1000),
			cells.Number("samples_per_s", 0, 1e9)}
		if cells.Err != nil {
			return nil, cells.Err
		}
		if slices.ContainsFunc(speeds, row.same) {
			return nil, table.Errorf(i, "stages", "%d x %d is given twice", row.Pipelines, row.Stages)
		}
		speeds = append(speeds, row)
	}
	return speeds, nil
}

// WithSpeeds returns the network with these speeds in place of its own; layouts
// that are not among them do not train. An error if there is one of a depth that
// the network's costs are not known of.
func (m *Parcae) WithSpeeds(speeds []LayoutSpeed) (*Parcae, error) {
	other := *m
	other.Depths = nil
	for _, depth := range m.Depths {
		if slices.ContainsFunc(speeds, func(speed LayoutSpeed) bool { return speed.Stages == depth }) {
			other.Depths = append(other.Depths, depth)
		}
	}
	for _, speed := range speeds {
		if !slices.Contains(other.Depths, speed.Stages) {
			return nil, fmt.Errorf("a speed of %d x %d, expected one of %v stages", speed.Pipelines, speed.Stages,
				m.Depths)
		}
	}
	return NewParcae(other, speeds), nil
}
