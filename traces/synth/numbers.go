package synth

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats/scalar"
)

// distance returns Kolmogorov's distance of two weighted samples; false if one
// of them is empty.
func distance(a, b map[float64]float64) (float64, bool) {
	var at []float64
	var na, nb float64
	for _, m := range []map[float64]float64{a, b} {
		for x := range m {
			at = append(at, x)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for _, x := range at {
		na, nb = na+a[x], nb+b[x]
	}
	if na == 0 || nb == 0 {
		return 0, false
	}
	worst, fa, fb := 0.0, 0.0, 0.0
	for _, x := range at {
		fa, fb = fa+a[x]/na, fb+b[x]/nb
		worst = max(worst, math.Abs(fa-fb))
	}
	return worst, true
}

// solve returns the x in [0, top] at which a function that ascends takes a
// value, by bisection; an end where the value lies beyond it.
func solve(want, top float64, f func(x float64) *float64) float64 {
	low, high := 0.0, top
	if r := f(0); r == nil || *r >= want {
		return 0
	}
	for range 10 {
		mid := (low + high) / 2
		if r := f(mid); r != nil && *r < want {
			low = mid
		} else {
			high = mid
		}
	}
	return scalar.Round((low+high)/2, 4)
}

// mean adds up to a mean.
type mean struct{ sum, n float64 }

func (m *mean) add(x *float64) {
	if x != nil {
		m.sum, m.n = m.sum+*x, m.n+1
	}
}

// value returns the mean, nil of nothing.
func (m *mean) value() *float64 {
	if m.n == 0 {
		return nil
	}
	x := m.sum / m.n
	return &x
}

func (m *mean) join(o mean) { m.sum, m.n = m.sum+o.sum, m.n+o.n }

// quantiles returns n+1 weighted quantiles of values, at 0, 1/n, ..., 1.
func quantiles(values, weights []float64, n int) []float64 {
	at := make([]int, len(values))
	total := 0.0
	for i := range at {
		at[i] = i
		total += weights[i]
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, n+1)
	k, below := 0, 0.0
	for q := range out {
		for k < len(at)-1 && below+weights[at[k]] < total*float64(q)/float64(n) {
			below += weights[at[k]]
			k++
		}
		out[q] = values[at[k]]
	}
	out[n] = values[at[len(at)-1]]
	return out
}

// interpolate returns the u-quantile, u in [0, 1), between equally spaced ones.
func interpolate(quantiles []float64, u float64) float64 {
	x := u * float64(len(quantiles)-1)
	i := min(int(x), len(quantiles)-2)
	return quantiles[i] + (x-math.Floor(x))*(quantiles[i+1]-quantiles[i])
}
