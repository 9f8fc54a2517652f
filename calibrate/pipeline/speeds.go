package pipeline

import (
	"fmt"
	"slices"
)

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
