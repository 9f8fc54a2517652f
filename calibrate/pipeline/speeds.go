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
	t, err := csvtext.Read(name, r, "pipelines", "stages", "samples_per_s")
	if err != nil {
		return nil, err
	}
	var speeds []LayoutSpeed
	for i := range t.Rows {
		c := t.Cells(i)
		s := LayoutSpeed{c.Count("pipelines", 1, 1000), c.Count("stages", 1, 1000), c.Number("samples_per_s", 0, 1e9)}
		if c.Err != nil {
			return nil, c.Err
		}
		if slices.ContainsFunc(speeds, s.same) {
			return nil, t.Errorf(i, "stages", "%d x %d is given twice", s.Pipelines, s.Stages)
		}
		speeds = append(speeds, s)
	}
	return speeds, nil
}

// WithSpeeds returns the network with these speeds in place of its own; layouts
// that are not among them do not train. An error if there is one of a depth that
// the network's costs are not known of.
func (m *Parcae) WithSpeeds(speeds []LayoutSpeed) (*Parcae, error) {
	other := *m
	other.Depths = nil
	for _, p := range m.Depths {
		if slices.ContainsFunc(speeds, func(s LayoutSpeed) bool { return s.Stages == p }) {
			other.Depths = append(other.Depths, p)
		}
	}
	for _, s := range speeds {
		if !slices.Contains(other.Depths, s.Stages) {
			return nil, fmt.Errorf("a speed of %d x %d, expected one of %v stages", s.Pipelines, s.Stages, m.Depths)
		}
	}
	return NewParcae(other, speeds), nil
}
