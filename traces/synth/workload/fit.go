package workload

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
)

// Recorded is one job of a log.
type Recorded struct {
	At       time.Time
	GPUs     float64
	Duration float64 // s; 0: not recorded
}

// The least that a fit needs.
const (
	minJobs = 100 // with a duration
	minSize = 30  // jobs of a size that has durations of its own; others have those of all
	minTail = 50  // durations in a tail that is fitted
)

// Fit fits a rhythm to the jobs of a log, in any order. dated says that its clock is that of a
// calendar: else there is no rhythm. Jobs without GPUs or duration count as arrivals only. Durations
// have the quantiles of the log; the tail index is Hill's estimate above the 95th percentile (B. M. Hill, Annals
// of Statistics 3, 1975), and the burst is the excess of the variance of hourly counts over that of a Poisson
// process.
func Fit(jobs []Recorded, dated bool) (*Rhythm, error) {
	bySize, all := map[int][]float64{}, []float64(nil)
	for _, j := range jobs {
		if n := int(math.Round(j.GPUs)); n >= 1 && j.Duration > 0 {
			bySize[n] = append(bySize[n], j.Duration)
			all = append(all, j.Duration)
		}
	}
	if len(all) < minJobs {
		return nil, fmt.Errorf("%d jobs with GPUs and a duration, expected at least %d", len(all), minJobs)
	}
	r := &Rhythm{}
	r.fitArrivals(jobs, dated)
	common := fitDurations(all)
	sizes := make([]int, 0, len(bySize))
	for n := range bySize {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	for _, n := range sizes {
		s := common
		if len(bySize[n]) >= minSize {
			s = fitDurations(bySize[n])
		}
		s.GPUs, s.Share = n, float64(len(bySize[n]))/float64(len(all))
		r.Sizes = append(r.Sizes, s)
	}
	return r, r.Check()
}

// fitDurations fits the durations of one size.
func fitDurations(x []float64) Size {
	x = slices.Sorted(slices.Values(x))
	at := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, x, nil) }
	s := Size{MaxS: max(x[len(x)-1], 1)}
	for k := range 20 {
		s.QuantilesS = append(s.QuantilesS, max(at(float64(k)/20), 1))
	}
	tail := x[int(tailFrom*float64(len(x))):]
	if len(tail) < minTail {
		return s
	}
	sum := 0.0
	for _, v := range tail {
		sum += math.Log(v / tail[0])
	}
	if sum > 0 {
		s.Tail = min(max(float64(len(tail)-1)/sum, 0.1), 100)
	}
	return s
}

// fitArrivals fits rate, rhythm and burst.
func (r *Rhythm) fitArrivals(jobs []Recorded, dated bool) {
	first, last := slices.MinFunc(jobs, byTime).At, slices.MaxFunc(jobs, byTime).At
	begin := first.UTC().Truncate(time.Hour)
	counts := make([]float64, int(last.Sub(begin).Hours())+1)
	for _, j := range jobs {
		counts[int(j.At.Sub(begin).Hours())]++
	}
	r.JobsPerHour = float64(len(jobs)) / max(last.Sub(first).Hours(), 1)
	if dated && len(counts) >= 48 {
		r.Hours = parts(counts, begin, 24, func(t time.Time) int { return t.Hour() })
	}
	if dated && len(counts) >= 14*24 {
		r.Days = parts(counts, begin, 7, func(t time.Time) int { return int(t.Weekday()) })
	}
	excess, squares := 0.0, 0.0
	for k, n := range counts {
		mean := r.rate(begin.Add(time.Duration(k) * time.Hour))
		excess += (n-mean)*(n-mean) - mean
		squares += mean * mean
	}
	if squares > 0 {
		r.Burst = min(max(excess/squares, 0), 100)
	}
}

func byTime(a, b Recorded) int { return a.At.Compare(b.At) }

// parts are the means of the counts by a part of the calendar, relative to the mean of all.
func parts(counts []float64, begin time.Time, n int, of func(time.Time) int) []float64 {
	sum, hours := make([]float64, n), make([]float64, n)
	for k, c := range counts {
		at := of(begin.Add(time.Duration(k) * time.Hour))
		sum[at] += c
		hours[at]++
	}
	all := stat.Mean(counts, nil)
	for i := range sum {
		sum[i] /= max(hours[i], 1) * all
	}
	return sum
}

// Agreement compares a number of a log with that of generated jobs.
type Agreement struct {
	What      string  `json:"what"`
	Unit      string  `json:"unit"`
	Recorded  float64 `json:"recorded"`
	Generated float64 `json:"generated"` // mean over the seeds
	Low       float64 `json:"low"`       // least and greatest of the seeds
	High      float64 `json:"high"`
}

// Agree generates jobs of the span of a log, under some seeds from 1, and compares them with it.
func (r *Rhythm) Agree(jobs []Recorded, seeds int) []Agreement {
	from := slices.MinFunc(jobs, byTime).At
	recorded := make([]Job, len(jobs))
	end := 0.0
	for i, j := range jobs {
		recorded[i] = Job{Arrival: j.At.Sub(from).Seconds(), GPUs: int(math.Round(j.GPUs)), Duration: j.Duration}
		end = max(end, recorded[i].Arrival)
	}
	span := time.Duration((end + 1) * 1e9)
	want := numbersOf(recorded, span)
	for seed := range seeds {
		got := numbersOf(r.Make(uint64(seed)+1, from, span), span)
		for i := range want {
			x := got[i].Recorded
			want[i].Generated += x / float64(seeds)
			if seed == 0 || x < want[i].Low {
				want[i].Low = x
			}
			if seed == 0 || x > want[i].High {
				want[i].High = x
			}
		}
	}
	return want
}

// numbersOf are what logs are compared by.
func numbersOf(jobs []Job, span time.Duration) []Agreement {
	var gpus, hours []float64
	gpuHours := 0.0
	counts := make([]float64, int(span.Hours())+1)
	for _, j := range jobs {
		counts[int(j.Arrival/3600)]++
		if j.GPUs >= 1 && j.Duration > 0 {
			gpus, hours = append(gpus, float64(j.GPUs)), append(hours, j.Duration/3600)
			gpuHours += float64(j.GPUs) * j.Duration / 3600
		}
	}
	slices.Sort(hours)
	q := func(p float64) float64 {
		if len(hours) == 0 {
			return 0
		}
		return stat.Quantile(p, stat.LinInterp, hours, nil)
	}
	mean, sd := stat.MeanStdDev(counts, nil)
	return []Agreement{{What: "jobs", Recorded: float64(len(jobs))}, {What: "standard deviation of the jobs of an hour, by the mean",
		Recorded: sd / max(mean, 1e-9)},
		{What: "jobs of the busiest hour", Recorded: slices.Max(counts)}, {What: "mean GPUs of a job", Recorded: stat.Mean(gpus, nil)},
		{What: "duration, 10 %", Unit: "h", Recorded: q(0.1)}, {What: "duration, median", Unit: "h", Recorded: q(0.5)},
		{What: "duration, 90 %", Unit: "h", Recorded: q(0.9)}, {What: "duration, 99 %", Unit: "h", Recorded: q(0.99)},
		{What: "GPU-hours", Unit: "h", Recorded: gpuHours}}
}
