// Package intervals says how sure the means and shares of runs are: what the
// statistical unit of runs is, and 95 % confidence intervals that count units. It
// is the one place that does.
package intervals

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/marigram/marigram/experiments/results"
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
	units       []Unit
	sums, sizes []float64
	longestS    float64 // what runs from starts last at most, s; 0: their starts are independent whatever lies between
}

// AddRun adds the number x, finite, of a run, and keeps how much of the trace the run may have seen.
func (t *Tally) AddRun(r *results.Summary, x float64) {
	t.Add(Of(r), x)
	if r.Unit == results.ByStart {
		t.Lasting(r.LastedS())
	}
}

// AddRunHit adds 1 for a run that is a hit and 0 for one that is none: the mean is the share of hits.
func (t *Tally) AddRunHit(r *results.Summary, hit bool) {
	t.AddRun(r, indicator(hit))
}

// Add adds the number x, finite, of a run of the unit u.
func (t *Tally) Add(u Unit, x float64) {
	at, has := t.index[u]
	if !has {
		if t.index == nil {
			t.index = map[Unit]int{}
		}
		at = len(t.sums)
		t.index[u] = at
		t.units = append(t.units, u)
		t.sums = append(t.sums, 0)
		t.sizes = append(t.sizes, 0)
	}
	t.sums[at] += x
	t.sizes[at]++
}

// AddHit adds 1 for a hit and 0 for none: the mean is the share of hits.
func (t *Tally) AddHit(u Unit, hit bool) {
	t.Add(u, indicator(hit))
}

// indicator is 1 for a hit and 0 for none.
func indicator(hit bool) float64 {
	if hit {
		return 1
	}
	return 0
}

// Lasting says that a run from one of the starts lasts some seconds: starts that are nearer to each other than the
// longest run share a part of the trace.
func (t *Tally) Lasting(seconds float64) { t.longestS = max(t.longestS, seconds) }

// Units returns how many units there are.
func (t *Tally) Units() int { return len(t.sums) }

// Independent returns how many of the units share no part of the trace, at most: all of them where they are seeds.
// Intervals and verdicts rest on that many.
func (t *Tally) Independent() int {
	if t.longestS == 0 {
		return len(t.units)
	}
	startsS := map[int][]float64{} // by cell
	for _, u := range t.units {
		startsS[u.Cell] = append(startsS[u.Cell], u.StartS)
	}
	independent := 0
	for _, of := range startsS {
		disjoint, _ := Apart(of, t.longestS)
		independent += disjoint
	}
	return independent
}

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

func total(numbers []float64) (sum float64) {
	for _, x := range numbers {
		sum += x
	}
	return sum
}

// MeanInterval returns the interval of the mean; nil for fewer than two independent units. The standard error is that
// of a ratio of sums to sizes (Cochran, Sampling Techniques, 1977, chapter 9A), which for units of one size is that of
// the units' means. Where starts overlap the spread is that of all of them and the number that of those which share no
// part of the trace: a mean over all has no more variance than one over these. Student's law with one degree of freedom
// less than that number is corrected for skewness by Hall's transformation (Journal of the Royal Statistical Society B
// 54, 1992), since costs of a few late runs are far from normal.
func (t *Tally) MeanInterval() *Interval {
	mean := t.studentised()
	if mean.n < 2 {
		return nil
	}
	bound := mean.law().Quantile(0.975)
	return &Interval{
		Low:   mean.mean - mean.undo(bound)*mean.error,
		High:  mean.mean - mean.undo(-bound)*mean.error,
		Units: int(mean.n),
	}
}

// PValue returns the two-sided p-value of a mean that is 0 in truth, by the law of MeanInterval: it is below 0.05 where
// the interval leaves 0 out. It is 1 of a mean of 0 without any spread and of fewer than two independent units, and 0
// of another mean without spread.
func (t *Tally) PValue() float64 {
	mean := t.studentised()
	switch {
	case mean.n < 2 || mean.mean == 0 && mean.error == 0:
		return 1
	case mean.error == 0:
		return 0
	}
	return 2 * mean.law().CDF(-math.Abs(mean.correct(mean.mean/mean.error)))
}

// rounding is the spread of numbers that are alike in truth, a share of their mean.
const rounding = 1e-12

// studentised is what the distribution of a mean depends on.
type studentised struct {
	mean, error float64 // error: the standard error of the mean
	n           float64 // independent units
	skew        float64 // of the law of one unit
}

