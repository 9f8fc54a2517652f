package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Life is how long one machine was seen to live, in hours. Censored: it was not
// lost then, but stopped, or still there when the observation ended.
type Life struct {
	Hours    float64
	Censored bool
}

// SurvivalStep is the survival from a time on, until the next step.
type SurvivalStep struct {
	H        float64 // hours lived
	S        float64 // share that lives longer
	Low      float64 // pointwise 95 % band, 0 to 1
	High     float64
	AtRisk   int // machines seen to live that long
	Lost     int // of them, lost then
	Censored int // of them, not seen any longer
}

// z95 is the 0.975 quantile of the normal distribution.
const z95 = 1.959963984540054

// KaplanMeier estimates the share of machines that live longer than a time,
// with lives that were cut short counted for as long as they were seen: E. L.
// Kaplan and P. Meier, "Nonparametric estimation from incomplete observations",
// JASA 53 (1958). The band is S ± 1.96 standard errors by Greenwood's formula,
// S² Σ d/(n(n-d)), cut at 0 and 1; where nobody is left it is that of the step
// before. A machine that was lost and one that was censored at one time: the
// latter was at risk. There is a step for each time at which a life ends, the
// first at 0. Lives that are negative or not finite are errors.
func KaplanMeier(lives []Life) ([]SurvivalStep, error) {
	for i, l := range lives {
		if !drawable(l.Hours) {
			return nil, fmt.Errorf("plots: life %d: %v hours, want 0 to %g", i, l.Hours, most)
		}
	}
	sorted := slices.Clone(lives)
	slices.SortFunc(sorted, func(a, b Life) int { return cmp.Compare(a.Hours, b.Hours) })
	steps := []SurvivalStep{{S: 1, Low: 1, High: 1, AtRisk: len(sorted)}}
	greenwood := 0.0
	for len(sorted) > 0 {
		end := 1
		for end < len(sorted) && sorted[end].Hours == sorted[0].Hours {
			end++
		}
		next := steps[len(steps)-1].after(sorted[:end], len(sorted), &greenwood)
		if next.H == 0 {
			steps[0] = next
		} else {
			steps = append(steps, next)
		}
		sorted = sorted[end:]
	}
	return steps, nil
}

// after is the step at which some of n machines at risk end, all at one time.
func (s SurvivalStep) after(ends []Life, n int, greenwood *float64) SurvivalStep {
	next := SurvivalStep{H: ends[0].Hours, S: s.S, Low: s.Low, High: s.High, AtRisk: n}
	for _, l := range ends {
		if l.Censored {
			next.Censored++
		} else {
			next.Lost++
		}
	}
	if next.Lost == 0 {
		return next
	}
	d, at := float64(next.Lost), float64(n)
	next.S *= 1 - d/at
	if next.Lost == n {
		next.S = 0
		next.Low = 0
		return next
	}
	*greenwood += d / (at * (at - d))
	wide := z95 * next.S * math.Sqrt(*greenwood)
	next.Low, next.High = max(0, next.S-wide), min(1, next.S+wide)
	return next
}

// Median returns the first time at which at most half live longer, false if it
// never comes.
func Median(steps []SurvivalStep) (hours float64, ok bool) {
	for _, s := range steps {
		if s.S <= 0.5 {
			return s.H, true
		}
	}
	return 0, false
}
