package experiments_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// A wrong belief in durations changes what those do that ask for them, who are then no oracles any more, and nobody
// else.
func TestBelievedDurations(t *testing.T) {
	rows := func(sigma string) map[string]results.Summary {
		s, err := spec.Parse("believed.yaml", []byte(`
name: believed
market: {servers: [{gpu: v100, gpus: 4, count: 2}]}
jobs: {gavel: {jobs: 40, mean_gap_s: 900}, believed_sigma: `+sigma+`}
model: {gang: {speeds: gavel}}
policies: [{name: fifo}, {name: srtf}, {name: gavel}, {name: gavel-makespan}]
`))
		if err != nil {
			t.Fatal(err)
		}
		study, err := experiments.NewStudy(s)
		if err != nil {
			t.Fatal(err)
		}
		worker, out := study.Worker(), map[string]results.Summary{}
		for i, p := range s.Policies {
			r, err := worker.Run(experiments.Case{Policy: i, Seed: s.Seed})
			if err != nil {
				t.Fatal(err)
			}
			out[p.Name] = r
		}
		return out
	}
	exact, wrong := rows("0"), rows("1")
	for name, knows := range map[string]bool{"fifo": false, "srtf": true, "gavel": false, "gavel-makespan": true} {
		a, b := exact[name], wrong[name]
		if a.Oracle != knows || b.Oracle {
			t.Errorf("%s: marked %v, and with a wrong belief %v", name, a.Oracle, b.Oracle)
		}
		a.Oracle = false
		if same := reflect.DeepEqual(a, b); same == knows {
			t.Errorf("%s asks for durations: %v, but is the same with another belief: %v", name, knows, same)
		}
	}
}

