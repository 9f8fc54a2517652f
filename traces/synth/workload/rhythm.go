// Package workload makes the jobs of a cluster instead of reading them.
package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/sim"
	"gonum.org/v1/gonum/stat/distuv"
)

// Rhythm is a generator of jobs: arrivals with a rhythm of the day and of the week, gangs of some
// sizes, and durations with a heavy tail. Arrivals are a Poisson process whose rate is
// JobsPerHour by Hours and Days and, where Burst is above 0, by a factor drawn anew for every hour.
type Rhythm struct {
	JobsPerHour float64 `json:"jobs_per_hour" above:"0" max:"1e7" jsonschema:"mean number of jobs in an hour"`
	// Hours and Days are the rates by hour of the day and by day of the week, from Sunday, in parts of the
	// mean: 1 is the mean. Absent: all alike.
	Hours []float64 `json:"by_hour,omitempty" min:"0" max:"1e6" jsonschema:"rates by hour of the day (UTC), 24 numbers in parts of the mean; all alike if absent"`
	Days  []float64 `json:"by_weekday,omitempty" min:"0" max:"1e6" jsonschema:"rates by day of the week, 7 numbers from Sunday in parts of the mean; all alike if absent"`
	// Burst is the variance of the factor of an hour, which is gamma distributed with a mean of 1;
	// 0: none, a Poisson process.
	Burst float64 `json:"burst,omitempty" min:"0" max:"100" jsonschema:"variance of the factor of an hour's rate, whose mean is 1; 0 or absent: none, a Poisson process"`
	Sizes []Size  `json:"sizes" items:"1000" jsonschema:"jobs by number of GPUs"`
}

// Size is the jobs of one number of GPUs.
type Size struct {
	GPUs int `json:"gpus" min:"1" max:"1048576" jsonschema:"GPUs of a job, all at once"`
	// Share need not add up to 1.
	Share float64 `json:"share" above:"0" max:"1e9" jsonschema:"of the jobs, relative to the other sizes"`
	// Durations are lognormal, with this median, s, and standard deviation of the logarithm. The longest 5 % have a
	// Pareto tail of this index; 0: lognormal as the rest.
	MedianS float64 `json:"median_s" above:"0" max:"1e9" jsonschema:"median duration, in seconds"`
	Sigma   float64 `json:"sigma,omitempty" min:"0" max:"10" jsonschema:"standard deviation of the logarithm of the duration"`
	Tail    float64 `json:"tail_index,omitempty" min:"0" max:"100" jsonschema:"index of the Pareto tail of the longest 5 %; 0 or absent: lognormal as the rest"`
	// durations are cut here; 0: at ten years
	MaxS float64 `json:"most_s,omitempty" min:"0" max:"1e9" jsonschema:"longest duration, in seconds; ten years if absent"`
}

// tailFrom is the share of the durations below the Pareto tail.
const tailFrom = 0.95

// The purposes of the generator's random numbers.
const (
	purposeRhythm = sim.PurposeUser + 400 + iota
	purposeSize
	purposeDuration
	purposeBurst
)

// Check reports what a generator cannot be made of. The error names the field.
func (r *Rhythm) Check() error {
	if err := fields.Check(r); err != nil {
		return err
	}
	switch {
	case len(r.Hours) != 0 && len(r.Hours) != 24:
		return fmt.Errorf("by_hour has %d numbers, expected 24", len(r.Hours))
	case len(r.Days) != 0 && len(r.Days) != 7:
		return fmt.Errorf("by_weekday has %d numbers, expected 7, from Sunday", len(r.Days))
	}
	for _, list := range [][]float64{r.Hours, r.Days} {
		if len(list) > 0 && slices.Max(list) == 0 {
			return fmt.Errorf("all rates of the rhythm are 0")
		}
	}
	for i := range r.Sizes {
		if err := r.Sizes[i].check(); err != nil {
			return fmt.Errorf("sizes[%d]: %w", i, err)
		}
	}
	return nil
}

