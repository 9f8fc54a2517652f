package calibrate

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/sim/steps"
)

// oracle returns the rows of a table beside the repository by column.
func oracle(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open("../../shared/" + path)
	if err != nil {
		t.Skip("the recorded tables are not beside the repository: ", err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range table[1:] {
		row := map[string]string{}
		for i, name := range table[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func recordedNumber(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The facts are means of the recorded sessions of the plans that are fitted to.
func TestSwitchFacts(t *testing.T) {
	fitted := map[string][]string{"resnet32": {"5050_run", "2575_run"}, "resnet50": {"cifar100_5050", "cifar100_2575", "cifar100_694"}}
	sessions := oracle(t, "facts/transient/syncswitch_jobs.csv")
	ratios := oracle(t, "oracles/transient/syncswitch_bsp_vs_asp.csv")
	for _, r := range facts.Read[switchRates]("syncswitch_rates") {
		sum, n := 0.0, 0
		for _, s := range sessions {
			for _, plan := range fitted[r.Workload] {
				if strings.HasPrefix(s["job"], plan) && s["sync"] == "ASP" && s["n_workers"] == "8" {
					sum += recordedNumber(t, s["duration_s"]) / recordedNumber(t, s["steps_done"])
					n++
				}
			}
		}
		if got := sum / float64(n); math.Abs(got/r.ASP-1) > 1e-6 {
			t.Errorf("%s: %d ASP sessions of %v s an update, the facts say %v", r.Workload, n, got, r.ASP)
		}
		setup, iterations := map[string]string{"resnet32": "1", "resnet50": "2"}[r.Workload], map[string]float64{"resnet32": 8000, "resnet50": 16000}[r.Workload]
		for _, x := range ratios {
			if got := recordedNumber(t, x["bsp_mean_s"]) / iterations; x["setup"] == setup && math.Abs(got/r.BSP-1) > 1e-9 {
				t.Errorf("%s: BSP of %v s an iteration, the facts say %v", r.Workload, got, r.BSP)
			}
		}
	}
}

func TestStragglerFacts(t *testing.T) {
	recorded := oracle(t, "facts/transient/syncswitch_stragglers.csv")
	for _, r := range facts.Read[Straggler]("syncswitch_stragglers") {
		found := false
		for _, x := range recorded {
			found = found || strings.EqualFold(x["sync"], r.Mode) && x["straggler_latency_ms"] == strconv.Itoa(r.DelayMs) &&
				x["n_stragglers"] == strconv.Itoa(r.Workers) && recordedNumber(t, x["steps_per_s"]) == r.Rate
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
		job, added := FitStraggler(n, 30, 0.05)
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
	for _, r := range facts.Read[switchRates]("syncswitch_rates") {
		job, err := FitSwitch(r.Workload, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		var simulator steps.Simulator
		asp := simulator.Run(job.Config(steps.ASP, 20000, 1)).End.Seconds() / 20000
		bsp := simulator.Run(job.Config(steps.BSP, 20000, 1)).End.Seconds() / 20000 * float64(r.Workers)
		if math.Abs(asp/r.ASP-1) > 0.002 || math.Abs(bsp/r.BSP-1) > 0.002 {
			t.Errorf("%s: %v and %v s, fitted to %v and %v", r.Workload, asp, bsp, r.ASP, r.BSP)
		}
	}
	if _, err := FitSwitch("resnet9", 0.05); err == nil {
		t.Error("no error for an unknown workload")
	}
}
