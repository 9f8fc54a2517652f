package reference

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/schedulers/eva"
)

// catalogue returns types, how they start, the workloads by name, and their speeds beside each other.
func catalogue(t testing.TB) (c Config, workloads map[string]*Workload, pairs map[[2]string]float64) {
	n := func(cell string) int { return int(testutil.Number(t, cell)) }
	for _, r := range testutil.Rows(t, "papers/eva/testdata/eva_instance_types.csv") {
		c.Types = append(c.Types, eva.Type{Name: r["type"], USD: testutil.Number(t, r["usd_per_h"]), Free: eva.Unlimited,
			Full: eva.Resources{testutil.Number(t, r["gpus"]), testutil.Number(t, r["vcpus"]), testutil.Number(t, r["memory_gb"])}})
		c.Starts = append(c.Starts, Start{n(r["instantiate_s"]), n(r["run_worker_s"]) + n(r["register_s"])})
	}
	workloads, pairs = map[string]*Workload{}, map[[2]string]float64{}
	for _, r := range testutil.Rows(t, "papers/eva/testdata/eva_workloads.csv") {
		w := &Workload{Name: r["workload"], Tasks: n(r["tasks"]), Speed: testutil.Number(t, r["iterations_per_s_alone"]),
			Init: n(r["init_s"]), Fetch: n(r["fetch_s"]), Build: n(r["build_image_s"]), Kill: n(r["kill_s"]), Upload: n(r["upload_s"])}
		for _, typ := range testutil.Rows(t, "papers/eva/testdata/eva_instance_types.csv") {
			var d eva.Resources
			for i, x := range strings.Split(r["demand_"+typ["family"]+"_gpu_cpu_gb"], ";") {
				d[i] = testutil.Number(t, x)
			}
			w.Demand = append(w.Demand, d)
		}
		workloads[w.Name] = w
	}
	for _, r := range testutil.Rows(t, "papers/eva/testdata/eva_contention_pairs.csv") {
		pairs[[2]string{r["workload"], r["beside"]}] = testutil.Number(t, r["relative_speed_as_used_by_the_simulator"])
	}
	return c, workloads, pairs
}

// Every job's end and every instance's two ticks, of the recorded runs without packing and of Eva.
func TestRuns(t *testing.T) {
	files := testutil.Files(t, "papers/eva/testdata/eva_runs_*_jobs.csv")
	for _, path := range files {
		name := filepath.Base(path)
		rows := testutil.Rows(t, path)
		instances := testutil.Rows(t, "papers/eva/testdata/"+strings.Replace(name, "_jobs", "_instances", 1))
		for column := range rows[0] {
			run, ok := strings.CutPrefix(column, "end_s__")
			scheduler, speeds, _ := strings.Cut(run, "__")
			if !ok || scheduler == "StratusScheduler" {
				continue
			}
			c, workloads, pairs := catalogue(t)
			c.Pack, c.Partial = scheduler != "NaiveScheduler", scheduler == "EVAGangNoGlobalScheduler"
			c.Together = func(a, b *Workload) float64 {
				if v, known := pairs[[2]string{a.Name, b.Name}]; known && speeds == "map" {
					return v
				}
				return 0.95
			}
			for _, r := range rows {
				c.Jobs = append(c.Jobs, Job{workloads[r["workload"]], int(testutil.Number(t, r["arrival_s"])), testutil.Number(t, r["total_iters"])})
			}
			got := Run(c)
			compare(t, name+" "+run, column, rows, recordedInstances(t, instances, scheduler, speeds), &c, got)
			total(t, strings.TrimSuffix(strings.TrimPrefix(name, "eva_runs_"), "_jobs.csv"), scheduler, speeds, &c, got)
		}
	}
}

// total compares the totals of a run with the recorded ones, if there are any.
func total(t *testing.T, trace, scheduler, speeds string, c *Config, got Result) {
	t.Helper()
	check := near.Count(t)
	usd, jct, last := 0.0, 0.0, 0
	for _, x := range got.Instances {
		usd += c.Types[x.Type].USD * float64(x.Down-x.Up) / 3600
		last = max(last, x.Down)
	}
	for i, end := range got.Ends {
		jct += float64(end-c.Jobs[i].Arrival) / float64(len(got.Ends))
	}
	for _, r := range testutil.Rows(t, "papers/eva/testdata/eva_runs_summary.csv") {
		if r["trace"] != trace || r["scheduler"] != scheduler || r["interference"] != speeds {
			continue
		}
		for column, v := range map[string]float64{"jobs": float64(len(got.Ends)), "cost_usd": usd, "instances": float64(len(got.Instances)), "mean_jct_s": jct,
			"end_s": float64(last), "full_reconfigurations": float64(got.Full)} {
			if want := testutil.Number(t, r[column]); check.Off(v, want, 1e-9*want) {
				t.Errorf("%s %s %s, %s: %v, recorded %v", trace, scheduler, speeds, column, v, want)
			}
		}
	}
}

// recordedInstances are the instances of a run: type, up and down.
func recordedInstances(t *testing.T, rows []map[string]string, scheduler, speeds string) []string {
	var out []string
	for _, r := range rows {
		if r["scheduler"] == scheduler && r["interference"] == speeds {
			out = append(out, r["type"]+" "+r["up_s"]+" "+r["down_s"])
		}
	}
	slices.Sort(out)
	return out
}

func compare(t *testing.T, what, column string, rows []map[string]string, instances []string, c *Config, got Result) {
	wrong := 0
	for i, r := range rows {
		if want := int(testutil.Number(t, r[column])); got.Ends[i] != want {
			if wrong++; wrong <= 3 {
				t.Errorf("%s: job %d (%s) ends at %d, recorded %d", what, i, r["workload"], got.Ends[i], want)
			}
		}
	}
	var have []string
	for _, x := range got.Instances {
		have = append(have, fmt.Sprintf("%s %d %d", c.Types[x.Type].Name, x.Up, x.Down))
	}
	slices.Sort(have)
	if !slices.Equal(have, instances) {
		t.Errorf("%s: %d instances, recorded %d; or their ticks differ", what, len(have), len(instances))
	}
	usd := 0.0
	for _, x := range got.Instances {
		usd += c.Types[x.Type].USD * float64(x.Down-x.Up) / 3600
	}
	t.Logf("%s: %.2f USD; %d of %d jobs are right", what, usd, len(rows)-wrong, len(rows))
}

// A task that fits no type would wait for ever.
func TestTooLarge(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a task of 2 GPUs on instances of 1")
		}
	}()
	large := &Workload{Name: "large", Tasks: 1, Demand: []eva.Resources{{2, 1, 1}}, Speed: 1}
	Run(Config{Types: []eva.Type{{Name: "small", USD: 1, Free: eva.Unlimited, Full: eva.Resources{1, 1, 1}}}, Starts: make([]Start, 1),
		Jobs: []Job{{large, 0, 1}}})
}
