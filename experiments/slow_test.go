package experiments_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/stragglers"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

// slowJob is a job of 16 instances for 20,000 s, all or nothing, that saves every ten seconds at almost no cost.
const slowJob = `name: slow
seeds: 1
horizon_s: 4000000
model:
  data_parallel:
    steps: 20000
    batch: 16
    measured: [{type: h100, workers: 16, steps_per_s: 1}]
    sizes: [16]
    restart_s: 600
    save_s: 0.0001
    interval_s: 10
objectives: [{within: 1100h}]
policies: [{name: ondemand, settings: {instances: 16}}]
market:
  synthetic: {zones: 1}
  boot: {median_s: 0, sigma: 0}
  pools: [{type: h100, quota: 1, on_demand_quota: 20, on_demand_usd_per_h: 3, slow: {SLOW}}]
`

// slowRun runs the job with episodes of a file.
func slowRun(t *testing.T, slow, episodes string) results.Summary {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "slow.csv"), []byte("instance,from_s,to_s,compute,network\n"+episodes), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := spec.Parse(filepath.Join(dir, "slow.yaml"), []byte(strings.Replace(slowJob, "SLOW", slow, 1)))
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	row, err := study.Worker().Run(experiments.Case{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := row.Check(); err != nil || !row.Finished {
		t.Fatalf("finished %v, %v", row.Finished, err)
	}
	return row
}

// The worker that was slowed on purpose in a published trace, replayed for some time: from which length on it is worth to
// replace it after 300 s, at a restart of 600 s, is arithmetic; and ski rental loses at most twice what the better of the
// two does.
func TestSlowWorkerReplayed(t *testing.T) {
	dir := filepath.Join(pulled.Dir(t, "straggler-analysis"), "data")
	job, err := stragglers.Read(t.Context(), filepath.Join(dir, "trace-AR.parquet"), filepath.Join(dir, "meta-AR.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	analysis, err := job.Analyse()
	if err != nil {
		t.Fatal(err)
	}
	found := analysis.Slow(job.TP)
	if len(found) != 1 || found[0].Instance != 0 {
		t.Fatalf("%+v, expected instance 0 alone", found)
	}
	share := 1 - 1/found[0].Compute
	even := 300 + 600/share
	t.Logf("factor %.4f: replace from an episode of %.0f s on", found[0].Compute, even)
	fast := *slowRun(t, "trace: slow.csv", "0,0,0.001,1,1\n").FinishS
	numbers := near.Count(t)
	for _, length := range []float64{200, 0.95 * even, 1.05 * even, 4000, 15000} {
		lost := map[string]float64{}
		for _, do := range []string{"keep", "replace", "ski-rental"} {
			slow := "trace: slow.csv, do: " + do
			if do != "keep" {
				slow += ", cost_s: 600"
			}
			row := slowRun(t, slow, fmt.Sprintf("0,1000,%v,%v,1\n", 1000+length, found[0].Compute))
			lost[do] = *row.FinishS - fast
			numbers.Rel("slowed h", row.SlowedH, row.Slowdown()*row.UsefulH-row.UsefulH, 0.01)
		}
		numbers.Abs(fmt.Sprint("keep ", length), lost["keep"], share*length, 2)
		if replaced := lost["replace"] < lost["keep"]; replaced != (length > even) {
			t.Errorf("an episode of %v s: replacing it loses %v s, keeping it %v s", length, lost["replace"], lost["keep"])
		}
		best := min(share*length, 600)
		if numbers.Above(lost["ski-rental"], 2*best+15) { // a save is up to ten seconds old
			t.Errorf("an episode of %v s: ski rental loses %v s, more than twice %v s", length, lost["ski-rental"], best)
		}
	}
}

// A cluster with slow servers: a scheduler puts the job on others, two schedulers meet the same, and without slow ones
// nothing is slowed.
func TestSlowServers(t *testing.T) {
	const slow = "slow: {bad: {share: 0.05, times: 1.3}, comes: {per_1000_node_days: 100, times: 1.5, lasts: {mean_h: 2}}, " +
		"do: replace, seen: {after_s: 300, from: 1.2}, cost_s: 600, repair_h: 24}"
	text := strings.Replace(failingServers, "failures: {per_1000_node_days: 42, detect_s: 600, repair: [{mean_h: 2, "+
		"share: 0.2, works: 0.6}, {mean_h: 48, works: 0.8}]}", slow, 1)
	rows, err := failing(t, text, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !r.Finished || r.Replaced < 5 || r.SlowedH <= 0 || r.JobsStopped > r.Replaced || r.JobsStopped < r.Replaced*9/10 || r.Check() != nil {
			t.Errorf("%s: done %v, %d replaced, %v h slowed, %d stops, %v", r.Policy, r.Finished, r.Replaced, r.SlowedH, r.JobsStopped,
				r.Check())
		}
	}
	if rows[0].SlowedH != rows[1].SlowedH {
		t.Errorf("two schedulers under one seed: %v and %v h slowed", rows[0].SlowedH, rows[1].SlowedH)
	}
	kept, err := failing(t, strings.Replace(text, `do: replace, seen: {after_s: 300, from: 1.2}, cost_s: 600, repair_h: 24`, "do: keep", 1), 1)
	if err != nil || kept[0].Replaced != 0 || kept[0].SlowedH < 2*rows[0].SlowedH {
		t.Errorf("kept: %v, %d replaced, %v h slowed, with replacing %v", err, kept[0].Replaced, kept[0].SlowedH, rows[0].SlowedH)
	}
}

// Workers share micro-batches by how slow they are: two minutes after one of 16 becomes twice as slow, steps take
// 16/(15 + 1/2) times as long, and no longer.
func TestSlowRebalanced(t *testing.T) {
	const slow = "trace: slow.csv, seen: {after_s: 120, from: 1.5}, do: rebalance"
	row := slowRun(t, slow, "3,0,,2,1\n")
	const by = 16 / 15.5
	near.Abs(t, "finish", *row.FinishS-*slowRun(t, slow, "3,0,0.001,1,1\n").FinishS, 20000*(by-1)+120*(1-by/2), 3)
	row = slowRun(t, slow+", micro_batches: 8", "3,0,,2,1\n") // 4 of the slow machine, and 9 of four others
	near.Rel(t, "steps of eight micro-batches", row.Slowdown(), 9.0/8, 4e-3)
}

// The example that is fitted takes 1.3459 times as long as without slow networks, within 3 standard errors.
func TestSlowFitted(t *testing.T) {
	s, err := spec.Open(filepath.Join("..", "papers", "slow-workers", "greyhound.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	worker := study.Worker()
	var times []float64
	for seed := range int64(30) {
		row, err := worker.Run(experiments.Case{Seed: 1 + seed})
		if err != nil || !row.Finished {
			t.Fatal(err, row.Finished)
		}
		times = append(times, *row.FinishS/864000)
	}
	mean, deviation := stat.MeanStdDev(times, nil)
	t.Logf("%.4f times as long, standard error %.4f", mean, deviation/math.Sqrt(30))
	near.Abs(t, "times as long", mean, 1.3459, 3*deviation/math.Sqrt(30))
}

// What a spec says of slow machines that cannot be, or would have no effect, is refused with its place.
func TestSlowRefused(t *testing.T) {
	for slow, want := range map[string]string{
		"exposed: 0.5": "nothing that makes a machine slow",
		"network: {per_1000_node_days: 1, times: 2, lasts: {mean_h: 1}}":             "exposed",
		"bad: {share: 0.1, times: 0.9}":                                              "times",
		"bad: {share: 0.1}":                                                          "bad",
		"bad: {share: 0.1, times: 2}, do: ski-rental":                                "cost_s",
		"bad: {share: 0.1, times: 2}, do: escalate":                                  "escalate without cost_s",
		"bad: {share: 0.1, times: 2}, do: move":                                      "only a job in pipelines",
		"bad: {share: 0.1, times: 2}, do: escalate, cost_s: 5, move_s: 3":            "only a job in pipelines",
		"bad: {share: 0.1, times: 2}, cost_s: 5":                                     "do",
		"bad: {share: 0.1, times: 2}, do: ski-rental, cost_s: 5, move_s: 3":          "only a job in pipelines",
		"bad: {share: 0.1, times: 2}, do: replace, repair_h: 3":                      "repair_h",
		"bad: {share: 0.1, times: 2}, seen: {after_s: 1, from: 2}":                   "do",
		"bad: {share: 0.1, mix: [{times: 2, share: 0.5}]}":                           "add up to 0.5",
		"bad: {share: 0.1, times: 2}, exposed: 0.7, rest: 0.4":                       "rest",
		"comes: {per_1000_node_days: 1, times: 2, lasts: {mean_h: 1, median_h: 1}}":  "lasts",
		"comes: {per_1000_node_days: 1, times: 2, lasts: {median_h: 1}}, trace: a.c": "trace",
	} {
		_, err := spec.Parse("slow.yaml", []byte(strings.Replace(slowJob, "SLOW", slow, 1)))
		if err == nil || !strings.Contains(err.Error(), "slow.yaml:") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected an error of %s", slow, err, want)
		}
	}
	for _, c := range [][3]string{ // jobs without replicas
		{slowJob[strings.Index(slowJob, "  data_parallel"):strings.Index(slowJob, "objectives")],
			"  replicas: {steps: 20000, groups: 16, workers_per_group: 2, step_s: 1}\n", "the model is of replica groups, which has no replicas that share"},
		{"on_demand_quota: 20", "on_demand_quota: 0", "the job has one instance"},
	} {
		text := strings.Replace(strings.Replace(slowJob, "SLOW", "bad: {share: 0.1, times: 2}, do: rebalance", 1), c[0], c[1], 1)
		if _, err := spec.Parse("slow.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%v, expected %s", err, c[2])
		}
	}
	two := strings.Replace(strings.Replace(slowJob, "SLOW", "micro_batches: 4, bad: {share: 0.1, times: 2}", 1), "pools: [",
		"pools: [{type: h200, quota: 1, on_demand_usd_per_h: 3, slow: {bad: {share: 0.1, times: 2}}}, ", 1)
	const differ = "4 micro-batches (micro_batches), expected 0 as in market.pools[0].slow"
	if _, err := spec.Parse("slow.yaml", []byte(two)); err == nil || !strings.Contains(err.Error(), differ) {
		t.Errorf("two numbers of micro-batches: %v, expected %s", err, differ)
	}
	for rows, want := range map[string]string{
		"0,5,4,2,1\n":  "slow.csv:2:5: to_s is not after from_s",
		"0,5,,0.5,1\n": "slow.csv:2:6: compute",
		"0,5,,1,2\n":   "network 2 without effect",
		"x,5,,1,2\n":   "slow.csv:2:1: instance",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "slow.csv"), []byte("instance,from_s,to_s,compute,network\n"+rows), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Parse(filepath.Join(dir, "slow.yaml"), []byte(strings.Replace(slowJob, "SLOW", "trace: slow.csv", 1)))
		if err == nil {
			_, err = experiments.NewStudy(s)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", rows, err, want)
		}
	}
}
