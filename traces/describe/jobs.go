package describe

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// JobStatistics describes the jobs of a cluster's log. What the log does not say is absent.
type JobStatistics struct {
	Jobs     int            `json:"jobs"`
	Known    int            `json:"jobs_with_duration"`
	GPUHours float64        `json:"gpu_hours"`            // of those
	PerHour  *float64       `json:"jobs_per_hour"`        // from the first submission to the last
	GapCV    *float64       `json:"gap_cv,omitempty"`     // coefficient of variation of the gaps between submissions
	Sizes    []SizeShare    `json:"sizes"`                // by GPUs, ascending
	Duration *JobQuantiles  `json:"duration_h,omitempty"` // hours
	Queue    *JobQuantiles  `json:"queue_h,omitempty"`    // hours, as recorded
	Status   map[string]int `json:"status,omitempty"`
	// Hours and Days count submissions by hour of the day, from 0 to 23, and by day of the
	// week, from Sunday; absent where the clock is relative.
	Hours []int `json:"by_hour,omitempty"`
	Days  []int `json:"by_weekday,omitempty"`
	// MeanLoad and PeakLoad are the GPUs that jobs would use if each ran at its submission,
	// over the hours from the first submission to the last.
	MeanLoad *float64 `json:"mean_load_gpus,omitempty"`
	PeakLoad *float64 `json:"peak_load_gpus,omitempty"`
}

// SizeShare is the jobs of one number of GPUs.
type SizeShare struct {
	GPUs    float64  `json:"gpus"`
	Jobs    int      `json:"jobs"`
	OfJobs  float64  `json:"of_jobs"`
	OfHours *float64 `json:"of_gpu_hours,omitempty"`
}

// JobQuantiles are quantiles of a length of time, and its mean.
type JobQuantiles struct {
	P10  float64 `json:"p10"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// Jobs describes the jobs of a set, nil if it has none.
func Jobs(s *traces.Set) *JobStatistics {
	if len(s.Jobs) == 0 {
		return nil
	}
	out := &JobStatistics{Jobs: len(s.Jobs), Status: map[string]int{}}
	sizes := map[float64]*SizeShare{}
	hours := map[float64]float64{}
	var durations, queues []float64
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if sizes[j.GPUs] == nil {
			sizes[j.GPUs] = &SizeShare{GPUs: j.GPUs}
		}
		sizes[j.GPUs].Jobs++
		if j.DurationUs != nil {
			h := float64(*j.DurationUs) / series.HourUs
			durations = append(durations, h)
			hours[j.GPUs] += h * j.GPUs
			out.GPUHours += h * j.GPUs
		}
		if j.QueueUs != nil {
			queues = append(queues, float64(*j.QueueUs)/series.HourUs)
		}
		if j.Status != "" {
			out.Status[j.Status]++
		}
	}
	for _, size := range sizes {
		size.OfJobs = float64(size.Jobs) / float64(out.Jobs)
		size.OfHours = ratio(hours[size.GPUs], out.GPUHours)
		out.Sizes = append(out.Sizes, *size)
	}
	slices.SortFunc(out.Sizes, func(a, b SizeShare) int { return cmp.Compare(a.GPUs, b.GPUs) })
	out.Known = len(durations)
	out.Duration = jobQuantiles(durations)
	out.Queue = jobQuantiles(queues)
	out.addArrivals(s)
	out.addLoad(s.Jobs)
	return out
}

// addArrivals describes when jobs are submitted.
func (out *JobStatistics) addArrivals(s *traces.Set) {
	n := len(s.Jobs)
	span := float64(s.Jobs[n-1].T-s.Jobs[0].T) / series.HourUs
	out.PerHour = ratio(float64(n-1), span)
	if mean := span / float64(max(n-1, 1)); mean > 0 {
		var sum float64
		for i := 1; i < n; i++ {
			d := float64(s.Jobs[i].T-s.Jobs[i-1].T)/series.HourUs - mean
			sum += d * d
		}
		out.GapCV = new(math.Sqrt(sum/float64(n-1)) / mean)
	}
	if s.Manifest.ClockKind == traces.ClockRelative {
		return
	}
	out.Hours = make([]int, 24)
	out.Days = make([]int, 7)
	for i := range s.Jobs {
		t := time.UnixMicro(s.Jobs[i].T).UTC()
		out.Hours[t.Hour()]++
		out.Days[t.Weekday()]++
	}
}

// Load returns how many GPUs jobs would use if each ran at its submission: a step at
// every change, us UTC and GPUs.
func Load(jobs []traces.JobRow) (at []int64, gpus []float64) {
	type change struct {
		t  int64
		by float64
	}
	var changes []change
	for i := range jobs {
		if j := &jobs[i]; j.DurationUs != nil && *j.DurationUs > 0 {
			changes = append(changes, change{j.T, j.GPUs}, change{j.T + *j.DurationUs, -j.GPUs})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.t, b.t) })
	now := 0.0
	for i, c := range changes {
		now += c.by
		if i+1 == len(changes) || changes[i+1].t != c.t {
			at = append(at, c.t)
			gpus = append(gpus, max(now, 0))
		}
	}
	return at, gpus
}

// addLoad describes the load between the first submission and the last.
func (out *JobStatistics) addLoad(jobs []traces.JobRow) {
	at, gpus := Load(jobs)
	if len(at) == 0 {
		return
	}
	end := jobs[len(jobs)-1].T
	var sum, peak float64
	for i := range at {
		if at[i] > end {
			break
		}
		until := end
		if i+1 < len(at) {
			until = min(end, at[i+1])
		}
		sum += gpus[i] * float64(until-at[i])
		peak = max(peak, gpus[i])
	}
	out.MeanLoad = ratio(sum, float64(end-at[0]))
	out.PeakLoad = &peak
}

// jobQuantiles describes lengths of time, nil for none.
func jobQuantiles(x []float64) *JobQuantiles {
	if len(x) == 0 {
		return nil
	}
	slices.Sort(x)
	return &JobQuantiles{
		P10:  stats.NearestRank(x, 0.1),
		P50:  stats.NearestRank(x, 0.5),
		P90:  stats.NearestRank(x, 0.9),
		P99:  stats.NearestRank(x, 0.99),
		Mean: stats.Mean(x),
		Max:  x[len(x)-1],
	}
}
