// Package intervals says how sure the means and shares of runs are: what the
// statistical unit of runs is, and 95 % confidence intervals that count units. It
// is the one place that does.
package intervals

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a 95 % confidence interval.
type Interval struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Units int     `json:"units"` // that it rests on
}

// Tally adds a number of runs up by unit. The zero value is empty; units keep the
// order in which they came.
type Tally struct {
	index       map[Unit]int
	sums, sizes []float64
}

// Add adds the number x, finite, of a run of the unit u.
func (t *Tally) Add(u Unit, x float64) {
	k, has := t.index[u]
	if !has {
		if t.index == nil {
			t.index = map[Unit]int{}
		}
		k = len(t.sums)
		t.index[u] = k
		t.sums, t.sizes = append(t.sums, 0), append(t.sizes, 0)
	}
	t.sums[k] += x
	t.sizes[k]++
}

// AddHit adds 1 for a hit and 0 for none: the mean is the share of hits.
func (t *Tally) AddHit(u Unit, hit bool) {
	x := 0.0
	if hit {
		x = 1
	}
	t.Add(u, x)
}

// Units returns how many units there are.
func (t *Tally) Units() int { return len(t.sums) }

// AllHit returns the number of units all of whose runs hit.
func (t *Tally) AllHit() (n int) {
	for k, sum := range t.sums {
		if sum == t.sizes[k] {
			n++
		}
	}
	return n
}

// Mean returns the mean over all runs; NaN without any.
func (t *Tally) Mean() float64 { return total(t.sums) / total(t.sizes) }

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// MeanInterval returns the interval of the mean; nil for fewer than two units. With
// units of one size it is Student's interval of the units' means, with others that of
// a ratio of sums to sizes (Cochran, Sampling Techniques, 1977, chapter 9A), with
// n - 1 degrees of freedom for n units. It takes the means of units to be normal.
func (t *Tally) MeanInterval() *Interval {
	n := float64(len(t.sums))
	if n < 2 {
		return nil
	}
	mean, squares := t.Mean(), 0.0
	for k, sum := range t.sums {
		off := sum - mean*t.sizes[k]
		squares += off * off
	}
	sigma := math.Sqrt(squares/(n-1)/n) / (total(t.sizes) / n)
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * sigma
	return &Interval{mean - half, mean + half, len(t.sums)}
}

// Share returns the interval of a mean of numbers within 0 and 1: Wilson's score
// interval (JASA 22, 1927) with the number of units for n, not that of runs. The
// variance of a unit's share is p(1-p) at most, which it is where all runs of a unit
// come out alike; then this is Wilson's interval of units, and otherwise wider than
// it need be. It has a width also where no run missed, or all did, of about 4/n.
// Without any units it is 0 to 1.
func (t *Tally) Share() Interval {
	if len(t.sums) == 0 {
		return Interval{High: 1}
	}
	return wilson(t.Mean(), len(t.sums))
}

// normal975 is the 97.5 % quantile of the standard normal law.
const normal975 = 1.959963984540054

// wilson returns Wilson's interval of a share of n, n at least 1.
func wilson(p float64, n int) Interval {
	const z = normal975
	m := float64(n)
	middle, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Interval{max((middle-half)/(1+z*z/m), 0), min((middle+half)/(1+z*z/m), 1), n}
}

// PValue returns the two-sided p-value of a mean that is 0 in truth, by Student's t-test, from the mean and its interval
// (Tally.MeanInterval). It is 1 of a mean of 0 without any spread, and 0 of another one.
func PValue(mean float64, ci Interval) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(ci.Units - 1)}
	sigma := (ci.High - ci.Low) / 2 / t.Quantile(0.975)
	switch {
	case mean == 0:
		return 1
	case sigma == 0:
		return 0
	}
	return 2 * t.CDF(-math.Abs(mean)/sigma)
}

// Holm returns p-values that are corrected for their number (S. Holm, Scandinavian Journal of Statistics 6, 1979): those below alpha are of
// differences of which not one is by chance, with a probability of at least 1 - alpha, whatever hangs on what. The order is kept.
func Holm(p []float64) []float64 {
	order, out, largest := make([]int, len(p)), make([]float64, len(p)), 0.0
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	for k, i := range order {
		largest = max(largest, min(float64(len(p)-k)*p[i], 1))
		out[i] = largest
	}
	return out
}
