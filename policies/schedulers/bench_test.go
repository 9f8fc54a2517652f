package schedulers_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
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
		"fifo": &schedulers.FIFO{Placement: schedulers.Consolidated}, "srsf": &schedulers.Shortest{Key: schedulers.RemainingService},
		"tiresias": &schedulers.LAS{Limits: schedulers.DefaultLimits},
	} {
		b.Run(name, func(b *testing.B) {
			w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p})
			if err != nil {
				b.Fatal(err)
			}
			start := simtest.CPUTime()
			for range b.N {
				if err := w.Reset(sim.Config{Market: m, Jobs: jobs, Policy: p}); err != nil {
					b.Fatal(err)
				}
				w.Run()
			}
			b.ReportMetric(float64(len(jobs)*b.N)/(simtest.CPUTime()-start).Seconds(), "jobs/cpu-s")
		})
	}
}

// BenchmarkStarburst runs 20,000 jobs on 4 and on 64 servers of 8 GPUs, loaded to nine tenths, and a cloud.
func BenchmarkStarburst(b *testing.B) {
	for _, nodes := range []int{4, 64} {
		cloud := sim.Trace{Pool: sim.Pool{Name: "cloud", OnDemand: true, Quota: 10_000}, Prices: []sim.Price{{USD: 1}}}
		m, err := sim.NewMarket(sim.At(1e7), append(servers(b, fmt.Sprintf("n%dg8", nodes)), cloud))
		if err != nil {
			b.Fatal(err)
		}
		jobs := make([]sim.Job, 0, 20_000)
		week := philly(cap(jobs), 1, float64(8*nodes), 0.9).Open()
		for range cap(jobs) {
			var job sim.Job
			if _, err := week.Next(&job); err != nil {
				b.Fatal(err)
			}
			jobs = append(jobs, job)
		}
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			p := &schedulers.Starburst{Patience: schedulers.PerGPUHour, Factor: 0.25}
			w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p})
			if err != nil {
				b.Fatal(err)
			}
			start := simtest.CPUTime()
			for range b.N {
				if err := w.Reset(sim.Config{Market: m, Jobs: jobs, Policy: p}); err != nil {
					b.Fatal(err)
				}
				w.Run()
			}
			b.ReportMetric(float64(len(jobs)*b.N)/(simtest.CPUTime()-start).Seconds(), "jobs/cpu-s")
		})
	}
}

// BenchmarkBestLine has deadline-edf decide with 1,000 active jobs on 32 servers, spot and on demand.
func BenchmarkBestLine(b *testing.B) {
	pools := append(servers(b, "n8g4"),
		sim.Trace{Pool: sim.Pool{Name: "spot", Quota: 64, Boot: sim.Boot{Median: 2 * time.Minute}}, Prices: []sim.Price{{USD: 1}}},
		sim.Trace{Pool: sim.Pool{Name: "cloud", OnDemand: true, Quota: 256, Boot: sim.Boot{Median: 2 * time.Minute}}, Prices: []sim.Price{{USD: 3}}})
	m, err := sim.NewMarket(sim.At(1e7), pools)
	if err != nil {
		b.Fatal(err)
	}
	draws := sim.Rand{Seed: 1}.Stream(sim.PurposeUser, 0)
	jobs := make([]sim.Job, 1000)
	for j := range jobs {
		n := uint64(4 * j)
		hours := time.Duration(1 + draws.Intn(n, 24))
		jobs[j] = sim.Job{Objective: sim.Objective{Within: hours * 4 * time.Hour},
			Model: &throughput.Gang{GPUs: 1 << draws.Intn(n+1, 4), Total: 3600 * float64(hours), Restart: time.Minute}}
	}
	start := simtest.CPUTime()
	decisions := int64(0)
	for range b.N {
		w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: schedulers.NewEDF(), Horizon: 24 * time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		w.RunUntil(sim.At(2 * 3600))
		decisions += w.Totals().Decisions
	}
	b.ReportMetric((simtest.CPUTime()-start).Seconds()*1e3/float64(decisions), "cpu-ms/decision")
}
