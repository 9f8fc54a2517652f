package describe

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// Bounds on the work of correlating.
const (
	maxCorrelated = 256
	maxGrid       = 20_000
	minGridUs     = 300e6 // five minutes: prices and counts move more slowly
)

// uncorrelated reports whether pools are not compared, and says why.
func (out *Statistics) uncorrelated(s *traces.Set) bool {
	switch {
	case len(s.Pools) < 2:
	case !s.Manifest.Aligned():
		out.CorrelationNote = "the files do not state their start times: " +
			"correlations by index could have the wrong sign"
	case s.Manifest.Semantics == traces.SemanticsLifetimes:
		out.CorrelationNote = "the number of machines was the experimenter's choice: " +
			"it says nothing about the zones"
	case len(s.Pools) > maxCorrelated:
		out.CorrelationNote = "too many pools for pairwise correlations"
	default:
		return false
	}
	return true
}

// correlate compares the pools pairwise: availability among all, prices among
// those of one instance type and product.
func (out *Statistics) correlate(s *traces.Set, capacity [][]traces.CapacityRow, events [][]traces.InstanceEventRow,
	prices [][]traces.PriceRow, gaps [][]traces.GapRow) {
	if out.uncorrelated(s) {
		return
	}
	m := &s.Manifest
	counts := make([][]float64, len(s.Pools))
	costs := make([][]float64, len(s.Pools))
	for i := range s.Pools {
		machines := series.CapacitySteps(capacity[i])
		if len(machines) == 0 {
			machines = series.EventSteps(events[i])
		}
		counts[i] = onGrid(machines, gaps[i], m)
		costs[i] = onGrid(series.PriceSteps(prices[i]), gaps[i], m)
	}
	always := func(a, b *traces.Pool) bool { return true }
	sameType := func(a, b *traces.Pool) bool { return a.InstanceType == b.InstanceType && a.Product == b.Product }
	out.AvailabilitySame, out.AvailabilityCross = out.pairs(s, "availability", counts, always)
	out.PriceSame, out.PriceCross = out.pairs(s, "price", costs, sameType)
}

// onGrid samples steps over the observation; not-a-number where nothing is
// known, nil if nothing ever is.
func onGrid(steps []series.Step, gaps []traces.GapRow, m *traces.Manifest) []float64 {
	if len(steps) == 0 {
		return nil
	}
	span := m.TEndUs - m.TStartUs
	grid := max(m.SamplingUs, minGridUs, span/maxGrid+1)
	values := make([]float64, span/grid+1)
	for i := range values {
		values[i] = math.NaN()
	}
	for p := range series.Pieces(steps, gaps, m.TEndUs) {
		from := max(0, p.From-m.TStartUs)
		for i := (from + grid - 1) / grid; i*grid < p.To-m.TStartUs && i < int64(len(values)); i++ {
			values[i] = p.V
		}
	}
	return values
}

// pairs adds the correlations of all comparable pairs and returns the means
// within and across regions.
func (out *Statistics) pairs(s *traces.Set, what string, series [][]float64,
	comparable func(a, b *traces.Pool) bool) (same, cross *float64) {
	var sum, n [2]float64
	for i := range series {
		for j := i + 1; j < len(series); j++ {
			a := &s.Pools[i]
			b := &s.Pools[j]
			if series[i] == nil || series[j] == nil || !comparable(a, b) {
				continue
			}
			r, points, ok := pearson(series[i], series[j])
			if !ok {
				continue
			}
			c := Correlation{What: what, A: a.Name, B: b.Name, R: r, Points: points}
			c.SameRegion = a.Region == b.Region && a.Region != ""
			k := 1
			if c.SameRegion {
				k = 0
			}
			sum[k] += r
			n[k]++
			out.Correlations = append(out.Correlations, c)
		}
	}
	return ratio(sum[0], n[0]), ratio(sum[1], n[1])
}

// pearson returns the correlation of two series where both are numbers, and of how
// many pairs; false where one of them is constant.
func pearson(x, y []float64) (r float64, n int, ok bool) {
	a, b := known(x, y)
	if constant(a) || constant(b) { // exactly: a mean is not, and a constant would seem to vary
		return 0, len(a), false
	}
	r = stat.Correlation(a, b, nil)
	return r, len(a), !math.IsNaN(r)
}

// known returns both series where both are numbers.
func known(x, y []float64) (a, b []float64) {
	if !slices.ContainsFunc(x, math.IsNaN) && !slices.ContainsFunc(y, math.IsNaN) {
		return x, y
	}
	a = make([]float64, 0, len(x))
	b = make([]float64, 0, len(x))
	for i := range x {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			a = append(a, x[i])
			b = append(b, y[i])
		}
	}
	return a, b
}

// constant reports whether all numbers are the same.
func constant(x []float64) bool {
	return len(x) == 0 || !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })
}
