package rules_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/testutil"
	_ "github.com/marigram/marigram/papers/gavel/rules"
)

// shockwaveSpec is the cluster of Shockwave's runs: rounds of two minutes, 20 s less of training after a pause, and
// shares that are worked out anew at least 1,000 s apart, the default of its scheduler
// (github.com/uw-mad-dash/shockwave at 8a44f4a, minimum_time_between_allocation_resets).
const shockwaveSpec = `name: shockwave
horizon_s: 2592000
jobs: {trace: jobs.csv}
model: {gang: {speeds: speeds.csv, duration_on: V100, restart_s: 20}}
policies: [{name: %s, settings: {round_s: 120, every_s: 1000}}]
market: {servers: [{gpu: V100, gpus: 4, count: 8}]}
`

// shockwavePolicies are the recorded policies, ours, and by how much the mean completion time may differ. These bands
// were set when the differences were known: they notice a change, and prove nothing. The last two miss: which jobs
// theirs takes of those with equal claims is not recorded.
var shockwavePolicies = []struct {
	recorded, ours string
	band           float64
}{
	{"max_min_fairness", "gavel", 0.05}, {"finish_time_fairness", "gavel-ftf", 0.05},
	{"min_total_duration", "gavel-makespan", 0.1},
	{"gandiva_fair", "gavel-agnostic", 0.15}, {"max_sum_throughput_perf", "gavel-throughput", 0.2},
}

// roundsJob is a job of Shockwave's trace.
type roundsJob struct {
	number, gpus         int
	submitS, runS, speed float64
	recorded             bool
}

// shockwaveJobs returns the jobs of the trace of 120. Of those that the recorded tables lack it draws how large they
// are from the others; they come between their neighbours.
func shockwaveJobs(t *testing.T, seed uint64) []roundsJob {
	draws := rand.New(rand.NewPCG(seed, 1))
	speeds := map[string]float64{} // steps/s in a job's first round
	for _, r := range testutil.CachedRows(t, "elastic", "shockwave_speeds.csv.gz") {
		if _, known := speeds[r["job"]]; !known && r["kind"] == "simulation" && r["set"] == "a" {
			speeds[r["job"]] = testutil.Number(t, r["steps_per_s"])
		}
	}
	var known []roundsJob
	for _, r := range testutil.CachedRows(t, "elastic", "shockwave_jobs.csv") {
		known = append(known, roundsJob{int(testutil.Number(t, r["job"])), int(testutil.Number(t, r["gpus"])),
			testutil.Number(t, r["submit_s"]), testutil.Number(t, r["run_s_mean"]), speeds[r["job"]], true})
	}
	var all []roundsJob
	before := 0.0
	for number, next := 0, 0; number < 120; number++ {
		if next < len(known) && known[next].number == number {
			all = append(all, known[next])
			before = known[next].submitS
			next++
			continue
		}
		drawn := known[draws.IntN(len(known))]
		after := before
		missing := 2
		if next < len(known) {
			after = known[next].submitS
			missing = known[next].number - number + 1
		}
		before += (after - before) / float64(missing)
		drawn.number = number
		drawn.recorded = false
		drawn.submitS = math.Round(before)
		all = append(all, drawn)
	}
	return all
}

// writeRounds writes the spec of jobs into a folder, and returns its path.
func writeRounds(t *testing.T, jobs []roundsJob, policy string) string {
	t.Helper()
	var rows, speeds strings.Builder
	rows.WriteString("job_id,submit_s,gpus,duration_s,kind\n")
	speeds.WriteString("kind,gpus,V100\n")
	for _, j := range jobs {
		fmt.Fprintf(&rows, "%d,%v,%d,%v,job-%d\n", j.number, j.submitS, j.gpus, j.runS, j.number)
		fmt.Fprintf(&speeds, "job-%d,%d,%v\n", j.number, j.gpus, j.speed)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"spec.yaml": fmt.Sprintf(shockwaveSpec, policy), "jobs.csv": rows.String(), "speeds.csv": speeds.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "spec.yaml")
}

// roundsRun is what a run came to.
type roundsRun struct{ meanS, makespanS float64 }

// recordedRounds returns the simulated runs of a set of the trace: means of the jobs that the tables have, and when all
// 120 were done.
func recordedRounds(t *testing.T) map[string]roundsRun {
	times := map[string][]float64{}
	for _, r := range testutil.CachedRows(t, "elastic", "shockwave_runs.csv.gz") {
		if r["kind"] == "simulation" && r["set"] == "a" {
			times[r["policy"]] = append(times[r["policy"]], testutil.Number(t, r["jct_s"]))
		}
	}
	runs := map[string]roundsRun{}
	for _, r := range testutil.CachedRows(t, "elastic", "shockwave_means.csv") {
		if r["kind"] == "simulation" && r["set"] == "a" {
			runs[r["policy"]] = roundsRun{stats.Mean(times[r["policy"]]), testutil.Number(t, r["makespan_s"])}
		}
	}
	return runs
}

// runRounds runs jobs under a policy.
func runRounds(t *testing.T, jobs []roundsJob, policy string) roundsRun {
	t.Helper()
	parsed, err := spec.Open(writeRounds(t, jobs, policy))
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(parsed)
	if err != nil {
		t.Fatal(err)
	}
	set, err := study.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var times []float64
	for i := range set.Jobs {
		if job := &set.Jobs[i]; job.JCTS == nil {
			t.Fatalf("%s is not done", job.ID)
		} else if jobs[i].recorded {
			times = append(times, *job.JCTS)
		}
	}
	return roundsRun{stats.Mean(times), *set.Summaries[0].FinishS}
}

// Beside Shockwave's simulated runs on 32 GPUs: a third of the jobs is drawn, six times.
func TestRecordedRounds(t *testing.T) {
	recorded := recordedRounds(t)
	for _, policy := range shockwavePolicies {
		var mean, makespan []float64
		for seed := range uint64(6) {
			run := runRounds(t, shockwaveJobs(t, seed), policy.ours)
			mean = append(mean, run.meanS/recorded[policy.recorded].meanS-1)
			makespan = append(makespan, run.makespanS/recorded[policy.recorded].makespanS-1)
		}
		t.Logf("%s: mean completion %+.1f %% (%+.1f to %+.1f), makespan %+.1f %% (%+.1f to %+.1f)", policy.recorded,
			100*stats.Mean(mean), 100*slices.Min(mean), 100*slices.Max(mean),
			100*stats.Mean(makespan), 100*slices.Min(makespan), 100*slices.Max(makespan))
		near.Abs(t, policy.recorded+": mean completion", stats.Mean(mean), 0, policy.band)
		near.Abs(t, policy.recorded+": makespan", stats.Mean(makespan), 0, 0.1)
	}
}
