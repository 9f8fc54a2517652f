package cluster_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies/cluster"
	"github.com/marigram/marigram/sim"
)

// BenchmarkSchedulers runs 2,000 jobs on 8 servers of 4 GPUs, which they overload.
func BenchmarkSchedulers(b *testing.B) {
	draws := sim.Rand{Seed: 1}.Stream(sim.PurposeUser, 0)
	jobs := make([]sim.Job, 2000)
	at := 0.0
	for j := range jobs {
		n := uint64(4 * j)
		at += math.Round(draws.Exponential(n) * 600)
		jobs[j] = sim.Job{Submit: sim.At(at).Sub(0), Objective: sim.Objective{Within: time.Hour},
			Model: &throughput.Gang{GPUs: 1 << draws.Intn(n+1, 4), Total: math.Round(math.Exp(5 + 5*draws.Uniform(n+2)))}}
	}
	m, err := sim.NewMarket(sim.At(1e9), servers(b, "n8g4"))
	if err != nil {
		b.Fatal(err)
	}
	for name, p := range map[string]sim.Policy{
		"fifo": &cluster.FIFO{Placement: cluster.Consolidated}, "srsf": &cluster.Shortest{Key: cluster.RemainingService},
		"tiresias": &cluster.LAS{Limits: cluster.DefaultLimits},
	} {
		b.Run(name, func(b *testing.B) {
			w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p})
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				if err := w.Reset(sim.Config{Market: m, Jobs: jobs, Policy: p}); err != nil {
					b.Fatal(err)
				}
				w.Run()
			}
			b.ReportMetric(float64(len(jobs)*b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}
