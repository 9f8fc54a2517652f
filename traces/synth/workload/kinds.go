package workload

import (
	"math"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/pyrandom"
)

// Gavel makes the workloads of Gavel's experiments (OSDI 2020; stanford-futuredata/gavel at
// bc66833, scheduler/utils.py), draw for draw. The zero value makes jobs of one GPU that are all
// there at once.
type Gavel struct {
	Seed int64
	// MeanGap is the mean time between two arrivals, s; 0: all arrive at 0.
	MeanGap float64
	// SeveralGPUs draws jobs of 1, 2, 4 and 8 GPUs (70, 10, 15 and 5 %), else all have one.
	SeveralGPUs bool
	// Priorities gives a fifth of the jobs a weight of 5.
	Priorities bool
	// Deadlines gives the jobs a deadline of 1.2, 2 or 10 times their duration.
	Deadlines bool
	// WholeSteps cuts the number of steps to a whole one.
	WholeSteps bool
}

// Make returns the first n jobs, in order of arrival.
func (g *Gavel) Make(n int) []Job {
	s := g.Stream()
	jobs := make([]Job, n)
	for i := range jobs {
		jobs[i] = s.Next()
	}
	return jobs
}

// Stream makes the jobs one by one.
func (g *Gavel) Stream() *GavelStream {
	return &GavelStream{
		of: *g, speeds: throughput.Gavel(),
		jobs: pyrandom.New(g.Seed + 2), gaps: pyrandom.New(g.Seed + 3), deadlines: pyrandom.New(g.Seed + 6),
	}
}

// GavelStream is a workload under way.
type GavelStream struct {
	of                    Gavel
	speeds                *throughput.Table
	jobs, gaps, deadlines *pyrandom.Rand
	now                   float64
}

// Next returns the next job.
func (s *GavelStream) Next() Job {
	j := Job{Arrival: s.now, Weight: 1, GPUs: gavelGPUs(s.jobs.Uniform(0, 1))}
	if !s.of.SeveralGPUs {
		j.GPUs = 1
	}
	var minutes float64
	if s.jobs.Random() >= 0.8 {
		minutes = math.Pow(10, s.jobs.Uniform(3, 4))
	} else {
		minutes = math.Pow(10, s.jobs.Uniform(1.5, 3))
	}
	j.Duration = minutes * 60
	for j.Kind == "" || s.speeds.Speeds(j.Kind, j.GPUs) == nil {
		j.Kind = s.speeds.Kinds[s.jobs.Below(len(s.speeds.Kinds))]
	}
	j.Steps = j.Duration * s.speeds.Speed(j.Kind, "v100", j.GPUs)
	if s.of.WholeSteps {
		j.Steps = math.Trunc(j.Steps)
	}
	if s.of.Priorities && s.jobs.Uniform(0, 1) <= 0.2 {
		j.Weight = 5
	}
	if s.of.Deadlines {
		j.DeadlineFactor = gavelDeadline(s.deadlines.Uniform(0, 1))
	}
	if s.of.MeanGap > 0 {
		s.now += s.gaps.Exponential(s.of.MeanGap)
	}
	return j
}

// gavelGPUs is the number of GPUs of a job by a draw from [0, 1).
func gavelGPUs(r float64) int {
	switch {
	case 0.7 <= r && r <= 0.8:
		return 2
	case 0.8 <= r && r <= 0.95:
		return 4
	case 0.95 <= r:
		return 8
	}
	return 1
}

// gavelDeadline is a deadline as a multiple of the duration by a draw from [0, 1).
func gavelDeadline(r float64) float64 {
	switch {
	case r < 0.33:
		return 1.2
	case r < 0.67:
		return 2
	}
	return 10
}
