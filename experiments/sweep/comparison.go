package sweep

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
)

// Comparison is what one policy does for one objective under one combination of
// the other parameters, beside the baseline's runs from the same starts under the
// same seeds: common random numbers, so that differences are paired.
type Comparison struct {
	Parameters string `json:"parameters"` // JSON, those of the cell without policy
	Objective  string `json:"objective"`
	Policy     string `json:"policy"`
	Oracle     bool   `json:"oracle"` // knows the future, or how long jobs run; not part of the front
	ManyJobs   bool   `json:"many_jobs,omitempty"`
	Metric     string `json:"metric"` // what policies are compared by: the name of a results.Metric; less is better
	Unit       string `json:"unit"`   // of Value, its interval and percentiles, and of Diff

	N            int                 `json:"n"`             // runs that did not fail
	SamplingUnit string              `json:"sampling_unit"` // what they are independent by: start or seed
	Failed       int                 `json:"failed"`        // runs that did
	Unfinished   int                 `json:"unfinished"`    // of N, cut by the horizon: they count until then
	Met          int                 `json:"met"`           // of N, that met the objective
	Missed       float64             `json:"missed"`        // share of N that missed the objective
	Asked        *float64            `json:"asked"`         // share of the runs that was to meet it; null: all
	Misses       bool                `json:"misses"`        // it was met less often than asked: the value is no answer
	Rank         int                 `json:"rank"`          // among the policies of the group, from 1: intervals.Rank
	MissedCI     intervals.Interval  `json:"missed_ci"`     // intervals.Tally.Share
	Value        float64             `json:"value"`         // mean of the runs
	MeanCI       *intervals.Interval `json:"mean_ci"`       // intervals.Tally.MeanInterval; null for fewer than two units
	P50          float64             `json:"p50"`
	P95          float64             `json:"p95"`
	P99          float64             `json:"p99"`

	Pairs  int                 `json:"pairs"`   // with runs of the baseline
	Diff   float64             `json:"diff"`    // mean of the policy's value less the baseline's
	DiffCI *intervals.Interval `json:"diff_ci"` // intervals.Tally.MeanInterval; null for fewer than two units
	// MissedP is the p-value of the shares of runs that missed the objective, of the policy and of the baseline, being
	// the same (intervals.Tally.SharesPValue); null of the baseline.
	MissedP *float64 `json:"missed_p"`
	WinRate float64  `json:"win_rate"` // share of the pairs in which the policy has less, ties count half

	// What a sample cost and how many were trained, by the baseline's over the
	// pairs; null for fewer than two units, or where nothing was trained.
	PerSample *Ratio `json:"per_sample"`
	Samples   *Ratio `json:"samples"`

	Bound *results.Ceiling `json:"bound,omitempty"` // if it was asked for

	// Of an ablation (Folder.Ablate): of which policy, which value the others are compared with, and the p-value of
	// Diff alone and corrected for the number of comparisons.
	Of       string   `json:"of,omitempty"`
	Baseline string   `json:"baseline,omitempty"`
	P        *float64 `json:"p,omitempty"`
	PHolm    *float64 `json:"p_holm,omitempty"`

	Front    bool     `json:"front"` // no other policy of the group has less in the mean and misses no more
	Warnings []string `json:"warnings,omitempty"`
	NoBest   string   `json:"no_best,omitempty"` // why no policy of the group is called the best (intervals.NoBest)

	// NotDecided says which policies the runs do not tell from this one, the first of those that may be called the
	// best, and why.
	NotDecided []string `json:"not_decided,omitempty"`

	hits, values   intervals.Tally // runs that met the objective, and Value of each
	diffP          float64         // p-value of Diff
	baselineMissed float64         // Missed of the baseline
}

// Numbers of units below which a percentile says little.
const (
	fewForP95 = 100 // about five lie above the 95th percentile
	fewForP99 = 500 // about five above the 99th
)

// misses adds up which runs of a policy missed the objective.
func (g *group) misses(s *sample) intervals.Tally {
	missed := g.tally(s.longest)
	for i, x := range s.value {
		if !math.IsNaN(x) {
			missed.AddHit(g.units[i], s.missed[i])
		}
	}
	return missed
}

func (c *Comparison) describe(s *sample, g *group) {
	if s.bound.Known() {
		c.Bound = &s.bound
	}
	sorted := slices.DeleteFunc(slices.Clone(s.value), math.IsNaN)
	slices.Sort(sorted)
	c.Value = stats.Mean(sorted)
	c.P50 = stats.NearestRank(sorted, 0.5)
	c.P95 = stats.NearestRank(sorted, 0.95)
	c.P99 = stats.NearestRank(sorted, 0.99)
	missed := g.misses(s)
	values := g.tally(s.longest)
	c.hits = g.tally(s.longest)
	for i, x := range s.value {
		if !math.IsNaN(x) {
			values.Add(g.units[i], x)
			c.hits.AddHit(g.units[i], !s.missed[i])
			if !s.missed[i] {
				c.Met++
			}
		}
	}
	c.values = values
	c.MeanCI = values.MeanInterval()
	c.Missed = missed.Mean()
	c.MissedCI = missed.Share()
	c.NoBest = intervals.NoBest(s.capacity, c.SamplingUnit, c.MissedCI.Units)
}

