package experiments

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// openCluster opens a spec of many jobs whose trace is a text.
func openCluster(t *testing.T, text, trace string) (*Study, error) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"spec.yaml": text, "jobs.csv": trace} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		return nil, err
	}
	return NewStudy(s)
}

func runCluster(t *testing.T, text, trace string) *results.Set {
	t.Helper()
	s, err := openCluster(t, text, trace)
	if err != nil {
		t.Fatal(err)
	}
	return runStudy(t, s)
}

// Through a spec the schedulers end every job when Tiresias's simulator does.
func TestTiresiasBySpec(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	compared := 0
	for _, path := range testutil.Files(t, "papers/tiresias/testdata/tiresias_tr*.csv") {
		rows := testutil.Rows(t, path)
		trace := "job_id,submit_s,gpus,duration_s\n"
		for _, r := range rows {
			trace += fmt.Sprintf("%s,%s,%s,%s\n", r["job_id"], r["submit_time_s"], r["num_gpu"], r["duration_s"])
		}
		for column := range rows[0] {
			part := strings.Split(column, "__")
			policy := tiresiasPolicy(part)
			if policy == "" {
				continue
			}
			set := runCluster(t, "name: oracle\njobs: {trace: jobs.csv}\npolicies: ["+policy+"]\nmarket: {servers: ["+tiresiasServers(t, part[1])+"]}\n", trace)
			first := testutil.Number(t, rows[0]["submit_time_s"])
			for i, r := range rows {
				compared++
				if got, want := *set.Jobs[i].FinishS+first, testutil.Number(t, r[column]); got != want {
					t.Fatalf("%s, %s: job %s ends after %v s, recorded %v", filepath.Base(path), column, r["job_id"], got, want)
				}
			}
		}
	}
	t.Logf("%d ends compared", compared)
}

// tiresiasPolicy is the policy of a column end_s__CLUSTER__PLACEMENT__SCHEDULE, "" of other columns.
func tiresiasPolicy(part []string) string {
	if len(part) != 4 || part[0] != "end_s" {
		return ""
	}
	placement := map[string]string{"count": "anywhere", "yarn": "consolidated"}[part[2]]
	return map[string]string{"fifo": "{name: fifo, settings: {placement: " + placement + "}}", "fjf": "{name: first-fit, settings: {placement: " +
		placement + "}}",
		"shortest": "{name: srtf}", "shortest-gpu": "{name: srsf}", "sjf": "{name: smallest-first}", "dlas": "{name: las, settings: {as_released: true}}",
		"dlas-gpu": "{name: tiresias, settings: {as_released: true}}", "dlas-gpu-1": "{name: tiresias, settings: {as_released: true, promote: 1}}"}[part[3]]
}

// tiresiasServers are the servers of a cluster such as n2x6g4 or n8g4.
func tiresiasServers(t *testing.T, name string) string {
	switches, nodes, gpus := 1, 0, 0
	if n, _ := fmt.Sscanf(name, "n%dx%dg%d", &switches, &nodes, &gpus); n != 3 {
		switches = 1
		if n, _ := fmt.Sscanf(name, "n%dg%d", &nodes, &gpus); n != 2 {
			t.Fatalf("a cluster named %s", name)
		}
	}
	return fmt.Sprintf("{gpu: v100, gpus: %d, count: %d, per_rack: %d}", gpus, switches*nodes, nodes)
}

