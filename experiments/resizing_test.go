package experiments

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// openResizing opens a spec of jobs with a table of speeds.
func openResizing(t *testing.T, text, trace, speeds string) (*Study, error) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"spec.yaml": text, "jobs.csv": trace, "speeds.csv": speeds} {
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

const (
	resizingSpec = `name: resizing
seeds: 2
jobs: {trace: jobs.csv}
model: {gang: {speeds: speeds.csv, duration_on: V100, restart_s: 20, resize_s: 5, save_every_s: 60, save_s: 2}}
policies:
  - {name: fifo}
  - {name: tiresias}
  - {name: optimus, settings: {interval_s: 60}}
  - {name: elastic-fair}
  - {name: ray-fifo}
  - {name: srtf-elastic}
  - {name: pollux-like}
market:
  servers:
    - {gpu: V100, gpus: 4, count: 4, failures: {per_1000_node_days: 4000, repair: [{mean_h: 1}]}}
`
	resizingSpeeds = "kind,gpus,V100\na,1,1\na,2,1.8\na,8,4.8\nb,1,3\nb,32,60\n"
)

// In the tables of results, jobs of n to n GPUs are jobs of n GPUs, byte for byte, on servers that fail.
func TestFixedRangeBySpec(t *testing.T) {
	var text [2]string
	for k, range2 := range []string{"", "min_gpus,max_gpus"} {
		trace := "job_id,submit_s,gpus,duration_s,kind," + range2 + "\n"
		for j := range 40 {
			gpus := []int{1, 2, 8}[j%3]
			limits := ""
			if range2 != "" {
				limits = fmt.Sprintf("%d,%d", gpus, gpus)
			}
			trace += fmt.Sprintf("%d,%d,%d,%d,a,%s\n", j, 300*j, gpus, 600+100*(j*j%37), limits)
		}
		trace = strings.ReplaceAll(trace, ",\n", "\n")
		s, err := openResizing(t, resizingSpec, trace, resizingSpeeds)
		if err != nil {
			t.Fatal(err)
		}
		set := runStudy(t, s)
		all, err := json.Marshal([]any{set.Jobs, set.Summaries, set.Spans, set.Decisions, set.Instances})
		if err != nil {
			t.Fatal(err)
		}
		text[k] = string(all)
	}
	if text[0] != text[1] || len(text[0]) < 100_000 {
		t.Errorf("%d and %d bytes of results differ", len(text[0]), len(text[1]))
	}
}

// A job of 1 to 8 GPUs under elastic-fair that is alone has 8 at the first minute: at 4.8 instead of the 1.8 on 2 GPUs to
// which its duration refers. On 4 GPUs, as a server short of them has, it is half-way between the rows of 2 and 8.
func TestResizingBySpec(t *testing.T) {
	text := strings.NewReplacer("count: 4, failures: {per_1000_node_days: 4000, repair: [{mean_h: 1}]}", "count: 2",
		", save_every_s: 60, save_s: 2", "").Replace(resizingSpec)
	trace := "job_id,submit_s,gpus,duration_s,kind,min_gpus,max_gpus\nx,0,2,1000,a,1,8\n"
	for gpus, speed := range map[string]float64{"count: 2": 4.8, "count: 1": 1.8 + 3.0/3} {
		s, err := openResizing(t, strings.Replace(text, "count: 2", gpus, 1), trace, resizingSpeeds)
		if err != nil {
			t.Fatal(err)
		}
		set := runStudy(t, s)
		want := 60 + 1800/speed
		if job := jobOf(t, set, "elastic-fair"); !(abs(*job.FinishS-want) < 1e-5) || job.Resizes != 0 {
			t.Errorf("%s: %v s, %d resizes, expected %v and none", gpus, *job.FinishS, job.Resizes, want)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

func jobOf(t *testing.T, set *results.Set, policy string) *results.Job {
	t.Helper()
	for i := range set.Jobs {
		if set.Jobs[i].Policy == policy {
			return &set.Jobs[i]
		}
	}
	t.Fatalf("no job of %s", policy)
	return nil
}

// A rule makes jobs resizable as far as their speeds are known: a job of kind a, on 2 GPUs, from 1 to 8, and one whose
// trace says it as that says.
func TestResizableRule(t *testing.T) {
	text := strings.Replace(resizingSpec, "{trace: jobs.csv}", "{trace: jobs.csv, resizable: {min_gpus: 1, max_gpus: 16}}", 1)
	trace := "job_id,submit_s,gpus,duration_s,kind,min_gpus,max_gpus\nx,0,2,1000,a,,\ny,0,2,1000,a,2,4\nz,0,2,1000,b,,\n"
	s, err := openResizing(t, text, trace, resizingSpeeds)
	if err != nil {
		t.Fatal(err)
	}
	market, err := s.Markets.For(1)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.work.(*manyJobs).load.For(1, market, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, jobs, err := first.Hold()
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range [][2]int{{1, 8}, {2, 4}, {1, 16}} {
		least, most := sim.RangeOf(jobs[j].Model.(sim.GangModel))
		if got := [2]int{least, most}; got != want {
			t.Errorf("job %d: %v, expected %v", j, got, want)
		}
	}
}

// What a table of resizable jobs cannot mean is refused with its place, and what misleads is warned of.
func TestResizingRefused(t *testing.T) {
	head := "job_id,submit_s,gpus,duration_s,kind,min_gpus,max_gpus\n"
	for _, x := range []struct{ row, speeds, spec, want string }{
		{"x,0,2,100,a,3,8\n", resizingSpeeds, "", "jobs.csv:2:13: min_gpus"},
		{"x,0,2,100,a,0,8\n", resizingSpeeds, "", "expected 1 to gpus (2)"},
		{"x,0,2,100,a,1,1\n", resizingSpeeds, "", "max_gpus"},
		{"x,0,2,100,a,,8\n", resizingSpeeds, "", "is empty, but max_gpus is not"},
		{"x,0,2,100,a,1,\n", resizingSpeeds, "", "is empty, but min_gpus is not"},
		{"x,0,17,100,b,17,20\n", resizingSpeeds, "", "job x asks for 17 GPUs, but the cluster has 16"},
		{"x,0,2,100,a,1,9\n", resizingSpeeds, "", "does not say how fast it is on 9; expected rows"},
		{"x,0,2,100,a,1,8\n", "", "model: {gang: {restart_s: 20}}", "nothing says how fast it is on each number"},
	} {
		text := resizingSpec
		if x.spec != "" {
			lines := strings.Split(resizingSpec, "\n")
			lines[3] = x.spec
			text = strings.Join(lines, "\n")
		}
		_, err := openResizing(t, text, head+x.row, x.speeds)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, expected %q", x.row, err, x.want)
		}
	}
	for _, x := range []struct{ row, speeds, want string }{
		{"x,0,2,100,c,1,8\n", "kind,gpus,V100\n*,*,1\n", "takes the speed of one GPU times their number"},
		{"x,0,2,100,a,,\n", resizingSpeeds, "no job of the trace has min_gpus and max_gpus"},
	} {
		s, err := openResizing(t, resizingSpec, head+x.row, x.speeds)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(s.Warnings, "\n"), x.want) {
			t.Errorf("%s: %q, expected a warning %q", x.row, s.Warnings, x.want)
		}
	}
}

// A job of 8 GPUs on two servers of 4 trains at the speed of the row 4+4, and its phases make it take 1.5 times as long.
func TestPlacementsAndPhasesBySpec(t *testing.T) {
	text := "name: placed\njobs: {trace: jobs.csv}\nmodel: {gang: {speeds: speeds.csv, phases: phases.csv, duration_on: V100}}\n" +
		"policies: [{name: fifo}]\nmarket: {servers: [{gpu: V100, gpus: 4, count: 2}]}\n"
	dir := t.TempDir()
	for name, data := range map[string]string{
		"spec.yaml": text, "jobs.csv": "job_id,submit_s,gpus,duration_s,kind\nx,0,8,1000,a\n",
		"speeds.csv": "kind,gpus,V100\na,8,8\na,4+4,6\n", "phases.csv": "kind,phase,work,factor\na,1,0.5,0.5\na,2,0.5,1\nb,1,1,1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStudy(parsed)
	if err != nil {
		t.Fatal(err)
	}
	job := jobOf(t, runStudy(t, s), "fifo")
	if want := 1000.0 * 8 / 6 * 1.5; !(abs(*job.FinishS-want) < 1e-5) || !(abs(*job.FTF-1.5*8/6/1.5) < 1e-6) {
		t.Errorf("done at %v s, fairness %v, expected %v and %v", *job.FinishS, *job.FTF, want, 8./6)
	}
	if want := `model.gang.phases: no job is of kind "b"`; !strings.Contains(strings.Join(s.Warnings, "\n"), want) {
		t.Errorf("%q, expected a warning %q", s.Warnings, want)
	}
}
