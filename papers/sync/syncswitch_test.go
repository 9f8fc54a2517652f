package synchrony

import (
	"math"
	"strconv"
	"strings"
	"testing"

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
