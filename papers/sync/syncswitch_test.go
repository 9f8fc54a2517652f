package synchrony

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/sim/steps"
)

// The facts are means of the recorded sessions of the plans that are fitted to.
func TestSwitchFacts(t *testing.T) {
	check := near.Count(t)
	fitted := map[string][]string{"resnet32": {"5050_run", "2575_run"}, "resnet50": {"cifar100_5050", "cifar100_2575", "cifar100_694"}}
	sessions := testutil.Rows(t, "papers/sync/testdata/syncswitch_jobs.csv")
	ratios := testutil.Rows(t, "papers/sync/testdata/syncswitch_bsp_vs_asp.csv")
	for _, r := range facts.ReadFrom[switchRates](files, "rates") {
		sum, n := 0.0, 0
		for _, s := range sessions {
			for _, plan := range fitted[r.Workload] {
				if strings.HasPrefix(s["job"], plan) && s["sync"] == "ASP" && s["n_workers"] == "8" {
					sum += testutil.Number(t, s["duration_s"]) / testutil.Number(t, s["steps_done"])
					n++
				}
			}
		}
		if got := sum / float64(n); check.OffRel(got, r.ASP, 1e-6) {
			t.Errorf("%s: %d ASP sessions of %v s an update, the facts say %v", r.Workload, n, got, r.ASP)
		}
		setup, iterations := map[string]string{"resnet32": "1", "resnet50": "2"}[r.Workload], map[string]float64{"resnet32": 8000, "resnet50": 16000}[r.Workload]
		for _, x := range ratios {
			if got := testutil.Number(t, x["bsp_mean_s"]) / iterations; x["setup"] == setup && check.OffRel(got, r.BSP, 1e-9) {
				t.Errorf("%s: BSP of %v s an iteration, the facts say %v", r.Workload, got, r.BSP)
			}
		}
	}
}

func TestStragglerFacts(t *testing.T) {
	measured := testutil.Rows(t, "papers/sync/testdata/syncswitch_stragglers.csv")
	for _, r := range facts.ReadFrom[straggler](files, "stragglers") {
		found := false
		for _, x := range measured {
			found = found || strings.EqualFold(x["sync"], r.Mode) && x["straggler_latency_ms"] == strconv.Itoa(r.DelayMs) &&
				x["n_stragglers"] == strconv.Itoa(r.Workers) && testutil.Number(t, x["steps_per_s"]) == r.Rate
		}
		if !found {
			t.Errorf("not recorded: %+v", r)
		}
	}
}

// Four workers is the number for which ASP with one straggler of 30 ms fits best.
func TestStragglerWorkers(t *testing.T) {
	const measured, updates = 15.73181282, 40000
	best, off := 0, math.Inf(1)
	var simulator steps.Simulator
	for n := 1; n <= 16; n++ {
		job, added := fitStraggler(n, 30, 0.05)
		if job.ExchangeEach < 0 {
			continue // ASP would be slower than BSP
		}
		rate := updates / simulator.Run(job.Config(steps.ASP, updates, 1, added)).End.Seconds()
		t.Logf("%d workers: %.2f mini-batches/s, measured %.2f", n, rate, measured)
		if d := math.Abs(rate/measured - 1); d < off {
			best, off = n, d
		}
	}
	if best != 4 {
		t.Errorf("%d workers fit best", best)
	}
}

// stepWith is a counted step of BSP in which workers wait for a delay, s.
type stepWith struct{ delayMs, workers, seconds float64 }

// stepsWith returns the steps of the recorded runs of a name, and that of the run without delays.
func stepsWith(t *testing.T, name, baseline string) (all []stepWith, alone float64) {
	for _, x := range testutil.Rows(t, "papers/sync/testdata/syncswitch_stragglers.csv") {
		number := func(column string) float64 { return testutil.Number(t, x[column]) }
		seconds := number("duration_s") / number("last_step")
		switch {
		case x["run"] == baseline:
			alone = seconds
		case strings.HasPrefix(x["run"], name) && number("n_stragglers") > 0:
			all = append(all, stepWith{number("straggler_latency_ms"), number("n_stragglers"), seconds})
		}
	}
	return all, alone
}

