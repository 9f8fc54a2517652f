package synth

import (
	"math"
)

// Table says how what a generator makes agrees with a recorded trace.
type Table struct {
	Model   string   `json:"law"`
	TraceID string   `json:"trace_id"` // the recorded trace
	SHA256  string   `json:"sha256"`   // of it
	Seeds   int      `json:"seeds"`    // traces made, each as long as the recorded one
	Hours   float64  `json:"hours"`    // of one
	Rows    []FitRow `json:"rows"`
	Passes  bool     `json:"passes"` // every required row fits, and there is one
	Notes   []string `json:"notes,omitempty"`
}

// FitRow compares one statistic.
type FitRow struct {
	Statistic string   `json:"statistic"`
	Unit      string   `json:"unit"`
	Recorded  *float64 `json:"recorded,omitempty"`  // absent: not recorded
	Generated *float64 `json:"generated,omitempty"` // of all seeds together; absent: the model does not make it
	// Spread is the standard deviation between seeds.
	Spread *float64 `json:"spread,omitempty"`
	// Tolerance is the largest difference that fits: absolute, or of the
	// recorded value (relative).
	Tolerance float64 `json:"tolerance"`
	Relative  bool    `json:"relative"`
	// Required rows make the verdict of the table; the others are reported.
	Required bool   `json:"required"`
	Verdict  string `json:"verdict"` // fits, differs, not made, not recorded
}

// Verdicts.
const (
	verdictFits         = "fits"
	verdictDiffers      = "differs"
	verdictNotGenerated = "not made"
	verdictNotRecorded  = "not recorded"
)

// statistic is a row of every table: what is compared, and how near is near.
//
// Distances are Kolmogorov's: the largest difference of two distribution
// functions, recorded 0.
type statistic struct {
	name, unit string
	tolerance  float64
	relative   bool
	required   bool
}

var (
	statAvailability = statistic{"availability", "1", .05, false, true}
	statMachines     = statistic{"machines of a pool, mean over time", "machines", .15, true, true}
	statLevels       = statistic{"time at each level, distance, worst pool", "1", .10, false, true}
	statDrops        = statistic{"drop events per zone-hour", "1/h", .15, true, true}
	statMTBP         = statistic{"mean time between preemptions", "h", .15, true, true}
	statBulkMean     = statistic{"machines of a drop event", "machines", .15, true, true}
	statBulk         = statistic{"sizes of drop events, distance", "1", .10, false, true}
	statSame         = statistic{"correlation of availability within regions", "1", .10, false, true}
	statCross        = statistic{"correlation of availability across regions", "1", .10, false, true}
	statIntervals    = statistic{"hours between drop events of a pool, distance", "1", .10, false, false}
	statLifetimes    = statistic{"lifetimes of machines, distance of survival curves", "1", .10, false, false}
	statPrice        = statistic{"price, mean of pools", "USD/h", .05, true, true}
	statChanges      = statistic{"price changes per pool and day", "1/d", .15, true, true}
	statStepMedian   = statistic{"price step, median", "1", .20, true, true}
	statStepP95      = statistic{"price step, 95th percentile", "1", .20, true, true}
	statStepMax      = statistic{"price step, largest", "1", .20, true, true}
	statPriceSame    = statistic{"correlation of prices within regions", "1", .15, false, false}
	statPriceCross   = statistic{"correlation of prices across regions", "1", .15, false, false}
)

var statistics = []statistic{
	statAvailability, statMachines, statLevels, statDrops, statMTBP, statBulkMean, statBulk, statSame, statCross,
	statIntervals, statLifetimes, statPrice, statChanges, statStepMedian, statStepP95, statStepMax, statPriceSame,
	statPriceCross,
}

// fill writes the rows and the verdict.
func (t *Table) fill(have, generated map[statistic]float64, seeds []map[statistic]float64) {
	required := 0
	t.Passes = true
	for _, s := range statistics {
		r := FitRow{Statistic: s.name, Unit: s.unit, Tolerance: s.tolerance, Relative: s.relative, Required: s.required,
			Verdict: verdictNotRecorded}
		want, recorded := have[s]
		got, generated := generated[s]
		if !recorded && !generated {
			continue
		}
		if recorded {
			r.Recorded = &want
		}
		if generated {
			r.Generated, r.Spread = &got, spread(s, seeds)
		}
		if recorded {
			r.Verdict = s.verdict(want, got, generated)
		}
		if s.required && recorded && generated {
			required++
			t.Passes = t.Passes && r.Verdict == verdictFits
		}
		t.Rows = append(t.Rows, r)
	}
	t.Passes = t.Passes && required > 0
}

func (s statistic) verdict(want, got float64, generated bool) string {
	allowed := s.tolerance
	if s.relative {
		allowed *= math.Abs(want)
	}
	switch {
	case !generated:
		return verdictNotGenerated
	case math.Abs(got-want) <= allowed:
		return verdictFits
	}
	return verdictDiffers
}

// spread returns the standard deviation between seeds; nil of fewer than two.
func spread(s statistic, seeds []map[statistic]float64) *float64 {
	var n, sum, squares float64
	for _, v := range seeds {
		if x, ok := v[s]; ok {
			n, sum, squares = n+1, sum+x, squares+x*x
		}
	}
	if n < 2 {
		return nil
	}
	return new(math.Sqrt(max(0, squares-sum*sum/n) / (n - 1)))
}
