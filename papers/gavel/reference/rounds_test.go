package reference

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/gavel/rules"
)

const oracles = "papers/gavel/testdata/"

// fastestFirst is the order in which Gavel gives out its models: v100, p100, k80.
var fastestFirst = []int{2, 1, 0}

// trace is a recorded simulation: its jobs, and what became of them by policy.
type trace struct {
	name string
	seed int64
	rows []map[string]string
	jobs []Job
	gpus []int
}

// traces returns the recorded simulations.
func traces(t *testing.T) []trace {
	files := testutil.Files(t, oracles+"gavel_rounds_*_jobs.csv")
	var out []trace
	for _, path := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "gavel_rounds_"), "_jobs.csv")
		seed, err := strconv.ParseInt(name[strings.LastIndex(name, "_s")+2:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		tr := trace{name: name, seed: seed, rows: testutil.Rows(t, path), gpus: []int{8, 8, 8}}
		if strings.HasPrefix(name, "single") {
			tr.gpus = []int{4, 4, 4}
		}
		tr.jobs = jobsOf(t, tr.rows)
		out = append(out, tr)
	}
	return out
}

// jobsOf returns the jobs of a table.
func jobsOf(t *testing.T, rows []map[string]string) []Job {
	jobs := make([]Job, len(rows))
	for i, r := range rows {
		n := int(testutil.Number(t, r["scale_factor"]))
		jobs[i] = Job{Arrival: testutil.Number(t, r["arrival_s"]), GPUs: n, Steps: testutil.Number(t, r["total_steps"]), Weight: 1,
			Speed: throughput.Gavel().Speeds(r["job_type"], n)}
		if w := r["priority_weight"]; w != "" {
			jobs[i].Weight = testutil.Number(t, w)
		}
		if f := r["slo_factor"]; f != "" {
			jobs[i].Deadline = testutil.Number(t, f) * testutil.Number(t, r["duration_s"])
		}
	}
	return jobs
}

// config is the simulation of a policy by the name in the tables; false where its shares have to
// be replayed.
func (tr *trace) config(t *testing.T, policy string) (Config, bool) {
	c := Config{Jobs: tr.jobs, GPUs: tr.gpus, Order: fastestFirst, Seed: tr.seed}
	switch policy {
	case "fifo":
		c.Rule, c.Shuffle, c.OnlyShares = NewFIFO(tr.seed), true, true
	case "fifo_perf":
		c.Rule, c.OnlyShares = &rules.FastestFIFO{}, true
	case "fifo_packed":
		c.Pairs = FIFOPacked{}
		c.OnlyShares = true
		c.Together = tr.together(t)
	case "allox":
		c.Rule = &rules.AlloX{}
	case "isolated":
		c.Rule, c.Shuffle = rules.Isolated{}, true
	case "gandiva":
		c.Pairs = NewGandiva(tr.seed)
		c.Together = tr.together(t)
	default:
		return c, false
	}
	return c, true
}

// together returns the speeds of two jobs beside each other, by the table of facts.
func (tr *trace) together(t *testing.T) func(a, b, m int) (float64, float64) {
	type key struct {
		a, b, gpu, gpus string
	}
	speeds := map[key][2]float64{}
	name := func(model, batch string) string {
		if batch != "" {
			model += fmt.Sprintf(" (batch size %s)", batch)
		}
		return model
	}
	for _, r := range testutil.Rows(t, "papers/gavel/testdata/gavel_colocation_throughputs.csv") {
		if r["placement"] != "consolidated" {
			continue
		}
		a, b := name(r["model_a"], r["batch_a"]), name(r["model_b"], r["batch_b"])
		x, y := testutil.Number(t, r["steps_per_s_a"]), testutil.Number(t, r["steps_per_s_b"])
		speeds[key{a, b, r["gpu_type"], r["n_gpus_a"]}] = [2]float64{x, y}
	}
	models := []string{"k80", "p100", "v100"}
	return func(a, b, m int) (float64, float64) {
		x, y := tr.rows[a], tr.rows[b]
		if v, ok := speeds[key{x["job_type"], y["job_type"], models[m], x["scale_factor"]}]; ok {
			return v[0], v[1]
		}
		v, ok := speeds[key{y["job_type"], x["job_type"], models[m], x["scale_factor"]}]
		if !ok {
			t.Fatalf("no speeds of %s beside %s on %s %s", x["job_type"], y["job_type"], x["scale_factor"], models[m])
		}
		return v[1], v[0]
	}
}

// The policies without a linear program: every job's completion time, to 1e-9.
func TestRounds(t *testing.T) {
	compared := map[string]int{}
	for _, tr := range traces(t) {
		for column := range tr.rows[0] {
			policy, ok := strings.CutPrefix(column, "jct_s__")
			if !ok {
				continue
			}
			c, exact := tr.config(t, policy)
			if !exact {
				continue
			}
			got := Run(c)
			compared[policy] += tr.compare(t, policy, got)
			if tr.total(t, policy, got) {
				compared["means of runs"]++
			}
		}
	}
	t.Logf("jobs compared: %v", compared)
}

// totals are the recorded means of simulations, by trace and policy.
func totals(t *testing.T) map[[2]string]map[string]string {
	out := map[[2]string]map[string]string{}
	for _, r := range testutil.Rows(t, oracles+"gavel_rounds_summary.csv") {
		out[[2]string{r["trace"], r["policy"]}] = r
	}
	return out
}

// total compares the mean completion time, the last end, the cost and the objectives missed with recorded ones, and
// reports whether there are any.
func (tr *trace) total(t *testing.T, policy string, got []Result) bool {
	t.Helper()
	r := totals(t)[[2]string{tr.name, policy}]
	if r == nil {
		return false
	}
	check := near.Count(t)
	sum, last, usd, n, late := 0.0, 0.0, 0.0, 0.0, 0
	for i, x := range got {
		if !x.Done {
			continue
		}
		n++
		sum += x.JCT
		usd += x.USD
		last = max(last, tr.jobs[i].Arrival+x.JCT)
		// As the simulator counts: a time to completion is held to the instant of the deadline.
		if d := tr.jobs[i].Deadline; d > 0 && x.JCT > x.Seen+d {
			late++
		}
	}
	for column, v := range map[string]float64{"jobs": n, "mean_jct_s": sum / n, "makespan_s": last, "cost_usd": usd, "slo_misses_as_counted": float64(late)} {
		if r[column] == "" {
			continue
		}
		if want := testutil.Number(t, r[column]); check.Off(v, want, 1e-9*want) {
			t.Errorf("%s, %s, %s: %v, the simulator has %v", tr.name, policy, column, v, want)
		}
	}
	return true
}

// compare compares what became of the jobs, and returns of how many.
func (tr *trace) compare(t *testing.T, policy string, got []Result) int {
	t.Helper()
	check := near.Count(t)
	wrong := 0
	for i, r := range tr.rows {
		want := testutil.Number(t, r["jct_s__"+policy])
		if !got[i].Done || check.Off(got[i].JCT, want, 1e-9*want) {
			if wrong++; wrong <= 3 {
				t.Errorf("%s, %s, job %d: %v, the simulator has %v", tr.name, policy, i, got[i].JCT, want)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%s, %s: %d of %d jobs are wrong", tr.name, policy, wrong, len(tr.rows))
	}
	return len(tr.rows)
}