// fitSteps fits alone + sum of a number times each law to steps by least squares of relative errors, and returns the
// number of the first law and the relative errors.
func fitSteps(all []stepWith, alone float64, laws ...func(x stepWith) float64) (first float64, off []float64) {
	matrix := mat.NewDense(len(all), len(laws), nil)
	added := mat.NewVecDense(len(all), nil)
	for i, x := range all {
		for k, law := range laws {
			matrix.Set(i, k, law(x)/x.seconds)
		}
		added.SetVec(i, 1-alone/x.seconds)
	}
	var numbers mat.VecDense
	if err := numbers.SolveVec(matrix, added); err != nil {
		panic(err)
	}
	for i := range all {
		off = append(off, mat.Dot(matrix.RowView(i), &numbers)-added.AtVec(i))
	}
	return numbers.AtVec(0), off
}

// What delays of workers add to a step with a barrier: not what the slowest of them waits, nor a delay of each message, nor
// a bandwidth that they divide, on a link that all share; but as the square of the sum of the delays, by one number.
func TestStragglersOnOneLink(t *testing.T) {
	all, alone := stepsWith(t, "sync_", "sync_baseline")
	if len(all) != 4 {
		t.Fatalf("%d runs, expected 4", len(all))
	}
	sum := func(x stepWith) float64 { return x.delayMs * x.workers }
	square := func(x stepWith) float64 { return sum(x) * sum(x) }
	workers := func(x stepWith) float64 { return x.workers }
	divided := func(x stepWith) float64 { return sum(x) * x.workers }
	worst := func(name string, laws ...func(x stepWith) float64) float64 {
		first, off := fitSteps(all, alone, laws...)
		t.Logf("%s: %.4g, off by %.4f", name, first, off)
		return math.Max(slices.Max(off), -slices.Min(off))
	}
	for name, laws := range map[string][]func(x stepWith) float64{
		"the slowest":                     {func(x stepWith) float64 { return x.delayMs }},
		"a delay of each message":         {sum},
		"and of each worker":              {sum, workers},
		"a divided bandwidth":             {divided},
		"a divided bandwidth and a delay": {divided, sum},
	} {
		if off := worst(name, laws...); off < 0.1 {
			t.Errorf("%s: at most %v off, expected no fit", name, off)
		}
	}
	near.Abs(t, "the square of the sum of delays, at most off", worst("the square", square), 0, 0.0125)

	// By the runs with one such worker alone, those with two; and by all of them the runs with another batch.
	number, _ := fitSteps(all, alone, square)
	one := slices.DeleteFunc(slices.Clone(all), func(x stepWith) bool { return x.workers > 1 })
	fromOne, _ := fitSteps(one, alone, square)
	for _, x := range all {
		near.Rel(t, fmt.Sprintf("%v, by one", x), alone+fromOne*square(x), x.seconds, 0.028)
	}
	others, aloneThere := stepsWith(t, "fixed_batch_sync_", "fixed_batch_sync_baseline_cosine")
	if len(others) != 2 {
		t.Fatalf("%d runs with another batch, expected 2", len(others))
	}
	for _, x := range others {
		near.Rel(t, fmt.Sprintf("%v, another batch", x), aloneThere+number*square(x), x.seconds, 0.017)
	}
}

// A fit gives back the rates that it was made of.
func TestFitSwitch(t *testing.T) {
	check := near.Count(t)
	for _, r := range facts.ReadFrom[switchRates](files, "rates") {
		job, err := fitSyncSwitch(r.Workload, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		var simulator steps.Simulator
		asp := simulator.Run(job.Config(steps.ASP, 20000, 1)).End.Seconds() / 20000
		bsp := simulator.Run(job.Config(steps.BSP, 20000, 1)).End.Seconds() / 20000 * float64(r.Workers)
		if check.OffRel(asp, r.ASP, 0.002) || check.OffRel(bsp, r.BSP, 0.002) {
			t.Errorf("%s: %v and %v s, fitted to %v and %v", r.Workload, asp, bsp, r.ASP, r.BSP)
		}
	}
	if _, err := fitSyncSwitch("resnet9", 0.05); err == nil {
		t.Error("no error for an unknown workload")
	}
}