// Through a spec every job starts when it does in Starburst's simulator, and the cloud costs as much.
func TestStarburstBySpec(t *testing.T) {
	check := near.Count(t)
	compared := 0
	for _, path := range testutil.Files(t, "papers/starburst/testdata/starburst_s*.csv") {
		rows := testutil.Rows(t, path)
		trace := "job_id,submit_s,gpus,duration_s\n"
		for _, r := range rows {
			trace += fmt.Sprintf("%s,%v,%s,%v\n", r["job_id"], testutil.Number(t, r["arrival_h"])*3600, r["gpus"], testutil.Number(t, r["runtime_h"])*3600)
		}
		const column = "start_h__linear_cost-0.0625__fifo"
		set := runCluster(t, `
name: oracle
jobs: {trace: jobs.csv}
policies: [{name: starburst, settings: {patience: gpu-hours, factor: 0.0625}}]
market:
  billing: {increment_s: 0, minimum_s: 0}
  boot: {median_s: 0}
  servers: [{gpu: v100, gpus: 8, count: 4}, {gpu: v100, gpus: 100000, on_demand: true, usd_per_gpu_h: 1}]
`, trace)
		first, gpuHours := testutil.Number(t, rows[0]["arrival_h"]), 0.0
		for i, r := range rows {
			at, where, _ := strings.Cut(r[column], " ")
			want, err := strconv.ParseFloat(at, 64)
			if err != nil {
				t.Fatal(err)
			}
			if where == "cloud" {
				gpuHours += testutil.Number(t, r["gpus"]) * testutil.Number(t, r["runtime_h"])
			}
			compared++
			if got := *set.Jobs[i].StartS/3600 + first; check.Off(got, want, 1e-8) {
				t.Fatalf("%s: job %s starts after %v h, recorded %v", filepath.Base(path), r["job_id"], got, want)
			}
		}
		if usd := set.Summaries[0].CostUSD; check.Off(usd, gpuHours, 1e-6*gpuHours) {
			t.Errorf("%s: the cloud costs %v USD at 1 USD a GPU-hour, for %v GPU-hours", filepath.Base(path), usd, gpuHours)
		}
	}
	t.Logf("%d starts compared", compared)
}

const smallCluster = `
name: small
market:
  servers: [{gpu: v100, gpus: 4, count: 2, usd_per_gpu_h: 3}]
jobs: {trace: jobs.csv}
policies: [{name: fifo}, {name: srtf}]
`

const smallTrace = `job_id,submit_s,gpus,duration_s,deadline_s
a,100,8,7200,
b,700,4,600,700
c,1300,2,600,9000
`

// A small cluster by hand: what the rows say of each job, and the run of all.
func TestClusterByHand(t *testing.T) {
	check := near.Count(t)
	set := runCluster(t, smallCluster, smallTrace)
	type want struct {
		start, finish, queue float64
		stops                int64
		met                  string
	}
	for i, w := range []want{ // times from the first submission; first come first served, then the shortest first
		{0, 7200, 0, 0, ""}, {7200, 7800, 6600, 0, "false"}, {7200, 7800, 6000, 0, "true"},
		{0, 8400, 1200, 1, ""}, {600, 1200, 0, 0, "true"}, {1200, 1800, 0, 0, "true"},
	} {
		j := &set.Jobs[i]
		met := ""
		if j.DeadlineMet != nil {
			met = fmt.Sprint(*j.DeadlineMet)
		}
		if got := (want{*j.StartS, *j.FinishS, *j.QueueS, j.Suspensions, met}); got != w {
			t.Errorf("%s, job %s: %+v, expected %+v", j.Policy, j.ID, got, w)
		}
		if usd := float64(j.GPUs) * 3 * (*j.JCTS - *j.QueueS) / 3600; check.Off(j.CostUSD, usd, 1e-9) {
			t.Errorf("%s, job %s: %v USD, expected %v", j.Policy, j.ID, j.CostUSD, usd)
		}
	}
	for i, w := range []struct{ jct, queue, makespan, utilisation float64 }{
		{(7200 + 7200 + 6600) / 3., (6600 + 6000) / 3., 7800, (57600 + 2400 + 1200) / (8 * 7800.)},
		{(8400 + 600 + 600) / 3., 1200 / 3., 8400, (57600 + 2400 + 1200) / (8 * 8400.)},
	} {
		r := &set.Summaries[i]
		if *r.JCTMeanS != w.jct || *r.QueueMeanS != w.queue || *r.FinishS != w.makespan || check.Off(*r.Utilisation, w.utilisation, 1e-12) {
			t.Errorf("%s: mean JCT %v, queue %v, makespan %v, utilisation %v, expected %+v", r.Policy, *r.JCTMeanS, *r.QueueMeanS, *r.FinishS, *r.Utilisation, w)
		}
		if usd := 3 * (57600 + 2400 + 1200) / 3600.; check.Off(r.CostUSD, usd, 1e-9) {
			t.Errorf("%s: %v USD, expected %v", r.Policy, r.CostUSD, usd)
		}
	}
	// a alone at first, then with b, c: (600 + 2*600 + 3*6000 ... ) jobs on average; an eighth of n GPUs for itself.
	a, mean := &set.Jobs[0], (600*1+600*2+6000*3)/7200.
	if want := 1 / mean; a.FTF == nil || check.Off(*a.FTF, want, 1e-12) {
		t.Errorf("finish-time fairness of a: %v, expected %v", a.FTF, want)
	}
}

