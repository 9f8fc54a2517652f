package sweep

import (
	"fmt"

	"github.com/marigram/marigram/experiments/spec"
)

// idlers looks for axes along which nothing changes: parameters whose value changes no
// result in any cell.
type idlers struct {
	cells int
	why   map[string]string // by path, of the first cell
	idle  map[string]int    // cells, by path
}

// add takes a cell in.
func (x *idlers) add(settings []spec.Setting, s *spec.Spec) {
	if x.why == nil {
		x.why, x.idle = map[string]string{}, map[string]int{}
	}
	x.cells++
	for _, set := range settings {
		if why := s.WhyUnused(set.Path, set.Value); why != "" {
			if x.idle[set.Path]++; x.why[set.Path] == "" {
				x.why[set.Path] = why
			}
		}
	}
}

// check refuses axes of several values that change nothing.
func (x *idlers) check(s *Spec) error {
	axes, err := s.axes()
	if err != nil {
		return err
	}
	for _, a := range axes {
		for _, path := range a.paths {
			if len(a.values) > 1 && x.idle[path] == x.cells {
				return fmt.Errorf("%s has no effect, so that its %d values are the same runs: %s; "+
					"sweep another parameter, or take it out", path, len(a.values), x.why[path])
			}
		}
	}
	return nil
}
