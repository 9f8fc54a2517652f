package eva

import (
	"testing"

	"github.com/marigram/marigram/internal/recorded"
	"github.com/marigram/marigram/sim/simtest"
)

// BenchmarkEva runs 200 jobs: five times those of a recorded run, one after another.
func BenchmarkEva(b *testing.B) {
	c, workloads, _ := catalogue(b)
	rows := recorded.Rows(b, "oracles/clusters/eva_runs_a_jobs.csv")
	last := 0
	for range 5 {
		first := last
		for _, r := range rows {
			at := first + int(recorded.Number(b, r["arrival_s"]))
			last = max(last, at+3600)
			c.Jobs = append(c.Jobs, Job{workloads[r["workload"]], at, recorded.Number(b, r["total_iters"])})
		}
	}
	c.Beside = func(_, _ *Workload) float64 { return 0.95 }
	for name, pack := range map[string]bool{"packed": true, "separate": false} {
		b.Run(name, func(b *testing.B) {
			c.Pack = pack
			start, ticks := simtest.CPUTime(), 0
			for range b.N {
				for _, x := range Run(c).Instances {
					ticks = max(ticks, x.Down)
				}
			}
			b.ReportMetric((simtest.CPUTime()-start).Seconds()*1000/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(ticks), "ticks")
		})
	}
}
