package experiments_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// nightly are jobs with deadlines on four servers and on demand, of which two cannot both have the servers in time.
const nightly = `
name: nightly
seeds: 2
market:
  servers:
    - {gpu: a100, gpus: 4}
    - {gpu: a100, gpus: 8, on_demand: true, usd_per_gpu_h: 4}
model:
  gang: {}
jobs:
  trace: jobs.csv
policies:
  - name: deadline-spot
  - name: first-fit
`

func openNightly(t *testing.T, change func(string) string) (*experiments.Study, error) {
	t.Helper()
	dir := t.TempDir()
	jobs := "job_id,submit_s,gpus,duration_s,deadline_s\na,0,4,7200,10800\nb,600,2,3600,14400\nc,1200,4,7200,10800\n"
	for name, text := range map[string]string{"jobs.csv": jobs, "nightly.yaml": change(nightly)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Open(filepath.Join(dir, "nightly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return experiments.NewStudy(s)
}

// The bound of many jobs stands beside what their schedulers pay, and in the rows of runs: a and c have the four servers for
// 12,000 s, b needs 1,200 GPU-seconds in that time, and 10,800 are rented, with a part of a boot. A run that is late has no regret.
func TestBoundsOfManyJobs(t *testing.T) {
	check := near.Count(t)
	study, err := openNightly(t, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	rows, err := study.Bounds(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	const least = 4 * 10800 / 3600.0 * (1 + 83.0/7200)
	for _, r := range rows {
		off := r.BoundUSD == nil || check.Off(*r.BoundUSD, least, 0.03)
		if off || r.CostUSD[0] == nil || *r.CostUSD[0] < least || r.CostUSD[1] != nil || r.BestKnown != "deadline-spot" {
			t.Errorf("%+v", r)
		}
		if x := r.Jobs[1]; x.Met != 2 || x.Deadlines != 3 || x.Done != 3 || x.KnowsDurations || !r.Jobs[0].KnowsDurations {
			t.Errorf("first-fit: %+v", x)
		}
	}
	study.Spec.Bound = true
	w := study.Worker()
	for p := range study.Spec.Policies {
		r, err := w.Run(experiments.Case{Policy: p, Seed: study.Spec.Seed})
		if err != nil {
			t.Fatal(err)
		}
		if r.BoundUSD == nil || check.Off(*r.BoundUSD, least, 0.03) || r.BoundSpotUSD != nil || (r.Regret != nil) != (p == 0) {
			t.Errorf("%s: bound %v, regret %v", r.Policy, r.BoundUSD, r.Regret)
		}
	}
}

// More jobs than a bound is worked out for are refused before anything runs, with the number, and what helps does.
func TestTooManyJobsForABound(t *testing.T) {
	jobs := func(n int, bound string) func(string) string {
		return func(s string) string {
			return strings.Replace(s, "trace: jobs.csv", fmt.Sprintf("gavel: {jobs: %d, mean_gap_s: 60}", n), 1) + bound
		}
	}
	for what, change := range map[string]func(string) string{
		"3000 with a bound": jobs(3000, "bound: true\n"), "3001 without": jobs(3001, ""), "3001 with a bound": jobs(3001, "bound: true\n"),
	} {
		study, err := openNightly(t, change)
		const says = "3001 jobs, but the bound is worked out for at most 3000: expected fewer (limit,"
		if refused := what == "3001 with a bound"; refused != (err != nil) || refused && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", what, err)
		}
		if what == "3001 without" {
			if _, err = study.Bounds(context.Background(), false); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("the bounds of %s: %v", what, err)
			}
		}
	}
}

// What rules the bound of many jobs out is named.
func TestManyJobsWithoutABound(t *testing.T) {
	for says, with := range map[string]string{
		"it rises":           "gang: {network: [0.8, 0.9, 0.7]}",
		"that of bert rises": "gang: {network_by_kind: {bert: [0.8, 0.9, 0.7]}}",
	} {
		study, err := openNightly(t, func(s string) string { return strings.Replace(s, "gang: {}", with, 1) })
		if err == nil {
			_, err = study.Bounds(context.Background(), false)
		}
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "nightly.yaml:") {
			t.Errorf("%s: got %v", with, err)
		}
	}
}
