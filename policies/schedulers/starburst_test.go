package schedulers_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// Every job of every run of Starburst's simulator starts at the instant, and in the place, at
// which it did there.
func TestStarburst(t *testing.T) {
	files := testutil.Files(t, "papers/starburst/testdata/starburst_s*.csv")
	compared := 0
	for _, path := range files {
		rows := testutil.Rows(t, path)
		for column := range rows[0] {
			name, ok := strings.CutPrefix(column, "start_h__")
			if !ok {
				continue
			}
			starts := burst(t, rows, starburst(t, name))
			for i, r := range rows {
				if starts[i] != r[column] {
					t.Fatalf("%s, %s, job %s starts at %s, the simulator has %s", filepath.Base(path), column, r["job_id"], starts[i], r[column])
				}
				compared++
			}
		}
	}
	t.Logf("%d starts compared", compared)
}

// starburst is the policy by the name of a column: patience-factor__walk.
func starburst(t *testing.T, name string) *schedulers.Starburst {
	rule, walk, _ := strings.Cut(name, "__")
	kind, factor, _ := strings.Cut(rule, "-")
	x, err := strconv.ParseFloat(factor, 64)
	patience, known := map[string]schedulers.Patience{"zero": schedulers.Constant, "constant": schedulers.Constant, "linear_runtime": schedulers.PerRuntime,
		"linear_capacity": schedulers.PerGPU, "linear_cost": schedulers.PerGPUHour, "infinite": schedulers.WithoutLimit}[kind]
	if err != nil || !known {
		t.Fatalf("a policy named %s", name)
	}
	if kind == "zero" {
		x = 0
	}
	return &schedulers.Starburst{Patience: patience, Factor: x, Backfill: walk == "loop"}
}

// burst returns when and where the jobs of a table start, as the table says it.
func burst(t *testing.T, rows []map[string]string, p *schedulers.Starburst) []string {
	check := near.Count(t)
	pools := servers(t, "n4g8")
	cloud := len(pools)
	pools = append(pools, sim.Trace{Pool: sim.Pool{Name: "cloud", OnDemand: true, Quota: 100_000}, Prices: []sim.Price{{USD: 1}}})
	m, err := sim.NewMarket(sim.At(1e9), pools)
	if err != nil {
		t.Fatal(err)
	}
	jobs := make([]sim.Job, len(rows))
	gpuHours := 0.0
	for i, r := range rows {
		jobs[i] = sim.Job{Submit: time.Duration(testutil.Number(t, r["arrival_h"]) * float64(time.Hour)), Objective: sim.Objective{Within: time.Hour},
			Model: &throughput.Gang{GPUs: int(testutil.Number(t, r["gpus"])), Total: testutil.Number(t, r["runtime_h"]) * 3600}}
	}
	where := places{cloud: cloud, rented: make([]bool, len(rows))}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p, Recorder: &where})
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	starts := make([]string, len(rows))
	for i, j := range totals.Jobs {
		g := jobs[i].Model.(*throughput.Gang)
		start := (jobs[i].Submit + j.Elapsed).Hours() - g.Total/3600
		starts[i] = strconv.FormatFloat(start, 'g', -1, 64)
		if !strings.ContainsAny(starts[i], ".e") {
			starts[i] += ".0"
		}
		if where.rented[i] {
			starts[i] += " cloud"
			gpuHours += float64(g.GPUs) * g.Total / 3600
		}
	}
	if usd := totals.Pools[cloud].Bill.Total(); check.OffRel(usd, gpuHours, 1e-6) {
		t.Errorf("the cloud costs %v USD at 1 USD a GPU-hour, for %v GPU-hours", usd, gpuHours)
	}
	return starts
}

// places notes which jobs are in the cloud.
type places struct {
	cloud  int
	rented []bool
}

func (*places) Span(*sim.Span) {}

func (h *places) Decision(v sim.View, plan *sim.Plan, _ bool) {
	for _, j := range v.ActiveJobs() {
		if plan.Hold(j, h.cloud) > 0 {
			h.rented[j] = true
		}
	}
}
