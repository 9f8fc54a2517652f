package reference

import (
	"testing"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim/simtest"
	"github.com/marigram/marigram/traces/synth/workload"
)

// continuous returns the simulation of Gavel's continuous experiments: jobs that arrive at a rate
// an hour, on 36 GPUs of each model, until jobs 0 to 4,999 are done.
func continuous(perHour float64, several bool, seed int64) Config {
	generated := (&workload.Gavel{Seed: seed, MeanGap: 3600 / perHour, SeveralGPUs: several}).Make(12000)
	jobs := make([]Job, len(generated))
	for i, m := range generated {
		jobs[i] = Job{Arrival: m.Arrival, GPUs: m.GPUs, Steps: m.Steps, Weight: m.Weight, Speed: throughput.Gavel().Speeds(m.Kind, m.GPUs)}
	}
	return Config{Jobs: jobs, GPUs: []int{36, 36, 36}, Order: fastestFirst, Seed: seed, Until: 5000}
}

// BenchmarkContinuous simulates single-GPU jobs at 2.0 an hour, and says how many are done in a second.
func BenchmarkContinuous(b *testing.B) {
	for name, rule := range map[string]func() share.Rule{
		"fifo_perf": func() share.Rule { return &rules.FastestFIFO{} },
		"max-min":   func() share.Rule { return &share.MaxMin{} },
		"allox":     func() share.Rule { return &rules.AlloX{} },
	} {
		b.Run(name, func(b *testing.B) {
			done, start := 0, simtest.CPUTime()
			for range b.N {
				c := continuous(2, false, 0)
				c.Rule, c.OnlyShares = rule(), name == "fifo_perf"
				sum := 0.0
				for i, r := range Run(c) {
					if r.Done {
						done++
						if i >= 4000 && i < 5000 {
							sum += r.JCT / 3600 / 1000
						}
					}
				}
				b.ReportMetric(sum, "h-JCT")
			}
			b.ReportMetric(float64(done)/(simtest.CPUTime()-start).Seconds(), "jobs/cpu-s")
		})
	}
}
