package workload

import (
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// Jobs that the authors' generator made, those of Gavel's experiments too.
func TestGavel(t *testing.T) {
	check := near.Count(t)
	for file, g := range map[string]Gavel{
		"gavel_rounds_single_s0_jobs.csv":                   {MeanGap: 900, WholeSteps: true},
		"gavel_rounds_single_s1_jobs.csv":                   {Seed: 1, MeanGap: 900, WholeSteps: true},
		"gavel_rounds_multi_s0_jobs.csv":                    {MeanGap: 1200, SeveralGPUs: true, WholeSteps: true},
		"gavel_rounds_multi_s1_jobs.csv":                    {Seed: 1, MeanGap: 1200, SeveralGPUs: true, WholeSteps: true},
		"gavel_rounds_static_s0_jobs.csv":                   {SeveralGPUs: true, WholeSteps: true},
		"gavel_static_multi_seed0_500_jobs.csv":             {SeveralGPUs: true},
		"gavel_static_multi_seed1_500_jobs.csv":             {Seed: 1, SeveralGPUs: true},
		"gavel_continuous_single_seed0_rate4_fifo_jobs.csv": {MeanGap: 900},
	} {
		rows := testutil.Rows(t, "papers/gavel/testdata/"+file)
		g.Priorities, g.Deadlines = weights(rows), rows[0]["slo_factor"] != ""
		for i, j := range g.Make(len(rows)) {
			r := rows[i]
			if j.Kind != r["job_type"] || j.GPUs != int(testutil.Number(t, r["scale_factor"])) || off(t, check, j.Arrival, r["arrival_s"]) ||
				off(t, check, j.Steps, r["total_steps"]) || off(t, check, j.Duration, r["duration_s"]) || off(t, check, j.Weight, r["priority_weight"]) ||
				off(t, check, j.DeadlineFactor, r["slo_factor"]) {
				t.Fatalf("%s, job %d: %+v, expected %v", file, i, j, r)
			}
		}
	}
}

// weights reports whether a job has another weight than 1.
func weights(rows []map[string]string) bool {
	for _, r := range rows {
		if w := r["priority_weight"]; w != "" && w != "1" {
			return true
		}
	}
	return false
}

// off compares a number with a cell, which is empty where the trace does not say. Some
// traces have arrivals rounded to the microsecond.
func off(t *testing.T, check *near.Counter, x float64, cell string) bool {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return false
	}
	want := testutil.Number(t, cell)
	return check.Off(x, want, 1e-9*math.Abs(want)+1e-6)
}
