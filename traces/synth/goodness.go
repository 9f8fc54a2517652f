package synth

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// Table says how what a generator makes agrees with a recorded history.
type Table struct {
	Model   string   `json:"law"`
	TraceID string   `json:"trace_id"` // the recorded history
	SHA256  string   `json:"sha256"`   // of it
	Seeds   int      `json:"seeds"`    // histories made, each as long as the recorded one
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
	Generated *float64 `json:"generated,omitempty"` // of all seeds together; absent: the law does not make it
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
	VerdictFits        = "fits"
	VerdictDiffers     = "differs"
	VerdictNotMade     = "not made"
	VerdictNotRecorded = "not recorded"
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
	statSpells       = statistic{"hours between drop events of a pool, distance", "1", .10, false, false}
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
	statSpells, statLifetimes, statPrice, statChanges, statStepMedian, statStepP95, statStepMax, statPriceSame, statPriceCross,
}

// Check makes as many histories as seeds says, from seed 1 on, each as long as
// the recorded one, and compares. Rates and distributions are of all of them
// together, so that short histories do not bias them; pools count by the hours
// for which the recorded ones were known. seeds is at least 1.
func Check(g *Generator, recorded *traces.Set, seeds int) (Table, error) {
	if seeds < 1 || seeds > 10_000 {
		return Table{}, fmt.Errorf("check on %d seeds, expected 1 to 10000", seeds)
	}
	span := recorded.Manifest.TEndUs - recorded.Manifest.TStartUs
	if span < 1 {
		return Table{}, fmt.Errorf("check against %s: the history is empty", recorded.Manifest.TraceID)
	}
	t := Table{Model: g.Model, TraceID: recorded.Manifest.TraceID, SHA256: setDigest(recorded), Seeds: seeds, Hours: float64(span) / series.HourUs}
	have := measure(recorded, nil)
	weights := have.weights(g.Pools)
	if have.own = weights != nil; !have.own {
		t.Notes = append(t.Notes, "the pools differ from those of the history: they are compared without matching names")
	}
	var all evidence
	values := make([]map[statistic]float64, 0, seeds)
	for seed := 1; seed <= seeds; seed++ {
		s, err := g.Generate(uint64(seed), time.Duration(span)*time.Microsecond)
		if err != nil {
			return Table{}, err
		}
		one := measure(s, weights)
		values = append(values, one.values(&have))
		all.add(one)
	}
	t.fill(have.values(&have), all.values(&have), values)
	return t, nil
}

// fill writes the rows and the verdict.
func (t *Table) fill(have, made map[statistic]float64, seeds []map[statistic]float64) {
	required := 0
	t.Passes = true
	for _, s := range statistics {
		r := FitRow{Statistic: s.name, Unit: s.unit, Tolerance: s.tolerance, Relative: s.relative, Required: s.required, Verdict: VerdictNotRecorded}
		want, recorded := have[s]
		got, generated := made[s]
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
			t.Passes = t.Passes && r.Verdict == VerdictFits
		}
		t.Rows = append(t.Rows, r)
	}
	t.Passes = t.Passes && required > 0
}

func (s statistic) verdict(want, got float64, made bool) string {
	allowed := s.tolerance
	if s.relative {
		allowed *= math.Abs(want)
	}
	switch {
	case !made:
		return VerdictNotMade
	case math.Abs(got-want) <= allowed:
		return VerdictFits
	}
	return VerdictDiffers
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
	d := math.Sqrt(max(0, squares-sum*sum/n) / (n - 1))
	return &d
}

// distance returns Kolmogorov's distance of two weighted samples; false if one
// of them is empty.
func distance(a, b map[float64]float64) (float64, bool) {
	var at []float64
	var na, nb float64
	for _, m := range []map[float64]float64{a, b} {
		for x := range m {
			at = append(at, x)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for _, x := range at {
		na, nb = na+a[x], nb+b[x]
	}
	if na == 0 || nb == 0 {
		return 0, false
	}
	worst, fa, fb := 0.0, 0.0, 0.0
	for _, x := range at {
		fa, fb = fa+a[x]/na, fb+b[x]/nb
		worst = max(worst, math.Abs(fa-fb))
	}
	return worst, true
}
