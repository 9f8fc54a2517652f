package advise

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

const clusterText = `
name: cluster
market: {servers: [{gpu: a100, gpus: 4, count: 2, usd_per_gpu_h: 1}]}
jobs: {trace: jobs.csv}
policies: [{name: %s}]
`

const clusterJobs = `job_id,submit_s,gpus,duration_s,deadline_s
big,0,8,14400,
quick,600,1,900,1200
medium,1200,4,7200,
late,1800,2,1800,20000
later,2500,1,60,
`

const clusterState = `
now: 2000
started: 0
jobs:
  - {id: big, done: 0.1, on: {a100-0: 4, a100-1: 4}}
  - {id: quick}
  - {id: medium}
  - {id: late, done: 0.5, ran_s: 100}
`

// openCluster writes a cluster of two servers and its jobs, and returns the spec under a scheduler.
func openCluster(t *testing.T, policy string) *spec.Spec {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"jobs.csv": clusterJobs, "spec.yaml": fmt.Sprintf(clusterText, policy)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// advisedOn asks for advice on a state.
func advisedOn(t *testing.T, s *spec.Spec, text string) *Advice {
	t.Helper()
	state, err := Parse("state.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a, err := Advise(t.Context(), s, state, Options{Continuations: 5})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What fifo does with a cluster follows by hand: big runs on, and the others one after the other as they fit; each GPU
// costs a dollar an hour.
func TestJobsByHand(t *testing.T) {
	check := near.Count(t)
	a := advisedOn(t, openCluster(t, "fifo"), clusterState)
	if len(a.Jobs) != 4 || a.Continuations != 1 || !a.AtRisk || a.Plan.NextS != nil {
		t.Fatalf("%d jobs, %d continuations, at risk %v, next %v", len(a.Jobs), a.Continuations, a.AtRisk, a.Plan.NextS)
	}
	big := 2000 + 0.9*14400
	for i, want := range []struct {
		do        string
		finish    float64
		met, risk bool
	}{{doKeep, big, true, false}, {doWait, big + 900, false, true}, {doWait, big + 7200, true, false}, {doWait, big + 900, true, false}} {
		j := &a.Jobs[i]
		if check.Off(*j.FinishS.P50, want.finish, 1e-3) || j.Do != want.do || j.AtRisk != want.risk || (j.Met == 1) != want.met {
			t.Errorf("%+v ends at %v, expected %+v", j, *j.FinishS.P50, want)
		}
	}
	gpuSeconds := 8*big + 900 + 4*7200 + 2*900
	check.Abs("USD", a.Policies[0].MeanUSD, gpuSeconds/3600, 1e-6)
	check.Abs("spent", a.SpentUSD, 8*2000/3600.0, 1e-6)
	check.Abs("mean JCT", *a.Policies[0].MeanJCTS, (big+(big+900-600)+(big+7200-1200)+(big+900-1800))/4, 1e-3)
	check.Abs("next deadline", a.DeadlineS, 21800, 0) // quick's is over
}

// Tiresias goes by what jobs have received: with less service than the others need, big keeps its GPUs.
func TestServiceIsKnown(t *testing.T) {
	s := openCluster(t, "tiresias")
	if a := advisedOn(t, s, clusterState); a.Jobs[0].Do != doStop || a.Jobs[1].Do != doStart || a.Jobs[3].Do != doStart {
		t.Errorf("%+v, expected big stopped after 16,000 GPU-seconds, for the others", a.Jobs)
	}
	ran := strings.Replace(clusterState, "big, done: 0.1,", "big, done: 0.1, ran_s: 100,", 1)
	if a := advisedOn(t, s, ran); a.Jobs[0].Do != doKeep || a.Jobs[1].Do != doWait {
		t.Errorf("%+v, expected big to go on after 800 GPU-seconds, in the queue of the others and before them", a.Jobs)
	}
}

// What a state does not say of jobs is what the scheduler did with the log.
func TestTraceOfJobs(t *testing.T) {
	a := advisedOn(t, openCluster(t, "srtf"), "{now: 1000, started: 0}")
	if len(a.Jobs) != 2 || a.Jobs[0].Do != doWait || a.Jobs[1].Do != doKeep {
		t.Errorf("%+v, expected big to wait and quick to run, since 600 s", a.Jobs)
	}
}

// A state that cannot be meant is refused, with its line and the way out.
func TestJobStateErrors(t *testing.T) {
	for _, x := range []struct{ was, is, want string }{
		{"id: quick", "id: quik", `no job "quik" in the spec's list of 5 jobs; did you mean "quick"?`},
		{"id: quick", "id: big", `"big" is jobs[0], too`},
		{"id: quick", "id: later", "is submitted 41m40s after started, which is after now"},
		{"a100-1: 4", "a100-2: 4", `no pool "a100-2" in the spec`},
		{"a100-1: 4", "a100-1: 5", "5, expected 1 to the 4 that there are"},
		{"a100-1: 4", "a100-1: 3", "holds 7 of the 8 GPUs that it needs all at once"},
		{"a100-1: 4", "a100-1: -4", "-4, expected 1 to"},
		{"id: medium", "id: medium, on: {a100-0: 4}", "but the spec's quota is 4"},
		{"id: medium", "id: medium, instances: [i-1]", `no instance "i-1"`},
		{"id: medium", "id: medium, instances: [i-1], on: {a100-0: 4}", "on and instances, expected one of them"},
		{"id: medium", "id: medium, since: 1000", "1000 is before its submission"},
		{"id: big, done: 0.1", "id: big, since: 2000, done: 0.1", "big runs since now"},
		{"ran_s: 100", "ran_s: 1000", "1000, but late was submitted 3m20s ago"},
		{"ran_s: 100", "ran_s: -1", "expected 0 to"},
		{"done: 0.5", "done: 1", "expected at least 0 and less than 1"},
		{"started: 0", "started: 0\ndone: 0.5", "done of each of jobs"},
		{"started: 0", "started: 0\nrequests: [{pool: a100-0, n: 1, since: 0}]", "expected none"},
		{"started: 0", "started: 0\ninstances: [{id: i-1, pool: a100-0, since: 0}]", `instance "i-1" is of no job`},
		{"jobs:", "jobs: []\nwas:", `unknown field "was"`},
	} {
		state, err := Parse("state.yaml", []byte(strings.Replace(clusterState, x.was, x.is, 1)))
		if err == nil {
			_, err = Advise(t.Context(), openCluster(t, "fifo"), state, Options{Continuations: 1})
		}
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s -> %s: %v, expected %q", x.was, x.is, err, x.want)
		}
	}
	state, _ := Parse("state.yaml", []byte(clusterState))
	if _, err := Advise(t.Context(), write(t, known, ""), state, Options{Continuations: 1}); err == nil || !strings.Contains(err.Error(), "none is given") {
		t.Errorf("jobs on a spec of one job: %v", err)
	}
}

// atInstant is the state of a run of a shipped spec at its first decision from an instant on, and where each job is
// before and after it.
func atInstant(t *testing.T, s *spec.Spec, at time.Duration) (state string, was, is map[string]string) {
	t.Helper()
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := s.Policies[0].New()
	if err != nil {
		t.Fatal(err)
	}
	config, err := study.Worker().Config(experiments.Case{Seed: s.Seed}, policy)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	for w.NextDecision() && w.Now().Sub(0) < at {
	}
	v := w.View()
	var b strings.Builder
	fmt.Fprintf(&b, "now: %s\nstarted: 0\njobs:\n", instantText(v.Now()))
	for _, j := range v.ActiveJobs() {
		job := v.Job(j)
		fmt.Fprintf(&b, "  - {id: '%s', done: %v, ran_s: %v", job.Name(), min(job.Done(), 1-1e-12), job.Ran().Seconds())
		if parts := v.Planned(j, nil); len(parts) > 0 {
			since := max(v.Now().Add(-time.Second), job.Submitted())
			fmt.Fprintf(&b, ", since: %s, on: {%s}", instantText(since), on(v, parts))
		}
		b.WriteString("}\n")
	}
	was, is = whereAll(v), nil
	w.RunUntil(v.Now())
	return b.String(), was, whereAll(w.View())
}

func on(v sim.View, parts []sim.Part) string {
	var out []string
	for _, x := range parts {
		out = append(out, fmt.Sprintf("%s: %d", v.Pool(int(x.Pool)).Name, x.N))
	}
	return strings.Join(out, ", ")
}

func whereAll(v sim.View) map[string]string {
	out := map[string]string{}
	for _, j := range v.ActiveJobs() {
		out[v.Job(j).Name()] = on(v, v.Planned(j, nil))
	}
	return out
}

// A scheduler that takes over the state of its own run of a shipped spec decides what that run decided. Those that work
// in rounds do not: a new one begins.
func TestTakesOverItsOwnRun(t *testing.T) {
	if testing.Short() {
		t.Skip("several runs of 120 jobs")
	}
	changed := 0
	for _, name := range []string{"fifo", "srtf", "srsf", "smallest-first", "las"} {
		s, err := spec.Open("cluster-gavel")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Choose([]string{name}); err != nil {
			t.Fatal(err)
		}
		for hours := 4; hours < 40; hours += 7 {
			state, was, is := atInstant(t, s, time.Duration(hours)*time.Hour)
			a := advisedOn(t, s, state)
			for i := range a.Jobs {
				var to []string
				for _, x := range a.Jobs[i].To {
					to = append(to, fmt.Sprintf("%s: %d", x.Pool, x.N))
				}
				if got, want := strings.Join(to, ", "), is[a.Jobs[i].Job]; got != want {
					t.Errorf("%s after %d h: job %s, on %q before, is to be on %q, expected %q", name, hours, a.Jobs[i].Job, was[a.Jobs[i].Job], got, want)
				}
			}
			if !slices.ContainsFunc(a.Jobs, func(j JobChange) bool { return is[j.Job] != "" }) {
				t.Errorf("%s after %d h: nothing runs", name, hours)
			}
			if slices.ContainsFunc(a.Jobs, func(j JobChange) bool { return was[j.Job] != is[j.Job] }) {
				changed++
			}
		}
	}
	if changed < 10 {
		t.Errorf("%d decisions changed something: too few to compare", changed)
	}
}
