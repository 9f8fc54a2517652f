package describe

import "math"

// ratio returns a/b, nil where b is 0.
func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	r := a / b
	return &r
}

// quantile returns the q-quantile of ascending numbers: the smallest that at
// least that share does not exceed.
func quantile(sorted []float64, q float64) *float64 {
	if len(sorted) == 0 {
		return nil
	}
	i := max(0, int(math.Ceil(q*float64(len(sorted))))-1)
	return &sorted[i]
}
