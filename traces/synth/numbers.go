package synth

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats/scalar"
)

// distance returns Kolmogorov's distance of two weighted samples; false if one
// of them is empty.
func distance(a, b map[float64]float64) (float64, bool) { return weightsOf(a).distance(weightsOf(b)) }

// weight is how much a value counts.
type weight struct{ x, w float64 }

// weights are the weights of values in ascending order, each value once.
type weights []weight

func weightsOf(m map[float64]float64) weights {
	out := make(weights, 0, len(m))
	for _, x := range slices.Sorted(maps.Keys(m)) {
		out = append(out, weight{x, m[x]})
	}
	return out
}

// summed adds up the weights of each value, in the order in which they came. It keeps the list.
func summed(list []weight) weights {
	slices.SortStableFunc(list, func(a, b weight) int { return cmp.Compare(a.x, b.x) })
	out := list[:0]
	for _, v := range list {
		if n := len(out); n > 0 && out[n-1].x == v.x {
			out[n-1].w += v.w
		} else {
			out = append(out, v)
		}
	}
	return weights(out)
}

// both yields the values of two lists in ascending order, with the weight in each.
func (a weights) both(b weights) iter.Seq2[float64, [2]float64] {
	return func(yield func(float64, [2]float64) bool) {
		for i, j := 0, 0; i < len(a) || j < len(b); {
			switch {
			case j == len(b) || i < len(a) && a[i].x < b[j].x:
				if i++; !yield(a[i-1].x, [2]float64{a[i-1].w, 0}) {
					return
				}
			case i == len(a) || b[j].x < a[i].x:
				if j++; !yield(b[j-1].x, [2]float64{0, b[j-1].w}) {
					return
				}
			default:
				if i, j = i+1, j+1; !yield(a[i-1].x, [2]float64{a[i-1].w, b[j-1].w}) {
					return
				}
			}
		}
	}
}

// with adds other weights.
func (a weights) with(b weights) weights {
	n := 0
	for range a.both(b) {
		n++
	}
	out := make(weights, 0, n)
	for x, w := range a.both(b) {
		out = append(out, weight{x, w[0] + w[1]})
	}
	return out
}

// coarse are the same weights with all values between two of another list as one: the distance from that list is the same,
// but for rounding.
func (a weights) coarse(list weights) weights {
	out := make(weights, 0, min(len(a), 2*len(list)+1))
	for _, v := range a {
		for len(list) > 0 && list[0].x < v.x {
			list = list[1:]
		}
		at := math.Inf(1)
		if len(list) > 0 {
			at = list[0].x
		}
		if at != v.x {
			at = math.Nextafter(at, math.Inf(-1))
		}
		if n := len(out); n > 0 && out[n-1].x == at {
			out[n-1].w += v.w
		} else {
			out = append(out, weight{at, v.w})
		}
	}
	return out
}

// distance is Kolmogorov's: the largest difference of the two distribution functions; false without weights.
func (a weights) distance(b weights) (float64, bool) {
	var na, nb float64
	for _, w := range a.both(b) {
		na, nb = na+w[0], nb+w[1]
	}
	if na == 0 || nb == 0 {
		return 0, false
	}
	worst, fa, fb := 0.0, 0.0, 0.0
	for _, w := range a.both(b) {
		fa, fb = fa+w[0]/na, fb+w[1]/nb
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
	return new(m.sum / m.n)
}

func (m *mean) join(o mean) { m.sum, m.n = m.sum+o.sum, m.n+o.n }

// interpolate returns the u-quantile, u in [0, 1), between equally spaced ones.
func interpolate(quantiles []float64, u float64) float64 {
	x := u * float64(len(quantiles)-1)
	i := min(int(x), len(quantiles)-2)
	return quantiles[i] + (x-math.Floor(x))*(quantiles[i+1]-quantiles[i])
}