// The same bytes on any number of processors, and for a run that is recorded as for one that is not.
func TestClusterSameBytes(t *testing.T) {
	text := "name: same\nseeds: 3\nmarket: {servers: [{gpu: v100, gpus: 4, count: 2}, {gpu: p100, gpus: 4}]}\nmodel: {gang: {speeds: gavel}}\n" +
		"jobs: {gavel: {jobs: 20, mean_gap_s: 600, deadlines: true}}\npolicies: [{name: gavel}, {name: fifo}]\n"
	var first []byte
	for _, procs := range []int{1, 4} {
		old := runtime.GOMAXPROCS(procs)
		set := runCluster(t, text, "")
		runtime.GOMAXPROCS(old)
		dir := t.TempDir()
		if err := results.WriteAll(dir, *set); err != nil {
			t.Fatal(err)
		}
		var all []byte
		for _, name := range results.Files() {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, data...)
		}
		if first == nil {
			first = all
		} else if !bytes.Equal(first, all) {
			t.Error("the tables differ with the number of processors")
		}
		if n := len(set.Jobs); n != 40 || !slices.IsSortedFunc(set.Jobs, func(a, b results.Job) int { return int(a.Run - b.Run) }) {
			t.Errorf("%d rows of jobs, expected those of one seed in order", n)
		}
	}
}

