package reference

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/gavel/rules"
)

// Simulations of the size of the paper's, on 36 GPUs of each model, by every policy without a linear program that a
// table has. What the simulator had not finished when it stopped is left out.
func TestFullSize(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	files := testutil.Files(t, oracles+"gavel_[cs]*_seed*_jobs.csv")
	for _, path := range files {
		file := filepath.Base(path)
		rows := testutil.Rows(t, oracles+file)
		tr := trace{name: file, rows: rows, jobs: jobsOf(t, rows), gpus: []int{36, 36, 36}}
		_, after, _ := strings.Cut(file, "_seed")
		if _, err := fmt.Sscanf(after, "%d", &tr.seed); err != nil {
			t.Fatalf("%s: a seed: %v", file, err)
		}
		for column := range rows[0] {
			policy := strings.TrimSuffix(strings.TrimPrefix(column, "jct_s__"), "_jct_s")
			c, exact := tr.config(t, policy)
			if policy == column || !exact {
				continue
			}
			if strings.HasPrefix(file, "gavel_continuous") {
				c.Until = 5000
			}
			compareFinished(t, file+" "+column, rows, column, Run(c))
		}
	}
}

// compareFinished compares the jobs that the simulator finished.
func compareFinished(t *testing.T, file string, rows []map[string]string, column string, got []Result) {
	check := near.Count(t)
	compared, wrong := 0, 0
	for i, r := range rows {
		cell := r[column]
		if cell == "" || cell == "None" {
			continue
		}
		compared++
		if want := testutil.Number(t, cell); !got[i].Done || check.Off(got[i].JCT, want, 1e-9*want) {
			if wrong++; wrong <= 3 {
				t.Errorf("%s, job %d: %+v, the simulator has %v", file, i, got[i], want)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d jobs are wrong", file, wrong, compared)
	}
	t.Logf("%s: %d jobs", file, compared)
}

// The experiment on a real cluster, simulated with the speeds that were measured there.
func TestPhysical(t *testing.T) {
	for _, file := range []string{"gavel_physical_max_min_fairness_jobs.csv", "gavel_physical_minimize_makespan_jobs.csv"} {
		rows := testutil.Rows(t, oracles+file)
		jobs := jobsOf(t, rows)
		for i, r := range rows {
			jobs[i].Speed = throughput.GavelPhysical().Speeds(r["job_type"], jobs[i].GPUs)
			jobs[i].Deadline = 0
		}
		for column, c := range map[string]Config{
			"jct_s__fifo__highs":      {Rule: NewFIFO(0), Shuffle: true, OnlyShares: true},
			"jct_s__fifo_perf__highs": {Rule: &rules.FastestFIFO{}, OnlyShares: true},
		} {
			c.Jobs, c.GPUs, c.Order = jobs, []int{24, 16, 8}, fastestFirst
			compareFinished(t, file+" "+column, rows, column, Run(c))
		}
	}
}
