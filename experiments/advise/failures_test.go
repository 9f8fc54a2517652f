package advise

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// openSpec writes a spec, with a log of jobs beside it, and opens it.
func openSpec(t *testing.T, text, jobs string) *spec.Spec {
	t.Helper()
	s, err := readSpec(t, text, jobs)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// readSpec writes a spec and its jobs, and opens it.
func readSpec(t *testing.T, text, jobs string) (*spec.Spec, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"spec.yaml": text, "jobs.csv": jobs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return spec.Open(filepath.Join(dir, "spec.yaml"))
}

const failingText = `
name: failing
horizon_s: 2000000
market:
  servers:
    - {gpu: h100, gpus: 8, count: 3, failures: {per_1000_node_days: 6000, repair: [{mean_h: 4}]}}
jobs: {trace: jobs.csv}
model: {gang: {restart_s: 600, save_every_s: 1800, save_s: 30}}
policies: [{name: fifo}, {name: gavel}, {name: deadline-edf}, {name: srtf}]
`

const failingJobs = `job_id,submit_s,gpus,duration_s,deadline_s
a,0,16,36000,72000
b,600,8,14400,60000
c,1200,4,21600,122000
`

// Servers fail in the continuations of every scheduler, whether the state lists the jobs or the run until now is the
// scheduler's own: with 0.25 failures an hour of each server no job ends as if there were none.
func TestFailuresInContinuations(t *testing.T) {
	for _, state := range []string{
		"{now: 20000, started: 0}",
		"{now: 4000, started: 0, jobs: [{id: a, done: 0.1, on: {h100-0: 8, h100-1: 8}}, {id: b}, {id: c}]}",
	} {
		s := openSpec(t, failingText, failingJobs)
		for range s.Policies {
			parsed, err := Parse("state.yaml", []byte(state))
			if err != nil {
				t.Fatal(err)
			}
			a, err := Advise(t.Context(), s, parsed, Options{Continuations: 40})
			if err != nil {
				t.Fatal(err)
			}
			at := a.Policies[0].FinishS
			if a.Continuations != 40 || at.P05 == nil || at.P95 != nil && *at.P05 == *at.P95 || a.Policies[0].Met > 0.9 {
				t.Errorf("%s of %s: %d continuations, finish %v to %v, met %v", s.Policies[0].Name, state, a.Continuations, at.P05, at.P95, a.Policies[0].Met)
			}
			if slices.ContainsFunc(a.Plan.Changes, func(c Change) bool { return c.Market != "own" }) {
				t.Errorf("%+v, expected servers of one's own", a.Plan.Changes)
			}
			if said := strings.Contains(strings.Join(a.Warnings, "\n"), "does not say which are down"); said != strings.Contains(state, "jobs") {
				t.Errorf("%q: warned of machines that are down: %v", state, said)
			}
			s.Policies = append(s.Policies[1:], s.Policies[0])
		}
	}
}

const failingOnDemand = `
name: on-demand
model: {gang: {restart_s: 600}}
horizon_s: 400000
seeds: 1
jobs: {trace: jobs.csv}
market:
  servers: [{gpu: h100, gpus: 1, count: 1, failures: {per_1000_node_days: 12000, repair: [{mean_h: 0.5}]}}]
policies: [{name: fifo}]
`

// A job of T hours that saves all the time needs T (1 + x (repair + (exp(x restart) - 1) (1/x + repair))) hours in the
// mean, where its one machine fails x times an hour: a failure within a restart has it begin anew.
func TestFailuresAsTheFormulaSays(t *testing.T) {
	s := openSpec(t, failingOnDemand, "job_id,submit_s,gpus,duration_s\na,0,1,7200\n")
	parsed, err := Parse("state.yaml", []byte("{now: 1, started: 0, jobs: [{id: a, done: 0}]}"))
	if err != nil {
		t.Fatal(err)
	}
	const continuations = 2000
	a, err := Advise(t.Context(), s, parsed, Options{Continuations: continuations})
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, seconds := range a.finish.sorted {
		mean += seconds / 3600 / continuations
	}
	const x, work, repair, restart = 0.5, 2, 0.5, 1.0 / 6
	want := work * (1 + x*(repair+(math.Exp(x*restart)-1)*(1/x+repair)))
	near.Abs(t, "mean hours until the end", mean, want, 0.06) // three standard errors
}

const syntheticCluster = `
name: synthetic-cluster
market:
  synthetic: {}
  servers: [{gpu: v100, gpus: 8, count: 1}]
  pools: [{type: p3.2xlarge, gpu: v100, quota: 8, on_demand_quota: 8, on_demand_usd_per_h: 3.06}]
jobs: {trace: jobs.csv}
model: {gang: {restart_s: 600, save_every_s: 1800, save_s: 30}}
policies: [{name: fifo}]
`

// A synthetic market of a cluster whose horizon is twenty years, the most, is not made sixteen times over.
func TestSyntheticClusterWithoutHorizon(t *testing.T) {
	s := openSpec(t, syntheticCluster, failingJobs)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	advisedOn(t, s, "{now: 4000, started: 0, jobs: [{id: a}, {id: b, done: 0.1, on: {v100-0: 8}}, {id: c}]}")
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 1000 {
		t.Errorf("%d MB allocated, expected at most two markets of twenty years", mb)
	}
}
