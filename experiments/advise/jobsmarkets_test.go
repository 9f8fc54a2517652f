package advise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

const fleetText = `
name: fleet
horizon_s: 500000
market:
  servers:
    - {gpu: v100, gpus: 4, count: 1}
    - {gpu: v100, gpus: 16, on_demand: true, usd_per_gpu_h: 3.06}
  traces: [{name: h, path: zones, format: availability-csv, polarity: "1=available"}]
  replay: {adapter: count_cap, notice_s: 120}
  pools:
    - {type: p3.2xlarge, gpu: v100, zone: us-east-1a, quota: 4, prices: {trace: h, pool: us-east-1a/p3.2xlarge, usd_per_h: 0.9}, ` +
	`capacity: {trace: h, pool: us-east-1a/p3.2xlarge}}
model: {gang: {restart_s: 60, save_every_s: 1800, save_s: 20}}
jobs: {trace: jobs.csv}
policies: [{name: deadline-spot}, {name: fifo}]
`

const fleetJobs = `job_id,submit_s,gpus,duration_s,deadline_s
a,0,4,36000,
b,600,1,14400,28800
c,1200,4,21600,22000
`

const fleetState = `
now: 2026-02-03T02:00:30Z
started: 2026-02-03T01:00:00Z
jobs:
  - {id: a, done: 0.1, on: {v100-0: 4}}
  - {id: b, done: 0.2, instances: [i-1]}
  - {id: c}
instances:
  - {id: i-1, type: p3.2xlarge, zone: us-east-1a, since: 2026-02-03T01:10:00Z, ready: 2026-02-03T01:12:00Z}
`

// openFleet writes a spec of jobs on servers, spot and on demand, with its traces until now.
func openFleet(t *testing.T, later string) *spec.Spec {
	t.Helper()
	name, _ := write(t, known, later).Source()
	dir := filepath.Dir(name)
	for name, text := range map[string]string{"fleet.yaml": fleetText, "jobs.csv": fleetJobs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Open(filepath.Join(dir, "fleet.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// On spot the past is that of the state, what follows is drawn, a job that cannot wait any more gets the servers, and
// nothing after now is read.
func TestJobsOnSpot(t *testing.T) {
	check := near.Count(t)
	a := advisedOn(t, openFleet(t, ""), fleetState)
	if a.Continuations != 5 || len(a.Policies) != 2 || !a.AtRisk {
		t.Fatalf("%d continuations, %d policies, at risk %v", a.Continuations, len(a.Policies), a.AtRisk)
	}
	// b had one spot instance for 50.5 minutes, a the servers, which cost nothing.
	check.Abs("spent", a.SpentUSD, 0.9*50.5/60, 1e-3)
	for i, want := range []string{doStop, doKeep, doStart} {
		if a.Jobs[i].Do != want {
			t.Errorf("job %s: %+v, expected %s", a.Jobs[i].Job, a.Jobs[i], want)
		}
	}
	// c has 22,000 s from 1,200 s on for 21,600 s of work, and begins at 3,630 s: its deadline is lost.
	if c := &a.Jobs[2]; c.Met != 0 || !c.AtRisk || *c.DeadlineS != 23200 || *c.FinishS.P05 < 3630+21600 {
		t.Errorf("%+v", c)
	}
	if b := &a.Jobs[1]; *b.FinishS.P05 < 3630+0.8*14400 || b.From[0].Pool != "us-east-1a/p3.2xlarge" {
		t.Errorf("%+v", b)
	}
	for _, later := range []string{"0", "7"} {
		if b := advisedOn(t, openFleet(t, later), fleetState); *b.Policies[0].USD.P50 != *a.Policies[0].USD.P50 || b.Policies[1] != a.Policies[1] &&
			*b.Policies[1].FinishS.P50 != *a.Policies[1].FinishS.P50 {
			t.Errorf("what comes after now changes the answer: %+v, %+v", a.Policies, b.Policies)
		}
	}
	state, err := Parse("state.yaml", []byte("{now: 2026-02-03T02:00:30Z, started: 2026-02-03T01:00:00Z}"))
	if err == nil {
		_, err = Advise(t.Context(), openFleet(t, ""), state, Options{Continuations: 1})
	}
	if err == nil || !strings.Contains(err.Error(), "expected the jobs that are there") {
		t.Errorf("no jobs on a market of traces: %v", err)
	}
	noticed := strings.Replace(fleetState, "ready: 2026-02-03T01:12:00Z", "ready: 2026-02-03T01:12:00Z, noticed: 2026-02-03T01:59:30Z", 1)
	if x := advisedOn(t, openFleet(t, ""), noticed); x.Jobs[1].Do == doKeep {
		t.Errorf("%+v, expected something to be done with a job whose instance is under notice", x.Jobs[1])
	}
	if ids := releasedIDs(a); ids != "" {
		t.Errorf("%s, expected to release no instance of a job that goes on", ids)
	}
	gone := strings.Replace(noticed, "noticed: 2026-02-03T01:59:30Z", "gone: 2026-02-03T01:59:30Z", 1)
	if state, err = Parse("state.yaml", []byte(gone)); err == nil {
		_, err = Advise(t.Context(), openFleet(t, ""), state, Options{Continuations: 1})
	}
	if err == nil || !strings.Contains(err.Error(), `"i-1" is gone`) {
		t.Errorf("an instance that is gone: %v", err)
	}
}

// releasedIDs lists the instances that a plan gives back.
func releasedIDs(a *Advice) string {
	var ids []string
	for _, c := range a.Plan.Changes {
		ids = append(ids, c.IDs...)
	}
	return strings.Join(ids, " ")
}
