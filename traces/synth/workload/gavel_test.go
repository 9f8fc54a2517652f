package workload

import (
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/recorded"
)

// Jobs that the authors' generator made, those of Gavel's experiments too.
func TestGavel(t *testing.T) {
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
		rows := recorded.Rows(t, "oracles/clusters/"+file)
		g.Priorities, g.Deadlines = weights(rows), rows[0]["slo_factor"] != ""
		for i, j := range g.Make(len(rows)) {
			r := rows[i]
			if j.Kind != r["job_type"] || j.GPUs != int(recorded.Number(t, r["scale_factor"])) || !near(t, j.Arrival, r["arrival_s"]) ||
				!near(t, j.Steps, r["total_steps"]) || !near(t, j.Duration, r["duration_s"]) || !near(t, j.Weight, r["priority_weight"]) ||
				!near(t, j.DeadlineFactor, r["slo_factor"]) {
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

// near compares a number with a cell, which is empty where the trace does not say. Some
// traces have arrivals rounded to the microsecond.
func near(t *testing.T, x float64, cell string) bool {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return true
	}
	want := recorded.Number(t, cell)
	return math.Abs(x-want) <= 1e-9*math.Abs(want)+1e-6
}