// openTrace opens a spec of a trace of jobs.
func openTrace(t *testing.T, text, trace string) (*experiments.Study, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "jobs.csv"), []byte(trace), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := spec.Parse(filepath.Join(dir, "believed.yaml"), []byte("name: believed\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return experiments.NewStudy(s)
}

// runTrace runs a spec of a trace of jobs with one policy, and returns the row.
func runTrace(t *testing.T, text, trace string) (results.Summary, error) {
	t.Helper()
	study, err := openTrace(t, text, trace)
	if err != nil {
		return results.Summary{}, err
	}
	return study.Worker().Run(experiments.Case{Seed: study.Spec.Seed})
}

// The jobs of one user take three times as long as he asked for, those of another as long. Of two of the first that
// come at last, one has the server, and the other rents in time only if it is known whose they are.
func TestLearnsByUser(t *testing.T) {
	trace := "job_id,submit_s,gpus,duration_s,deadline_s,user,requested_s\n"
	for k := range 20 {
		trace += fmt.Sprintf("a%d,%d,1,10800,360000,a,3600\nb%d,%d,1,3600,360000,b,3600\n", k, 36000*k, k, 36000*k+14400)
	}
	trace += "x,720000,1,10800,14400,a,3600\ny,720000,1,10800,14400,a,3600\n"
	for class, late := range map[string]int64{"none": 1, "user": 0} {
		r, err := runTrace(t, `
market: {servers: [{gpu: v100, gpus: 1}, {gpu: v100, gpus: 4, on_demand: true, usd_per_gpu_h: 3}]}
jobs: {trace: jobs.csv, believed: requested}
policies: [{name: deadline-edf, settings: {class: `+class+`}}]
`, trace)
		if err != nil {
			t.Fatal(err)
		}
		if r.Jobs != 42 || r.Oracle || r.Deadlines-r.Punctual != late {
			t.Errorf("%s: %d of %d jobs in time, an oracle: %v; expected %d late", class, r.Punctual, r.Jobs, r.Oracle, late)
		}
	}
}

// A class of which there are not several changes nothing, which is said where it is set.
func TestClassWithoutEffect(t *testing.T) {
	for _, c := range []struct{ class, jobs, says string }{
		{"user", ",a\n,b\n", ""}, {"user", ",a\n,\n", ""}, {"user", "k,\nl,\n", "no job has a user"},
		{"kind", "k,\nl,\n", ""}, {"kind", "k,a\nk,b\n", `all jobs are of the kind "k"`}, {"kind", ",a\n,b\n", "no job has a kind"},
		{"none", ",\n,\n", ""}, {"", ",\n,\n", ""},
	} {
		trace := "job_id,submit_s,gpus,duration_s,kind,user\n"
		for k, job := range strings.SplitAfter(c.jobs, "\n")[:2] {
			trace += fmt.Sprintf("j%d,%d,1,60,%s", k, k, job)
		}
		policy := "name: deadline-edf"
		if c.class != "" {
			policy += ", settings: {class: " + c.class + "}"
		}
		study, err := openTrace(t, "market: {servers: [{gpu: v100, gpus: 1}]}\njobs: {trace: jobs.csv}\npolicies: [{"+policy+"}]\n", trace)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(study.Warnings, "\n")
		if want := "policy deadline-edf: class has no effect, because " + c.says; strings.Contains(said, "class") != (c.says != "") ||
			c.says != "" && !strings.Contains(said, want) {
			t.Errorf("class %q of %q: %q, expected %q", c.class, c.jobs, said, c.says)
		}
	}
}

// Jobs without a user are a class of their own: those of nobody take three times as long as asked for, and of two that
// come at last the first has the server and the other rents in time only if it is compared with them.
func TestLearnsWithoutUser(t *testing.T) {
	trace := "job_id,submit_s,gpus,duration_s,deadline_s,user,requested_s\n"
	for k := range 20 {
		trace += fmt.Sprintf("a%d,%d,1,10800,360000,,3600\nb%d,%d,1,3600,360000,b,3600\n", k, 36000*k, k, 36000*k+14400)
	}
	trace += "x,720000,1,10800,14400,,3600\ny,720000,1,10800,14400,,3600\n"
	for class, late := range map[string]int64{"none": 1, "user": 0} {
		r, err := runTrace(t, `
market: {servers: [{gpu: v100, gpus: 1}, {gpu: v100, gpus: 4, on_demand: true, usd_per_gpu_h: 3}]}
jobs: {trace: jobs.csv, believed: requested}
policies: [{name: deadline-edf, settings: {class: `+class+`}}]
`, trace)
		if err != nil {
			t.Fatal(err)
		}
		if r.Deadlines-r.Punctual != late {
			t.Errorf("%s: %d of %d jobs in time, expected %d late", class, r.Punctual, r.Jobs, late)
		}
	}
}

// What is believed where users say it, and where nobody does: srtf serves the shorter first as it believes; an error
// where a job says nothing.
func TestBelievedByTheTrace(t *testing.T) {
	const trace = "job_id,submit_s,gpus,duration_s,requested_s\nheld,0,1,7200,7200\nlong,60,1,3600,60\nshort,120,1,60,3600\n"
	for believed, meanS := range map[string]float64{ // by hand; a stop takes no time, and of a job that takes longer than believed 1 % is left
		"exact": (10860 + 3660 + 60) / 3.0, "requested": (10860 + 3600 + 3600) / 3.0, "unknown": (7200 + 10740 + 10740) / 3.0,
	} {
		r, err := runTrace(t, `
market: {servers: [{gpu: v100, gpus: 1}]}
jobs: {trace: jobs.csv, believed: `+believed+`}
policies: [{name: srtf}]
`, trace)
		if err != nil {
			t.Fatal(err)
		}
		if near.Count(t).OffRel(*r.JCTMeanS, meanS, 1e-6) || r.Oracle != (believed == "exact") {
			t.Errorf("%s: mean JCT %v s, expected %v; an oracle: %v", believed, *r.JCTMeanS, meanS, r.Oracle)
		}
	}
	_, err := runTrace(t, `
market: {servers: [{gpu: v100, gpus: 1}]}
jobs: {trace: jobs.csv, believed: requested}
policies: [{name: srtf}]
`, "job_id,submit_s,gpus,duration_s\na,0,1,60\n")
	if err == nil || !strings.Contains(err.Error(), "jobs.csv:2: job a has no time that was requested") {
		t.Errorf("no request: %v", err)
	}
}
