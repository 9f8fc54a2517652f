package reference

import (
	"strconv"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/sim/simtest"
)

// setting is the Config and the seed of a recorded run.
func setting(t *testing.T, row map[string]string) (Config, int64) {
	x := func(name string) float64 { return testutil.Number(t, row[name]) }
	return Config{
		RandomRate: x("random_failure_rate"), Multiplier: x("systematic_failure_rate_multiplier"), BadShare: x("systematic_failure_fraction"),
		Recovery: x("recovery_time"), SelectionTime: x("host_selection_time"), JobSize: int(x("job_size")), JobLength: x("job_length"),
		Standbys: int(x("warm_standbys")), Working: int(x("working_pool_size")), Spares: int(x("spare_pool_size")), SpareWait: x("preemption_wait_time"),
		AutoTime: x("auto_repair_time"), ManualTime: x("manual_repair_time"), Escalated: x("prob_auto_to_manual"), AutoFails: x("auto_repair_fail_prob"),
		ManualFails: x("manual_repair_fail_prob"), Law: row["failure_distribution"], Shape: x("weibull_shape"), Sigma: x("lognormal_sigma"),
		Diagnosed: x("diagnosis_probability"), Misdiagnosed: x("diagnosis_uncertainty"), Selection: row["host_selection"],
	}, int64(x("seed"))
}

// Every recorded run of AIReSim, at the published size and smaller: all counters are the same, and the times to a
// millionth of a minute.
func TestRecordedRuns(t *testing.T) {
	check := near.Count(t)
	for file, want := range map[string]int{"airesim_small": 160, "airesim_full": 29} {
		rows := testutil.Rows(t, "papers/airesim/testdata/"+file+".csv")
		if len(rows) != want {
			t.Fatalf("%s: %d runs, expected %d", file, len(rows), want)
		}
		if testing.Short() && file == "airesim_full" {
			rows = rows[:1]
		}
		for _, row := range rows {
			c, seed := setting(t, row)
			s, err := Run(c, seed)
			if err != nil {
				t.Fatal(err)
			}
			names := []string{"total_failures", "random_failures", "systematic_failures", "auto_repairs", "manual_repairs", "successful_repairs",
				"failed_repairs", "servers_retired", "preemption_count", "job_stall_count", "host_selection_count"}
			got := []int{s.Failures, s.Random, s.Systematic, s.Auto, s.Manual, s.Repaired, s.Unrepaired, s.Retired, s.Preemptions, s.Stalls, s.Selections}
			for i, name := range names {
				if strconv.Itoa(got[i]) != row[name] {
					t.Errorf("%s, seed %d: %s %d, recorded %s", row["case"], seed, name, got[i], row[name])
				}
			}
			if s.Depleted != (row["cluster_depleted"] == "True") {
				t.Errorf("%s, seed %d: depleted %v, recorded %s", row["case"], seed, s.Depleted, row["cluster_depleted"])
			}
			for name, x := range map[string]float64{"total_training_time": s.Training, "total_compute_time": s.Compute, "total_recovery_time": s.Recovery,
				"total_host_selection_time": s.Selection, "total_wait_time": s.Wait} {
				if check.Off(x, testutil.Number(t, row[name]), 1e-6) {
					t.Errorf("%s, seed %d: %s %v, recorded %s", row["case"], seed, name, x, row[name])
				}
			}
		}
	}
}

// Servers that are retired are not used again: a job that cannot have enough of them ends without its work done, and a
// looser rule keeps it going.
func TestRetirement(t *testing.T) {
	c := Paper()
	c.JobSize, c.Standbys, c.Working, c.Spares, c.JobLength, c.Window = 64, 2, 80, 10, 30*1440, 7*1440
	c.RandomRate *= 20
	c.Score = Score{Initial: 100, Penalty: 120, Increment: 10, Period: 1440}
	base := c
	for _, retire := range []string{"threshold", "score"} {
		c := base
		c.Retire, c.RetireAfter = retire, 1
		s, err := Run(c, 42)
		if err != nil || !s.Depleted || s.Retired < 25 || s.Compute >= c.JobLength {
			t.Errorf("%s: %+v, %v", retire, s, err)
		}
		c.RetireAfter, c.Score.Penalty = 9, 1
		s, err = Run(c, 42)
		if err != nil || s.Depleted || s.Retired > 25 {
			t.Errorf("%s: %+v, %v", retire, s, err)
		}
	}
	c.Law = "uniform"
	if _, err := Run(c, 42); err == nil {
		t.Error("a law that is not known is taken")
	}
	if c.Working = 65; c.Working < c.JobSize+c.Standbys {
		if _, err := Run(c, 42); err == nil {
			t.Error("a working pool that is too small is taken")
		}
	}
}

func BenchmarkPaper(b *testing.B) {
	begun := simtest.CPUTime()
	for i := range b.N {
		if _, err := Run(Paper(), int64(42+i)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((simtest.CPUTime()-begun).Seconds()/float64(b.N), "cpu-s/run")
}
