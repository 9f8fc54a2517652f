package schedulers_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/papers/hadar/auction"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// BenchmarkSeen is what a decision costs of policies that look at all active jobs, on 80 GPUs that are as busy, when
// that many jobs have been seen: it follows those that are active, not those that are over.
func BenchmarkSeen(b *testing.B) {
	m := thousands(b, 10)
	for _, x := range []struct {
		name string
		p    sim.Policy
	}{
		{"dally", schedulers.NewDally()}, {"gavel", &schedulers.Rounds{Rule: func() share.Rule { return &share.MaxMin{} }}},
		{"isolated", &schedulers.Rounds{Rule: func() share.Rule { return rules.Isolated{} }}}, {"hadar-like", &auction.Hadar{}},
	} {
		for _, world := range []string{"held", "source"} {
			for _, jobs := range []int{1000, 4000, 16000, 64000, 256000} {
				if testing.Short() && jobs > 4000 || world == "held" && jobs > 64000 {
					continue
				}
				b.Run(fmt.Sprintf("%s/%s/jobs=%d", x.name, world, jobs), func(b *testing.B) {
					source := philly(jobs, float64(jobs)/8000, 80, 0.7)
					c := sim.Config{Market: m, Policy: x.p, Source: small{source}}
					if world == "held" {
						c.Source = nil
						for a := (small{source}).Open(); ; {
							var job sim.Job
							if more, _ := a.Next(&job); !more {
								break
							}
							c.Jobs = append(c.Jobs, job)
						}
					}
					start, decisions := simtest.CPUTime(), int64(0)
					for range b.N {
						w, err := sim.New(c)
						if err != nil {
							b.Fatal(err)
						}
						decisions += w.Run().Decisions
					}
					cpu := float64(simtest.CPUTime() - start)
					b.ReportMetric(cpu/float64(decisions), "cpu-ns/decision")
					b.ReportMetric(cpu/float64(b.N)/1e9, "cpu-s")
				})
			}
		}
	}
}

// small is jobs of at most a server.
type small struct{ sim.Source }

func (s small) Open() sim.Arrivals { return smaller{s.Source.Open()} }

type smaller struct{ sim.Arrivals }

func (s smaller) Next(job *sim.Job) (bool, error) {
	more, err := s.Arrivals.Next(job)
	if g, is := job.Model.(*throughput.Gang); is {
		g.GPUs, g.Total = min(g.GPUs, 8), math.Min(g.Total, 86400)
	}
	return more, err
}

func (s smaller) Fork() sim.Arrivals { return smaller{s.Arrivals.Fork()} }

// BenchmarkDense is what a decision costs of policies that look at all active jobs where more jobs come than 80 GPUs
// can do: a fifth more, so that the last of them find hundreds that wait.
func BenchmarkDense(b *testing.B) {
	m := thousands(b, 10)
	for _, x := range []struct {
		name string
		p    sim.Policy
	}{{"hadar-like", &auction.Hadar{}}} {
		for _, n := range []int{500, 1000, 2000} {
			b.Run(fmt.Sprintf("%s/jobs=%d", x.name, n), func(b *testing.B) {
				c := sim.Config{Market: m, Policy: x.p}
				for a := (small{philly(n, float64(n)/8000, 80, 1.8)}).Open(); len(c.Jobs) < n; {
					var job sim.Job
					if _, err := a.Next(&job); err != nil {
						b.Fatal(err)
					}
					c.Jobs = append(c.Jobs, job)
				}
				start, decisions := simtest.CPUTime(), int64(0)
				for range b.N {
					w, err := sim.New(c)
					if err != nil {
						b.Fatal(err)
					}
					decisions += w.Run().Decisions
				}
				b.ReportMetric(float64(simtest.CPUTime()-start)/float64(decisions), "cpu-ns/decision")
			})
		}
	}
}