// pair compares run with run: the same start, the same seed.
func (c *Comparison) pair(s, baseline *sample, g *group) {
	longest := max(s.longest, baseline.longest)
	diff := g.tally(longest)
	wins := 0.0
	for i, x := range s.value {
		difference := x - baseline.value[i]
		switch {
		case math.IsNaN(difference):
			continue
		case difference < 0:
			wins++
		case difference == 0:
			wins += 0.5
		}
		diff.Add(g.units[i], difference)
		c.Pairs++
	}
	if c.Pairs > 0 {
		c.Diff = diff.Mean()
		c.DiffCI = diff.MeanInterval()
		c.diffP = diff.PValue()
		c.WinRate = wins / float64(c.Pairs)
		if s != baseline {
			missed := g.misses(s)
			missedByBaseline := g.misses(baseline)
			c.MissedP = new(missed.SharesPValue(&missedByBaseline))
			c.baselineMissed = missedByBaseline.Mean()
		}
	}
}

// MetShare is the share of the runs that met the objective; 0 without any.
func (c *Comparison) MetShare() float64 { return float64(c.Met) / float64(max(c.N, 1)) }

// RankingRow is what the policy is ranked by.
func (c *Comparison) RankingRow() intervals.RankingRow {
	return intervals.RankingRow{
		Policy: c.Policy,
		Oracle: c.Oracle,
		Runs:   c.N,
		Met:    c.MetShare(),
		Cut:    c.Unfinished > 0,
		Value:  c.Value,
		Unit:   c.Unit,
		Hits:   &c.hits,
		Values: &c.values,
	}
}

// PairUnits returns how many units the pairs are of.
func (c *Comparison) PairUnits() int {
	if c.DiffCI != nil {
		return c.DiffCI.Units
	}
	return min(c.Pairs, 1)
}

func (c *Comparison) warn() {
	warn := func(format string, args ...any) { c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...)) }
	if c.Failed > 0 {
		warn("failed runs, left out: %d", c.Failed)
	}
	if c.Unfinished > 0 {
		what := "their cost is counted until then"
		if c.ManyJobs {
			what = "jobs that were not done are left out of completion times"
		}
		warn("%d of %d runs did not finish before the horizon: %s", c.Unfinished, c.N, what)
	}
	if doubt := intervals.Doubt(c.PairUnits(), c.SamplingUnit); doubt != "" {
		warn("%s", doubt)
	}
	if c.NoBest != "" && intervals.Doubt(c.MissedCI.Units, c.SamplingUnit) == "" {
		warn("no policy is called the best: %s", c.NoBest)
	}
	if c.MissedP != nil && c.Missed != c.baselineMissed && *c.MissedP >= intervals.NotShown {
		warn("misses the objective in %s of the runs and the baseline in %s: that they differ is not shown "+
			"(exact sign test, p = %.2g)",
			units.Percent(c.Missed), units.Percent(c.baselineMissed), *c.MissedP)
	}
	counted := intervals.CountIndependent(c.MissedCI.Units, c.SamplingUnit)
	if c.MissedCI.Units < fewForP95 {
		warn("%s: too few for the 95th and 99th percentile, at least %d and %d needed", counted, fewForP95, fewForP99)
	} else if c.MissedCI.Units < fewForP99 {
		warn("%s: too few for the 99th percentile, at least %d needed", counted, fewForP99)
	}
}

// front marks the policies that no other one beats in value and in misses.
func front(all []Comparison) {
	beats := func(a, b *Comparison) bool {
		notWorse := a.Value <= b.Value && a.Missed <= b.Missed
		return !a.Oracle && a.N > 0 && notWorse && (a.Value < b.Value || a.Missed < b.Missed)
	}
	for i := range all {
		row := &all[i]
		beaten := slices.ContainsFunc(all, func(other Comparison) bool { return beats(&other, row) })
		row.Front = row.N > 0 && !row.Oracle && !beaten
	}
}

// ratios compares what was trained, and what a sample cost; runs of one unit are
// resampled together. With fewer than two units, or where nothing was trained, there
// is none.
func (c *Comparison) ratios(s, baseline *sample, g *group) {
	index := map[intervals.Unit]int{}
	var each []trained
	var all trained
	of := g.tally(max(s.longest, baseline.longest))
	for i, u := range g.units {
		if math.IsNaN(s.value[i] + baseline.value[i]) {
			continue
		}
		at, has := index[u]
		if !has {
			at = len(each)
			index[u] = at
			each = append(each, trained{})
		}
		pair := trained{s.value[i], s.samples[i], baseline.value[i], baseline.samples[i]}
		each[at].add(pair)
		of.Add(u, 0)
		all.add(pair)
	}
	independent := of.Independent()
	if independent < 2 || all.samples == 0 || all.baseSamples == 0 {
		return
	}
	c.PerSample = &Ratio{all.perSample(), bootstrap(each, independent, (*trained).perSample)}
	c.Samples = &Ratio{all.speed(), bootstrap(each, independent, (*trained).speed)}
}
