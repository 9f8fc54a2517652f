package world

import (
	"slices"

	"github.com/marigram/marigram/calibrate/ps"
)

// LeaveOneOut returns the speed at each point, in steps/s, of the law that is fitted to all the others.
func LeaveOneOut(points []ps.SpeedPoint) ([]float64, error) {
	speeds := make([]float64, len(points))
	for i, p := range points {
		law, err := ps.FitCapacity(slices.Delete(slices.Clone(points), i, i+1))
		if err != nil {
			return nil, err
		}
		speeds[i] = law.Speed(p.Sum)
	}
	return speeds, nil
}
