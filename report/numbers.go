package report

import "math"

// finite returns nil for numbers that JSON does not have.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
