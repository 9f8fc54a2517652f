package synth

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	_ "github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// row returns a row of a table by its name's beginning.
func (t *Table) row(tb testing.TB, s statistic) FitRow {
	tb.Helper()
	for _, r := range t.Rows {
		if r.Statistic == s.name {
			return r
		}
	}
	tb.Fatalf("the table of %s has no row %s", t.Model, s.name)
	return FitRow{}
}

func logTable(t *testing.T, table *Table) {
	cell := func(x *float64) string {
		if x == nil {
			return ""
		}
		return fmt.Sprintf("%.4f", *x)
	}
	t.Logf("%s on %s: passes %v", table.Model, table.TraceID, table.Passes)
	for _, r := range table.Rows {
		t.Logf("%-50s %9s %9s %9s  %s", r.Statistic, cell(r.Recorded), cell(r.Generated), cell(r.Spread), r.Verdict)
	}
}

// The bulk process agrees with every recorded trace in all that is required,
// independent exponential lifetimes with none of them. Known not to fit, with
// any of them: the times between drop events, which a chain without memory
// makes too even.
func TestFitRecorded(t *testing.T) {
	testutil.Published(t) // or skip
	check := near.Count(t)
	for _, c := range []struct {
		name     string
		path     []string
		opt      traces.Options
		breaks   statistic // what the exponential law is known to break
		distance float64   // at least by that
		block    bool      // whether the block bootstrap passes
	}{
		{"V100 zones", []string{"skynomad-aws-v100-availability"}, traces.Options{}, statSame, .3, true},
		{"16 nodes", []string{"skynomad-aws-v100-multinode", "v100_multinode_raw", "16-nodes"}, traces.Options{Polarity: traces.OneIsAvailable}, statBulk, .8, true},
		{"4 nodes", []string{"skynomad-aws-v100-multinode", "v100_multinode_raw", "4-nodes-real-preemption"},
			traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld}, statBulk, .35, true},
		{"Bamboo p3", []string{"bamboo-preemption-traces", "p3-trace.csv"}, traces.Options{Semantics: traces.SemanticsAutoscaling}, statBulk, .45, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := tracetest.Import(t, "", c.opt, tracetest.Recorded(t, c.path...))
			bulk, err := Fit("bulk", s, FitOptions{})
			if err != nil {
				t.Fatal(err)
			}
			logTable(t, bulk.Fit)
			if !bulk.Fit.Passes {
				t.Error("the bulk process does not pass")
			}
			if r := bulk.Fit.row(t, statIntervals); r.Verdict != verdictDiffers {
				t.Errorf("the times between drop events %s: the chain has learnt something; say so in its documentation", r.Verdict)
			}
			exponential, err := Fit("exponential", s, FitOptions{})
			if err != nil {
				t.Fatal(err)
			}
			logTable(t, exponential.Fit)
			r := exponential.Fit.row(t, c.breaks)
			if exponential.Fit.Passes || r.Verdict != verdictDiffers || check.Alike(*r.Generated, *r.Recorded, c.distance) {
				t.Errorf("independent exponential lifetimes: passes %v, %+v, expected to differ by %v", exponential.Fit.Passes, r, c.distance)
			}
			block, err := Fit("block", s, FitOptions{})
			if err != nil || block.Fit.Passes != c.block {
				logTable(t, block.Fit)
				t.Errorf("block bootstrap: passes %v (%v), expected %v", block.Fit.Passes, err, c.block)
			}
		})
	}
}

// Prices of recorded zones are remade in range, frequency and size of steps; a
// block bootstrap has steps at its joints that no market had.
func TestFitRecordedPrices(t *testing.T) {
	s, _ := tracetest.Import(t, "", traces.Options{PriceArrays: tracetest.Recorded(t, "skynomad-aws-v100-prices", "v100_spot_prices.json")},
		tracetest.Recorded(t, "skynomad-aws-v100-availability"))
	for law, passes := range map[string]bool{"price": true, "bulk": true, "block": false} {
		g, err := Fit(law, s, FitOptions{Seeds: 20})
		if err != nil {
			t.Fatal(err)
		}
		logTable(t, g.Fit)
		if g.Fit.Passes != passes || (g.Fit.row(t, statStepP95).Verdict == verdictFits) != passes {
			t.Errorf("%s passes: %v, expected %v", law, g.Fit.Passes, passes)
		}
	}
}

