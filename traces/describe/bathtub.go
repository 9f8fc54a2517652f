package describe

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/traces/internal/series"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/optimize"
)

// Bathtub is the distribution of lifetimes of machines that must end by an age: the share
// that has died by t hours is
//
//	F(t) = A (1 - exp(-t/Tau1) + exp((t-B)/Tau2)), at most 1
//
// so that many die early (over Tau1), few for long, and all around the age B
// (within some Tau2). The form is that of Kadupitiya, Jadhao and Sharma,
// "Modeling The Temporally Constrained Preemptions of Transient Cloud VMs",
// HPDC 2020 (arXiv 1911.05160), as public code of that model evaluates it. F(0)
// is not 0 but A exp(-B/Tau2), which is nothing where B is many Tau2.
//
// The form is published, and that Google ended preemptible VMs by 24 h (its Spot
// VMs have no such end). The paper's parameters, by machine type, are in none of
// the records that this package was checked with. Recorded shares differ widely:
// of CM-DARE's 396 GPU servers (ICDCS 2020, arXiv 2004.03072) 23 to 73 % were
// revoked before 24 h, by GPU and region. Fit the distribution to the lifetimes that are meant.
type Bathtub struct {
	A    float64 `json:"a_share"` // 1e-6 to 1
	Tau1 float64 `json:"tau1_h"`  // 1e-6 to 1e6
	Tau2 float64 `json:"tau2_h"`  // 1e-6 to 1e6
	B    float64 `json:"b_h"`     // at least 0
}

// Check returns what is wrong with the parameters.
func (b Bathtub) Check() error {
	within := func(x, low, high float64) bool { return x >= low && x <= high }
	if !within(b.A, 1e-6, 1) || !within(b.Tau1, 1e-6, 1e6) || !within(b.Tau2, 1e-6, 1e6) ||
		!within(b.B, 0, MaxLifetimeHours) {
		return fmt.Errorf("bathtub a %v, tau1 %v h, tau2 %v h, b %v h, "+
			"expected 1e-6 to 1, 1e-6 to 1e6, 1e-6 to 1e6, 0 to %d", b.A, b.Tau1, b.Tau2, b.B, MaxLifetimeHours)
	}
	return nil
}

// Died returns the share of machines that has died by an age in hours.
func (b Bathtub) Died(hours float64) float64 {
	late := math.Exp(math.Min(700, (hours-b.B)/b.Tau2))
	return math.Min(1, b.A*(1-math.Exp(-hours/b.Tau1)+late))
}

// Quantile implements LifetimeDistribution, by bisection to a microsecond.
func (b Bathtub) Quantile(u float64) float64 {
	low := 0.0
	high := b.B + 1
	for b.Died(high) < 1 {
		high += high
	}
	for high-low > .5/series.HourUs {
		mid := (low + high) / 2
		if mid == low || mid == high {
			break
		}
		if b.Died(mid) <= u {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// String names the distribution, for results.
func (b Bathtub) String() string {
	return fmt.Sprintf("bathtub(a=%s,tau1=%sh,tau2=%sh,b=%sh)", shortest(b.A), shortest(b.Tau1), shortest(b.Tau2),
		shortest(b.B))
}

// FitBathtub fits the distribution to the shares of machines that have died by ages in
// hours, by least squares: Nelder and Mead's search from nine starts, of which
// the best minimum counts; of those alike the first, from a sharp end at the last
// age, for shares before the end do not say when it is. An error if none leads
// anywhere. Panics unless there is a share for each age.
func FitBathtub(hours, died []float64) (Bathtub, error) {
	if len(hours) == 0 || len(hours) != len(died) {
		panic(fmt.Sprintf("traces: FitBathtub: %d ages, %d shares", len(hours), len(died)))
	}
	last := max(slices.Max(hours), 1e-3)
	problem := optimize.Problem{Func: func(x []float64) float64 { return bathtubAt(x).squares(hours, died) }}
	var best Bathtub
	smallest := math.Inf(1)
	for _, early := range []float64{120, 12, 2.4} {
		for _, end := range [][2]float64{{80, 1}, {5, 1.2}, {60, 5}} { // sharp, gentle, long before the last
			start := []float64{math.Log(.5), math.Log(last / early), math.Log(last / end[0]), math.Log(last / end[1])}
			r, err := optimize.Minimize(problem, start, nil, &optimize.NelderMead{})
			if err == nil && r.F < .999*smallest {
				best = bathtubAt(r.X)
				smallest = r.F
			}
		}
	}
	if math.IsInf(smallest, 1) {
		return best, fmt.Errorf("no bathtub distribution fits the %d shares until %v h", len(hours), last)
	}
	return best, nil
}

// bathtubAt is the distribution with the logarithms of its parameters.
func bathtubAt(x []float64) Bathtub {
	return Bathtub{A: math.Exp(x[0]), Tau1: math.Exp(x[1]), Tau2: math.Exp(x[2]), B: math.Exp(x[3])}
}

// squares returns the sum of the squared errors of the shares, infinite for a
// distribution that is none.
func (b Bathtub) squares(hours, died []float64) float64 {
	if b.Check() != nil {
		return math.Inf(1)
	}
	sum := 0.0
	for i, h := range hours {
		d := b.Died(h) - died[i]
		sum += d * d
	}
	return sum
}

// FitBathtub fits the bathtub distribution to the steps at which machines were lost,
// to six decimals.
func (v Survival) FitBathtub() (Bathtub, error) {
	hours, shares := v.falls()
	died := make([]float64, len(shares))
	for i, alive := range shares {
		died[i] = 1 - alive
	}
	b, err := FitBathtub(hours, died)
	return Bathtub{scalar.Round(b.A, 6), scalar.Round(b.Tau1, 6), scalar.Round(b.Tau2, 6), scalar.Round(b.B, 6)}, err
}
