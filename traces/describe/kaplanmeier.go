package describe

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
	var a Ages
	a.Add(lifetimes)
	return a.Survival()
}