// Bad input is an error that names the place, what is wrong and the way out.
func TestBadClusters(t *testing.T) {
	const head = "job_id,submit_s,gpus,duration_s\n"
	for _, x := range []struct{ name, trace, change, want string }{
		{"negative time", head + "a,0,1,10\nb,-5,1,10\n", "", "jobs.csv:3:3"},
		{"no duration", head + "a,0,1,0\n", "", "jobs.csv:2:7"},
		{"negative duration", head + "a,0,1,-3\n", "", "jobs.csv:2:7"},
		{"not a number", head + "a,0,1,nan\n", "", "jobs.csv:2:7"},
		{"no GPUs", head + "a,0,0,10\n", "", "jobs.csv:2:5"},
		{"too large", head + "a,0,1,10\nb,5,64,10\n", "", "jobs.csv:3: job b asks for 64 GPUs, but the cluster has 8 on which it runs; expected a " +
			"larger cluster, or drop_too_large: true"},
		{"nothing left", head + "b,5,64,10\n", "jobs: {trace: jobs.csv, drop_too_large: true}", "no job is left"},
		{"twice", head + "a,0,1,10\na,5,1,10\n", "", `job_id "a" is that of line 2`},
		{"unsorted", head + "a,10,1,10\nb,5,1,10\n", "", "jobs.csv:3: job b is submitted 5s before the row above it, and 1 rows in all go back in " +
			"time; expected rows in order of submission, or disorder: sort"},
		{"cut in a row", head + "a,0,1,10\nb,5,1\n", "", "jobs.csv:3:1: 3 fields"},
		{"cut in a number", head + "a,0,1,10\nb,5,1,36", "", "the last line has no end"},
		{"no rows", head, "", "no row below the header"},
		{"no trace", "", "jobs: {trace: nothere.csv}", "nothere.csv"},
		{"another model", "job_id,submit_s,gpus,duration_s,gpu_type\na,0,1,10,h100\n", "",
			"jobs.csv:2: job a (gpu_type h100) runs on no GPU of the cluster, which has v100"},
		{"unknown kind", "job_id,submit_s,gpus,duration_s,kind\na,0,1,10,zz\n", "model: {gang: {speeds: gavel}}", `job a is of kind "zz"`},
		{"unknown number", "job_id,submit_s,gpus,duration_s,kind\na,0,2,10,A3C\n", "model: {gang: {speeds: gavel}}", "known for other numbers only"},
		{"duration on what", "job_id,submit_s,gpus,duration_s,kind\na,0,1,10,A3C\n", "model: {gang: {speeds: gavel}}",
			"expected a column duration_on, or model.gang.duration_on"},
		{"no such table", head + "a,0,1,10\n", "model: {gang: {speeds: mine.csv}}", "mine.csv"},
		{"both", smallTrace, "objectives: [{time_s: 10}]", "not both"},
		{"neither", smallTrace, "jobs: {load: 2}", "expected one of trace"},
		{"no load", smallTrace, "jobs: {trace: jobs.csv, load: 0}", "expected more than 0"},
		{"another model of training", smallTrace, "model: {published: spotdnn-resnet110}", "expected gang alone"},
		{"a policy of one job", smallTrace, "policies: [{name: reactive}]", "for one job"},
		{"no servers", smallTrace, "market: {}", "expected servers"},
		{"empty servers", smallTrace, "market: {servers: [{gpu: v100, gpus: 0}]}", "expected 1 to"},
		{"saves for nothing", smallTrace, "model: {gang: {save_s: 3}}", "expected only with save_every_s, which is absent"},
		{"no cloud", smallTrace, "policies: [{name: starburst}]", "expected an entry of servers with on_demand: true"},
		{"too few without the cloud", head + "a,0,4,10\n", "market: {servers: [{gpu: v100, gpus: 2}, {gpu: v100, gpus: 8, on_demand: true}]}",
			"policy fifo rents nothing on demand, but jobs.csv:2: job a asks for 4 GPUs, and without those on demand there are 2 on which it runs"},
		{"larger than a model", head + "a,0,2,10\nb,0,6,10\n", "policies: [{name: gavel}]\nmarket: {servers: [{gpu: v100, gpus: 4}, {gpu: p100, gpus: 4}]}",
			"policy gavel runs a job on the GPUs of one model only, but jobs.csv:3: job b asks for 6 GPUs, and no model on which it runs has more than 4"},
		{"larger than a GPU", head + "a,0,2,10\n", "policies: [{name: allox}]", "policy allox runs a job on one GPU only, but jobs.csv:2: job a asks for 2 GPUs"},
	} {
		text := smallCluster
		for change := range strings.Lines(x.change) {
			key, _, _ := strings.Cut(change, ":")
			var kept []string
			drop := false
			for line := range strings.SplitSeq(text, "\n") {
				if !strings.HasPrefix(line, " ") {
					drop = strings.HasPrefix(line, key+":")
				}
				if !drop {
					kept = append(kept, line)
				}
			}
			text = strings.Join(kept, "\n") + strings.TrimSuffix(change, "\n") + "\n"
		}
		_, err := openCluster(t, text, x.trace)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, expected %q", x.name, err, x.want)
		}
	}
}

