package traces

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

// Survival is a survival curve: a step at every age at which lives end,
// ascending.
type Survival struct {
	Steps []SurvivalStep
}

// z95 is the 0.975 quantile of the normal distribution.
const z95 = 1.959963984540054

// KaplanMeier estimates how many machines outlive an age from lives of which
// some are censored: E. L. Kaplan and P. Meier, "Nonparametric estimation from
// incomplete observations", JASA 53 (1958). S(t) is the product over the ages
// h <= t at which machines were lost of 1 - lost/at risk. A life censored at an
// age at which others are lost was at risk then. The band is S ± 1.96 standard
// errors by Greenwood's formula, S² Σ lost/(n (n-lost)), cut at 0 and 1; where
// nobody is left it reaches from 0 to the step before's.
func KaplanMeier(lives []Life) Survival {
	sorted := slices.SortedFunc(slices.Values(lives), func(a, b Life) int { return cmp.Compare(a.To-a.From, b.To-b.From) })
	var out Survival
	last, greenwood := SurvivalStep{Survival: 1, Low: 1, High: 1}, 0.
	for len(sorted) > 0 {
		next := SurvivalStep{Hours: sorted[0].Hours(), AtRisk: len(sorted), Survival: last.Survival, Low: last.Low, High: last.High}
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

// Until returns the longest life, hours: beyond it nothing is known, unless
// nothing survives. 0 of nobody.
func (v Survival) Until() float64 {
	if len(v.Steps) == 0 {
		return 0
	}
	return v.Steps[len(v.Steps)-1].Hours
}

// At returns the share of machines that outlive an age in hours; false where
// that is not known.
func (v Survival) At(hours float64) (share float64, known bool) {
	share = 1
	for _, s := range v.Steps {
		if s.Hours > hours {
			break
		}
		share = s.Survival
	}
	return share, hours <= v.Until() || share == 0
}

// Median returns the least age, in hours, that half of the machines or fewer
// outlive; false if more than half outlive all that was seen.
func (v Survival) Median() (hours float64, known bool) {
	for _, s := range v.Steps {
		if s.Survival <= .5 {
			return s.Hours, true
		}
	}
	return 0, false
}
