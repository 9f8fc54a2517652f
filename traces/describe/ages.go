package describe

import (
	"iter"
	"math"
	"slices"

	"github.com/marigram/marigram/traces/internal/series"
)

// Ages are the lengths of lifetimes, and whether they were lost, in 8 bytes each: all that a survival curve needs.
type Ages []uint64

// Add adds lifetimes.
func (a *Ages) Add(lifetimes []Lifetime) {
	*a = slices.Grow(*a, len(lifetimes))
	for _, l := range lifetimes {
		age := uint64(l.To-l.From) << 1
		if l.Lost {
			age |= 1
		}
		*a = append(*a, age)
	}
}

// Survival is KaplanMeier of them. It sorts them.
func (a Ages) Survival() Survival {
	slices.Sort(a)
	return Survival{Steps: slices.Collect(a.steps())}
}

// Distance is that of their survival curve from another one, without holding the curve; false if either cannot be drawn from
// (Survival.Check). It sorts them.
func (a Ages) Distance(w Survival, until float64) (worst float64, ok bool) {
	if len(a) == 0 || w.Check() != nil {
		return 0, false
	}
	slices.Sort(a)
	if hours := ageHours(a[len(a)-1]); hours > MaxLifetimeHours {
		return 0, false
	}
	mine, other, steps := 1.0, 1.0, w.Steps
	catchUp := func(hours float64) { // the steps of w before an age
		for len(steps) > 0 && steps[0].Hours < hours {
			other = steps[0].Survival
			if steps[0].Hours <= until {
				worst = math.Max(worst, math.Abs(mine-other))
			}
			steps = steps[1:]
		}
	}
	for s := range a.steps() {
		catchUp(s.Hours)
		if mine = s.Survival; len(steps) > 0 && steps[0].Hours == s.Hours {
			other, steps = steps[0].Survival, steps[1:]
		}
		if s.Hours <= until {
			worst = math.Max(worst, math.Abs(mine-other))
		}
	}
	catchUp(math.Inf(1))
	return worst, mine < 1
}

func ageHours(age uint64) float64 { return float64(age>>1) / series.HourUs }

// steps are those of the curve, of ages in order.
func (a Ages) steps() iter.Seq[SurvivalStep] {
	return func(yield func(SurvivalStep) bool) {
		last, greenwood := SurvivalStep{Survival: 1, Low: 1, High: 1}, 0.
		for sorted := a; len(sorted) > 0; {
			next := SurvivalStep{Hours: ageHours(sorted[0]), AtRisk: len(sorted), Survival: last.Survival, Low: last.Low,
				High: last.High}
			age, end := sorted[0]>>1, 0
			for ; end < len(sorted) && sorted[end]>>1 == age; end++ {
				next.Lost += int(sorted[end] & 1)
			}
			next.Censored = end - next.Lost
			lost, n := float64(next.Lost), float64(next.AtRisk)
			switch {
			case next.Lost == next.AtRisk:
				next.Survival, next.Low = 0, 0
			case next.Lost > 0:
				next.Survival *= 1 - lost/n
				greenwood += lost / (n * (n - lost))
				wide := z95 * next.Survival * math.Sqrt(greenwood)
				next.Low, next.High = max(0, next.Survival-wide), min(1, next.Survival+wide)
			}
			if !yield(next) {
				return
			}
			last, sorted = next, sorted[end:]
		}
	}
}

// z95 is the 0.975 quantile of the normal distribution.
const z95 = 1.959963984540054

// KaplanMeier estimates how many machines outlive an age from lifetimes of
// which some are censored: E. L. Kaplan and P. Meier, "Nonparametric estimation from
// incomplete observations", JASA 53 (1958). S(t) is the product over the ages
// h <= t at which machines were lost of 1 - lost/at risk. A lifetime censored at an
// age at which others are lost was at risk then. The band is S ± 1.96 standard
// errors by Greenwood's formula, S² Σ lost/(n (n-lost)), cut at 0 and 1; where
// nobody is left it reaches from 0 to the step before's.
func KaplanMeier(lifetimes []Lifetime) Survival {
	var a Ages
	a.Add(lifetimes)
	return a.Survival()
}