func (s *Size) check() error {
	if s.Tail != 0 && s.Tail < 0.1 {
		return fmt.Errorf("tail_index is %v, expected 0, or 0.1 to 100", s.Tail)
	}
	if s.MaxS != 0 && s.MaxS < 1 {
		return fmt.Errorf("most_s is %v, expected 0, or 1 to 1e9", s.MaxS)
	}
	return nil
}

// Make returns the jobs of a span that begins at an instant, which matters to the rhythm (UTC); the same
// seed makes the same jobs. It panics where Check has an error.
func (r *Rhythm) Make(seed uint64, from time.Time, span time.Duration) (jobs []Job) {
	if err := r.Check(); err != nil {
		panic("workload: " + err.Error())
	}
	rand := sim.Rand{Seed: seed}
	gaps := rand.Stream(purposeRhythm, 0)
	burst := rand.Stream(purposeBurst, 0)
	n := uint64(0)
	for hour := range int(math.Ceil(span.Hours())) {
		rate := r.rate(from.Add(time.Duration(hour)*time.Hour)) * r.factor(burst, uint64(hour))
		for at := 0.0; rate > 0; n++ { // an hour begins anew: the process has no memory
			at += gaps.Exponential(n) / rate
			second := 3600 * (float64(hour) + at)
			if at >= 1 || second >= span.Seconds() {
				n++
				break
			}
			jobs = append(jobs, r.job(rand, uint64(len(jobs)), second))
		}
	}
	return jobs
}

// rate is the mean number of jobs in an hour.
func (r *Rhythm) rate(at time.Time) float64 {
	rate := r.JobsPerHour
	if len(r.Hours) > 0 {
		rate *= r.Hours[at.UTC().Hour()]
	}
	if len(r.Days) > 0 {
		rate *= r.Days[at.UTC().Weekday()]
	}
	return rate
}

// factor is the factor of an hour's rate.
func (r *Rhythm) factor(draws sim.Stream, hour uint64) float64 {
	if r.Burst == 0 {
		return 1
	}
	gamma := distuv.Gamma{Alpha: 1 / r.Burst, Beta: 1 / r.Burst}
	return gamma.Quantile(draws.Uniform(hour))
}

func (r *Rhythm) job(rand sim.Rand, n uint64, at float64) Job {
	all := 0.0
	for i := range r.Sizes {
		all += r.Sizes[i].Share
	}
	draw := all * rand.Uniform(purposeSize, 0, n)
	k := 0
	for draw -= r.Sizes[0].Share; draw >= 0 && k < len(r.Sizes)-1; draw -= r.Sizes[k].Share {
		k++
	}
	s := &r.Sizes[k]
	return Job{Arrival: at, GPUs: s.GPUs, Weight: 1, Duration: s.duration(rand.Uniform(purposeDuration, 0, n))}
}

// duration is the quantile of the durations, s.
func (s *Size) duration(quantile float64) float64 {
	duration := s.lognormal(quantile)
	if s.Tail > 0 && quantile > tailFrom {
		duration = s.lognormal(tailFrom) * math.Pow((1-quantile)/(1-tailFrom), -1/s.Tail)
	}
	const tenYears = 10 * 366 * 86400
	return min(max(duration, 1), cmp.Or(s.MaxS, tenYears))
}

func (s *Size) lognormal(quantile float64) float64 {
	const smallest = 1e-15 // 0 and 1 have no normal number
	inside := min(max(quantile, smallest), 1-smallest)
	return s.MedianS * math.Exp(s.Sigma*math.Sqrt2*math.Erfinv(2*inside-1))
}

// Job is one job that a generator made.
type Job struct {
	Arrival  float64 // s since the beginning
	Kind     string  // key of the table of speeds
	GPUs     int     // all at once
	Steps    float64 // to do: mini-batches a GPU
	Duration float64 // s alone on GPUs of the fastest model
	Weight   float64 // among jobs that share
	// DeadlineFactor is the deadline as a multiple of Duration; 0: none.
	DeadlineFactor float64
}
