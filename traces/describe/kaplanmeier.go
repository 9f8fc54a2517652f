package describe

import (
	"cmp"
	"math"
	"slices"
)

// SurvivalStep is a step of a survival curve: what holds from an age on, until
// the next step.
type SurvivalStep struct {
	Hours    float64 // the age
	AtRisk   int     // machines that had lived at least so long
	Lost     int     // of them, lost at that age
	Censored int     // of them, not seen any longer
	Survival float64 // share that lives longer
	Low      float64 // pointwise 95 % band, 0 to 1
	High     float64
}

// Survival is an estimated survival curve: a step at every age at which lifetimes end,
// ascending. It is a LifetimeDistribution to draw from, where machines were lost.
type Survival struct {
	Steps []SurvivalStep
	Of    string // whose lifetimes, for String; empty: unknown
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
	sorted := slices.SortedFunc(slices.Values(lifetimes),
		func(a, b Lifetime) int { return cmp.Compare(a.To-a.From, b.To-b.From) })
	var out Survival
	last, greenwood := SurvivalStep{Survival: 1, Low: 1, High: 1}, 0.
	for len(sorted) > 0 {
		next := SurvivalStep{Hours: sorted[0].Hours(), AtRisk: len(sorted), Survival: last.Survival, Low: last.Low,
			High: last.High}
		age, end := sorted[0].To-sorted[0].From, 0
		for ; end < len(sorted) && sorted[end].To-sorted[end].From == age; end++ {
			if sorted[end].Lost {
				next.Lost++
			}
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
		out.Steps = append(out.Steps, next)
		last, sorted = next, sorted[end:]
	}
	return out
}
