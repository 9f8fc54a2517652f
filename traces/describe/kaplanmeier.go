package describe

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/traces/internal/series"
)

// z95 is the 0.975 quantile of the normal distribution.
const z95 = 1.959963984540054

// KaplanMeier estimates how many machines outlive an age from lifetimes of which some are censored: E. L. Kaplan and
// P. Meier, "Nonparametric estimation from incomplete observations", JASA 53 (1958). S(t) is the product over the ages
// h <= t at which machines were lost of 1 - lost/at risk. A lifetime censored at an age at which others are lost was at
// risk then. The band is S ± 1.96 standard errors by Greenwood's formula, S² Σ lost/(n (n-lost)), cut at 0 and 1; where
// nobody is left it reaches from 0 to the step before's.
func KaplanMeier(lifetimes []Lifetime) Survival {
	age := func(l Lifetime) int64 { return l.To - l.From }
	byAge := func(a, b Lifetime) int { return cmp.Compare(age(a), age(b)) }
	atRisk := slices.SortedFunc(slices.Values(lifetimes), byAge)
	var steps []SurvivalStep
	last := SurvivalStep{Survival: 1, Low: 1, High: 1}
	greenwood := 0.0
	for len(atRisk) > 0 {
		step := last
		step.Hours = float64(age(atRisk[0])) / series.HourUs
		step.AtRisk = len(atRisk)
		step.Lost = 0
		end := 0
		for end < len(atRisk) && age(atRisk[end]) == age(atRisk[0]) {
			if atRisk[end].Lost {
				step.Lost++
			}
			end++
		}
		step.Censored = end - step.Lost
		if step.Lost == step.AtRisk {
			step.Survival = 0
			step.Low = 0
		} else if step.Lost > 0 {
			lost := float64(step.Lost)
			n := float64(step.AtRisk)
			step.Survival *= 1 - lost/n
			greenwood += lost / (n * (n - lost))
			wide := z95 * step.Survival * math.Sqrt(greenwood)
			step.Low = max(0, step.Survival-wide)
			step.High = min(1, step.Survival+wide)
		}
		steps = append(steps, step)
		last = step
		atRisk = atRisk[end:]
	}
	return Survival{Steps: steps}
}
