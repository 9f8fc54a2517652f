package sweep

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments"
)

// Comparison is what one policy does for one objective under one combination of
// the other parameters, beside the baseline's runs from the same starts under the
// same seeds: common random numbers, so that differences are paired.
type Comparison struct {
	Parameters string `json:"parameters"` // JSON, those of the cell without policy
	Objective  string `json:"objective"`
	Policy     string `json:"policy"`
	Oracle     bool   `json:"oracle"` // knows the future; not part of the front

	N          int      `json:"n"`          // runs that did not fail
	Failed     int      `json:"failed"`     // runs that did
	Unfinished int      `json:"unfinished"` // of N, cut by the horizon: their cost is that until then
	Missed     float64  `json:"missed"`     // share of N that missed the objective
	MissedCI   Interval `json:"missed_ci"`  // Wilson's
	MeanUSD    float64  `json:"mean_usd"`
	P50USD     float64  `json:"p50_usd"`
	P95USD     float64  `json:"p95_usd"`
	P99USD     float64  `json:"p99_usd"`

	Pairs   int       `json:"pairs"`    // with runs of the baseline
	DiffUSD float64   `json:"diff_usd"` // mean of the policy's cost less the baseline's
	DiffCI  *Interval `json:"diff_ci"`  // bootstrap; null for fewer than two pairs
	WinRate float64   `json:"win_rate"` // share of the pairs in which the policy costs less, ties count half

	// What a sample cost and how many were trained, by the baseline's over the
	// pairs; null for fewer than two starts or seeds, or where nothing was trained.
	PerSample *Ratio `json:"per_sample"`
	Samples   *Ratio `json:"samples"`

	Front    bool     `json:"front"` // no other policy of the group costs less in the mean and misses no more
	Warnings []string `json:"warnings,omitempty"`
}

// FewPairs is the number of pairs below which a bootstrap interval of the mean is too
// narrow.
const FewPairs = 30

// Sizes below which a percentile says little.
const (
	fewForP95 = 100 // about five runs lie above the 95th percentile
	fewForP99 = 500 // about five above the 99th
)

func (c *Comparison) describe(s *sample) {
	sorted := slices.DeleteFunc(slices.Clone(s.cost), math.IsNaN)
	slices.Sort(sorted)
	c.MeanUSD, c.P50USD, c.P95USD, c.P99USD = mean(sorted), quantile(sorted, 0.5), quantile(sorted, 0.95), quantile(sorted, 0.99)
	c.Missed = float64(s.missed) / float64(s.n)
	c.MissedCI.Low, c.MissedCI.High = experiments.Wilson(s.missed, s.n)
}

// pair compares run with run: the same start, the same seed.
func (c *Comparison) pair(s, baseline *sample) {
	var diff []float64
	wins := 0.0
	for i, cost := range s.cost {
		d := cost - baseline.cost[i]
		switch {
		case math.IsNaN(d):
			continue
		case d < 0:
			wins++
		case d == 0:
			wins += 0.5
		}
		diff = append(diff, d)
	}
	if c.Pairs = len(diff); c.Pairs == 0 {
		return
	}
	c.DiffUSD, c.WinRate = mean(diff), wins/float64(len(diff))
	if c.Pairs > 1 {
		ci := MeanInterval(diff)
		c.DiffCI = &ci
	}
}

func (c *Comparison) warn() {
	warn := func(format string, args ...any) { c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...)) }
	if c.Failed > 0 {
		warn("%d runs failed and are left out", c.Failed)
	}
	if c.Unfinished > 0 {
		warn("%d of %d runs did not finish before the horizon: their cost is that until then", c.Unfinished, c.N)
	}
	if c.Pairs < FewPairs {
		warn("%d pairs are too few for an interval, expected at least %d", c.Pairs, FewPairs)
	}
	switch {
	case c.N < fewForP95:
		warn("%d runs are too few for the 95th and 99th percentile, expected at least %d and %d", c.N, fewForP95, fewForP99)
	case c.N < fewForP99:
		warn("%d runs are too few for the 99th percentile, expected at least %d", c.N, fewForP99)
	}
}

// front marks the policies that no other one beats in cost and in misses.
func front(all []Comparison) {
	beats := func(a, b *Comparison) bool {
		return !a.Oracle && a.N > 0 && a.MeanUSD <= b.MeanUSD && a.Missed <= b.Missed && (a.MeanUSD < b.MeanUSD || a.Missed < b.Missed)
	}
	for i := range all {
		c := &all[i]
		c.Front = c.N > 0 && !c.Oracle && !slices.ContainsFunc(all, func(o Comparison) bool { return beats(&o, c) })
	}
}