// A job that runs in the cloud alone goes there and takes no server, where there are servers of one model and where
// there are none.
func TestStarburstCloudAlone(t *testing.T) {
	const trace = "job_id,submit_s,gpus,duration_s,gpu_type\na,0,1,3600,v100\nb,0,2,3600,k80\nc,0,1,3600,v100\n"
	for servers, want := range map[string][]float64{
		"{gpu: v100, gpus: 1}, {gpu: k80, gpus: 8, on_demand: true}": {3600, 3600 + 360, 7200},
		"{gpu: v100, gpus: 8, on_demand: true}, {gpu: k80, gpus: 8, on_demand: true}": {3600 + 360, 3600 +
			360, 3600 + 360},
		"{gpu: k80, gpus: 1}, {gpu: v100, gpus: 1}, {gpu: k80, gpus: 8, on_demand: true}": {3600, 3600 + 360, 7200},
		"{gpu: k80, gpus: 1, count: 2, per_rack: 1}, {gpu: v100, gpus: 8, on_demand: true}, {gpu: k80, gpus: 8, on_demand: true}": {3600 + 360, 3600 +
			360, 3600 + 360},
	} {
		set := runCluster(t, "name: x\nmarket: {boot: {median_s: 0}, servers: ["+servers+
			"]}\njobs: {trace: jobs.csv}\npolicies: [{name: starburst, settings: {patience: constant, factor: 0.1}}]\n", trace)
		for i := range set.Jobs {
			if j := &set.Jobs[i]; j.FinishS == nil || *j.FinishS != want[j.Number] {
				t.Errorf("%s: job %s ends at %v s, expected %v", servers, j.ID, j.FinishS, want[j.Number])
			}
		}
	}
}

// Queues that do not look at models of GPU run each job where it runs: one that accepts p100 only waits for it, and one
// of a kind that is not on k80 never goes there.
func TestQueuesBySpecKeepToModels(t *testing.T) {
	const text = `
name: models
market: {servers: [{gpu: k80, gpus: 8}, {gpu: p100, gpus: 2}, {gpu: v100, gpus: 2}]}
model: {gang: {speeds: own.csv, duration_on: v100}}
jobs: {trace: jobs.csv}
policies: [{name: fifo}, {name: first-fit}, {name: tiresias}, {name: srtf}]
`
	const trace = `job_id,submit_s,gpus,duration_s,kind,gpu_type
a,0,2,1000,fast,
b,0,2,1000,fast,p100
c,0,2,1000,fast,p100
d,1,2,500,all,
`
	dir := t.TempDir()
	for name, data := range map[string]string{"spec.yaml": text, "jobs.csv": trace, "own.csv": "kind,gpus,k80,p100,v100\nfast,*,0,1,2\nall,*,1,1,1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	spec, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	study, err := NewStudy(spec)
	if err != nil {
		t.Fatal(err)
	}
	set := runStudy(t, study)
	for _, w := range []struct {
		policy string
		ends   []float64 // of a, b, c, d
	}{
		// a takes p100 (2,000 s), then b and c wait for it; d runs on k80 where it may pass.
		{"fifo", []float64{2000, 4000, 6000, 4500}}, {"first-fit", []float64{2000, 4000, 6000, 501}},
	} {
		for i := range set.Jobs {
			if j := &set.Jobs[i]; j.Policy == w.policy && *j.FinishS != w.ends[j.Number] {
				t.Errorf("%s: job %s ends at %v s, expected %v", j.Policy, j.ID, *j.FinishS, w.ends[j.Number])
			}
		}
	}
	for i := range set.Instances {
		if x := &set.Instances[i]; x.Job != 3 && strings.HasPrefix(x.Pool, "k80") {
			t.Errorf("%s: job %d on %s", x.Policy, x.Job, x.Pool)
		}
	}
	for i := range set.Summaries {
		if !set.Summaries[i].Finished {
			t.Errorf("%s: not all jobs are done", set.Summaries[i].Policy)
		}
	}
}
