package world

import (
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/ps"
)

// LeaveOneOut returns the error at each point, |predicted/measured - 1|, of the law that is fitted to all
// the others.
func LeaveOneOut(points []ps.SpeedPoint) ([]float64, error) {
	errs := make([]float64, len(points))
	for i, p := range points {
		law, err := ps.FitCapacity(slices.Delete(slices.Clone(points), i, i+1))
		if err != nil {
			return nil, err
		}
		errs[i] = math.Abs(law.Speed(p.Sum)/p.Speed - 1)
	}
	return errs, nil
}
