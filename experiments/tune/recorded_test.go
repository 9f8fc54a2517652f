package tune_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/tune"
)

// recorded writes a spec on a recorded market of n hours.
func recorded(t *testing.T, hours int) string {
	t.Helper()
	dir := t.TempDir()
	draw := rand.New(rand.NewPCG(1, 2))
	events := "0,add,a\n0,add,b\n"
	machine := 0
	for at := 600; at < hours*3600; at += 600 + draw.IntN(7200) {
		events += fmt.Sprintf("%d000,remove,%s\n%d000,add,m%d\n", at, current(machine), at+500, machine+1)
		machine++
	}
	events += fmt.Sprintf("%d000,remove,b\n", hours*3600)
	for name, text := range map[string]string{"events.csv": events, "job.yaml": `name: job
model: {published: spotdnn-resnet110}
horizon_s: 14400
objectives: [{name: o, loss: 0.8, within: 2h}]
policies: [{name: spotdnn}]
market:
  traces: [{name: fleet, path: events.csv, format: node-events}]
  pools:
    - {type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3.06, prices: {trace: fleet, usd_per_h: 0.9}, capacity: ` +
		`{trace: fleet}, replay: {adapter: per_event}}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "job.yaml")
}

// current is the machine that is there after n were replaced.
func current(n int) string {
	if n == 0 {
		return "a"
	}
	return fmt.Sprint("m", n)
}

// On a recorded market the part train of the trace chooses and judge checks: no run that checks is within a horizon of
// one that chose.
func TestPartsOfATrace(t *testing.T) {
	const hours = 100
	dir := t.TempDir()
	q := tune.Question{Spec: recorded(t, hours), Share: 0.5, Within: 0.1, Blocks: 40, Set: []string{"policy.patience_s=30,600"}}
	a := find(t, q, tune.Options{Dir: dir})
	if a.Unit != results.ByStart || a.Fresh == 0 || a.Policy != "spotdnn" || a.Objective != "o" {
		t.Fatalf("%+v", a)
	}
	parts, _ := filepath.Glob(filepath.Join(dir, "plan=*", "part-*.parquet"))
	chose := 0
	checked := 0
	for _, path := range parts {
		rows, _, err := results.ReadPart(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			block, ends := math.Floor(r.StartS/(25*3600)), math.Floor((r.StartS+2*r.HorizonS-1)/(25*3600))
			switch { // four blocks of 25 h
			case block < 3 && ends > block:
				t.Errorf("a start at %v s with a horizon of %v s is too near to the next block", r.StartS, r.HorizonS)
			case int(block)%2 == 0:
				chose++
			default:
				checked++
			}
		}
	}
	if chose == 0 || checked == 0 {
		t.Errorf("%d runs chose, %d checked", chose, checked)
	}
	// 40 starts in 17 and 21 hours, and runs of up to two hours: the check counts those that share no part of the
	// trace.
	if warnings := strings.Join(a.Warnings, "\n"); a.Fresh != 40 || a.MetCI.Units != 20 ||
		!strings.Contains(warnings, "intervals and verdicts count 20 of 40 starts") {
		t.Errorf("%d starts, interval %+v, %q", a.Fresh, *a.MetCI, warnings)
	}
	// Parts are cut by the horizon that is set, and by the longest of several.
	for _, x := range []struct {
		hours           int
		horizon, refuse string
	}{{12, "horizon_s=7200", ""}, {24, "horizon_s=14400,21600", "each needs two horizons (6h0m0s each)"}} {
		set := tune.Question{Spec: recorded(t, x.hours), Share: 0.5, Within: 0.1, Blocks: 20, Set: []string{"policy.patience_s=30,600", x.horizon}}
		_, err := tune.Find(context.Background(), set, tune.Options{})
		if refused := err != nil; refused != (x.refuse != "") || refused && !strings.Contains(err.Error(), x.refuse) {
			t.Errorf("%d h, %s: %v, expected %q", x.hours, x.horizon, err, x.refuse)
		}
	}
	q.Spec = recorded(t, 7)
	if _, err := tune.Find(context.Background(), q, tune.Options{}); err == nil || !strings.Contains(err.Error(), "each needs two horizons (4h0m0s each)") {
		t.Error(err)
	}
}