// Lives drawn from a record's Kaplan-Meier estimate have that estimate.
func TestFitRecordedLifetimes(t *testing.T) {
	check := near.Count(t)
	s, _ := tracetest.Import(t, "", traces.Options{Semantics: traces.SemanticsAutoscaling}, tracetest.Recorded(t, "bamboo-preemption-traces", "p3-trace.csv"))
	for law, largest := range map[string]float64{"kaplan-meier": .03, "bathtub": .10} {
		g, err := Fit(law, s, FitOptions{Seeds: 100})
		if err != nil {
			t.Fatal(err)
		}
		if r := g.Fit.row(t, statLifetimes); check.Above(*r.Generated, largest) || g.Fit.Passes {
			t.Errorf("%s: lives differ by %.3f, expected at most %v; passes %v, expected no bulk", law, *r.Generated, largest, g.Fit.Passes)
		}
	}
}

// A trace is checked against other pools without a word of its own pools.
func TestCheckOtherPools(t *testing.T) {
	g, err := Standard("exponential")
	if err != nil {
		t.Fatal(err)
	}
	s := mustSynthetic(t, 1, SyntheticPools(1, 1, p32), 100*time.Hour)
	table, err := Check(g, s, 5)
	if err != nil || table.Passes || len(table.Notes) != 1 {
		t.Errorf("%+v, %v", table, err)
	}
	for _, r := range table.Rows {
		if r.Statistic == statLevels.name && r.Generated != nil {
			t.Errorf("levels of other pools were compared: %+v", r)
		}
	}
	if _, err := Check(g, s, 0); err == nil {
		t.Error("a check on no seeds")
	}
}

func TestDistance(t *testing.T) {
	// 1/2, 1/2 against 1/4, 3/4, on 1 and 2; then against 3 alone.
	a := map[float64]float64{1: 2, 2: 2}
	if d, ok := distance(a, map[float64]float64{1: 1, 2: 3}); !ok || d != .25 {
		t.Errorf("distance %v, expected .25", d)
	}
	if d, _ := distance(a, map[float64]float64{3: 7}); d != 1 {
		t.Errorf("distance %v, expected 1", d)
	}
	if _, ok := distance(a, nil); ok {
		t.Error("a distance from nothing")
	}
}

// Bamboo's own simulator, 1000 seeds a probability: machines there and losses,
// over runs of the mean length. Our runs all have that length, its own end after
// n steps, so that 3 % are allowed beside its standard error.
func TestBambooOracle(t *testing.T) {
	check := near.Count(t)
	lines := testutil.Table(t, "papers/bamboo/testdata/bamboo_table_1000seeds.csv")
	want := map[string]map[string]float64{}
	for _, l := range lines[1:] {
		if want[l[0]] == nil {
			want[l[0]] = map[string]float64{}
		}
		want[l[0]][l[1]], _ = strconv.ParseFloat(l[4], 64)
	}
	if len(want) != 5 {
		t.Fatalf("%d probabilities, expected 5", len(want))
	}
	for p, w := range want {
		g, err := Standard("bamboo")
		if err != nil {
			t.Fatal(err)
		}
		x, _ := strconv.ParseFloat(p, 64)
		g.Parameters.(*bambooHourly).Pools[0].Goes = []float64{x}
		const seeds = 300
		var machines, lost float64
		span := time.Duration(w["sim_hours"] * float64(time.Hour)).Round(time.Microsecond)
		for seed := range uint64(seeds) {
			st := describe.Stats(mustGenerate(t, g, seed, span))
			machines += st.Pools[0].TimeAvg / seeds
			lost += float64(st.DropInstances) / seeds
		}
		t.Logf("p %s: %.2f machines (Bamboo %.2f), %.2f lost (%.2f)", p, machines, w["average_instances"], lost, w["num_preemptions"])
		if check.Off(machines/w["average_instances"], 1, .03) || check.Off(lost/w["num_preemptions"], 1, .03+.02*math.Sqrt(10/w["num_preemptions"])) {
			t.Errorf("p %s: %.2f machines and %.2f lost, Bamboo's simulator %.2f and %.2f", p, machines, lost, w["average_instances"], w["num_preemptions"])
		}
	}
}

func BenchmarkFitBulk(b *testing.B) {
	s := mustSynthetic(b, 3, SyntheticPools(2, 3, p32), 10*24*time.Hour)
	for b.Loop() {
		if _, err := Fit("bulk", s, FitOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