func (t *Tally) studentised() studentised {
	of := studentised{mean: t.Mean(), n: float64(t.Independent())}
	if of.n < 2 {
		return of
	}
	off := make([]float64, len(t.sums))
	squares := 0.0
	for k, sum := range t.sums {
		off[k] = sum - of.mean*t.sizes[k]
		squares += off[k] * off[k]
	}
	meanSize := total(t.sizes) / float64(len(t.sizes))
	spread := math.Sqrt(squares / float64(len(off)-1))
	if spread <= rounding*math.Abs(of.mean)*meanSize { // costs that are alike, summed in floating point
		spread = 0
	}
	of.error = spread / meanSize / math.Sqrt(of.n)
	if spread > 0 && len(off) > 2 {
		// No n numbers are more skewed than this. Beyond it the transformation would make intervals narrower.
		most := math.Sqrt(of.n)
		if skew := stat.Skew(off, nil); !math.IsNaN(skew) { // of numbers that differ by their rounding alone it is 0/0
			of.skew = max(-most, min(skew, most))
		}
	}
	return of
}

// law is Student's, with one degree of freedom less than there are independent units.
func (s *studentised) law() distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: s.n - 1} }

// correct makes a studentised mean more nearly Student's: Hall's cubic in x, which grows throughout.
func (s *studentised) correct(x float64) float64 {
	a := s.skew / (3 * math.Sqrt(s.n))
	return x + a*x*x + a*a*x*x*x/3 + a/2
}

// undo is the inverse of correct.
func (s *studentised) undo(y float64) float64 {
	a := s.skew / (3 * math.Sqrt(s.n))
	if math.Abs(a) < 1e-6 { // where the next formula divides two rounding errors
		return y
	}
	return (math.Cbrt(1+3*a*(y-a/2)) - 1) / a
}

// NotShown is the p-value from which on a difference is not called shown.
const NotShown = 0.05

// SharesPValue returns the two-sided p-value of two shares of hits that are the same in truth, of runs that are pairs:
// the exact sign test over the units in which they differ, which is McNemar's where a unit is one run. Of starts that
// overlap it takes the first, the first after that which shares no part of the trace with it, and so on.
func (t *Tally) SharesPValue(with *Tally) float64 {
	order := make([]int, len(t.units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		one := t.units[i]
		other := t.units[k]
		return cmp.Or(cmp.Compare(one.Cell, other.Cell), cmp.Compare(one.StartS, other.StartS),
			cmp.Compare(one.Seed, other.Seed))
	})
	longestS := max(t.longestS, with.longestS)
	more := 0
	fewer := 0
	freeS := math.Inf(-1) // of the trace of a cell, from when on nothing was taken
	cell := 0
	for _, i := range order {
		unit := t.units[i]
		pair, paired := with.index[unit]
		if unit.Cell != cell {
			cell = unit.Cell
			freeS = math.Inf(-1)
		}
		if !paired || longestS > 0 && unit.StartS < freeS {
			continue
		}
		freeS = unit.StartS + longestS
		switch cmp.Compare(t.sums[i]/t.sizes[i], with.sums[pair]/with.sizes[pair]) {
		case 1:
			more++
		case -1:
			fewer++
		}
	}
	differ := float64(more + fewer)
	if differ == 0 {
		return 1
	}
	return min(2*distuv.Binomial{N: differ, P: 0.5}.CDF(float64(min(more, fewer))), 1)
}

// Share returns the interval of a mean of numbers within 0 and 1: Wilson's score
// interval (JASA 22, 1927) with the number of independent units for n, not that of runs. The
// variance of a unit's share is p(1-p) at most, which it is where all runs of a unit
// come out alike; then this is Wilson's interval of units, and otherwise wider than
// it need be. It has a width also where no run missed, or all did, of about 4/n.
// Without any units it is 0 to 1.
func (t *Tally) Share() Interval {
	if len(t.sums) == 0 {
		return Interval{High: 1}
	}
	return wilson(t.Mean(), t.Independent())
}

// normal975 is the 97.5 % quantile of the standard normal law.
const normal975 = 1.959963984540054

// wilson returns Wilson's interval of a share of n, n at least 1.
func wilson(p float64, n int) Interval {
	const z = normal975
	count := float64(n)
	middle := p + z*z/(2*count)
	half := z * math.Sqrt(p*(1-p)/count+z*z/(4*count*count))
	widened := 1 + z*z/count
	return Interval{Low: max((middle-half)/widened, 0), High: min((middle+half)/widened, 1), Units: n}
}

// Holm returns p-values that are corrected for their number (S. Holm, Scandinavian Journal of Statistics 6, 1979):
// those below alpha are of differences of which not one is by chance, with a probability of at least 1 - alpha,
// whatever hangs on what. The order is kept.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	largest := 0.0
	for k, i := range order {
		largest = max(largest, min(float64(len(p)-k)*p[i], 1))
		out[i] = largest
	}
	return out
}
