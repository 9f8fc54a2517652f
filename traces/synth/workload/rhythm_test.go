package workload

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/internal/near"
)

// known is a cluster with a working day, a quiet weekend and three sizes of job.
func known() *Rhythm {
	r := &Rhythm{JobsPerHour: 60, Burst: 0.2, Days: []float64{0.4, 1.2, 1.25, 1.3, 1.25, 1.2, 0.4}, Sizes: []Size{
		{GPUs: 1, Share: 0.7, MedianS: 600, Sigma: 1.5, Tail: 1.2, MaxS: 1e7}, {GPUs: 4, Share: 0.2, MedianS: 3600, Sigma: 2, MaxS: 1e7},
		{GPUs: 8, Share: 0.1, MedianS: 7200, Sigma: 1}}}
	for h := range 24 {
		r.Hours = append(r.Hours, 1+0.6*math.Sin(2*math.Pi*float64(h-9)/24))
	}
	return r
}

var monday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// Generated jobs come and last as the numbers of their generator say, over eight weeks.
func TestRhythmGeneratesWhatItSays(t *testing.T) {
	check := near.Count(t)
	want := known()
	const weeks = 8
	jobs := want.Make(7, monday, weeks*7*24*time.Hour)
	var byHour [24]float64
	var byDay [7]float64
	counts := make([]float64, weeks*7*24)
	durations := map[int][]float64{}
	for _, j := range jobs {
		at := monday.Add(time.Duration(j.Arrival * 1e9))
		byHour[at.Hour()]++
		byDay[at.Weekday()]++
		counts[int(j.Arrival/3600)]++
		durations[j.GPUs] = append(durations[j.GPUs], j.Duration)
	}
	all := float64(len(jobs))
	check.Abs("jobs_per_hour", all/float64(len(counts)), want.JobsPerHour, 2)
	for h := range byHour {
		check.Abs("by_hour", 24*byHour[h]/all, want.Hours[h], 0.2)
	}
	for d := range byDay {
		check.Abs("by_weekday", 7*byDay[d]/all, want.Days[d], 0.12)
	}
	excess := 0.0
	squares := 0.0
	for hour, n := range counts {
		mean := want.rate(monday.Add(time.Duration(hour) * time.Hour))
		excess += (n-mean)*(n-mean) - mean
		squares += mean * mean
	}
	check.Abs("burst", excess/squares, want.Burst, 0.04)
	for _, size := range want.Sizes {
		of := durations[size.GPUs]
		slices.Sort(of)
		check.Abs("share", float64(len(of))/all, size.Share, 0.01)
		for k := 2; k < 19; k++ {
			u := float64(k) / 20
			check.Abs("quantile", math.Log(stat.Quantile(u, stat.LinInterp, of, nil)/size.duration(u)), 0, 0.12)
		}
	}
	// Hill's estimate (B. M. Hill, Annals of Statistics 3, 1975).
	ofOne := durations[1]
	tail := ofOne[int(tailFrom*float64(len(ofOne))):]
	sum := 0.0
	for _, x := range tail {
		sum += math.Log(x / tail[0])
	}
	check.Abs("tail index", float64(len(tail)-1)/sum, 1.2, 0.12)
}

func TestRhythmIsAFunctionOfItsSeed(t *testing.T) {
	check := near.Count(t)
	r := known()
	a, b, c := r.Make(1, monday, 48*time.Hour), r.Make(1, monday, 24*time.Hour), r.Make(2, monday, 24*time.Hour)
	for i := range b {
		if a[i] != b[i] {
			t.Fatalf("a longer span changes job %d: %+v, %+v", i, a[i], b[i])
		}
	}
	if len(c) == len(b) && c[0] == b[0] {
		t.Error("another seed makes the same jobs")
	}
	for i := range a {
		if i > 0 && check.Below(a[i].Arrival, a[i-1].Arrival) || !(a[i].Arrival < 48*3600) || check.Below(a[i].Duration, 1) {
			t.Fatalf("job %d: %+v", i, a[i])
		}
	}
}

func TestRhythmRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*Rhythm){
		"jobs_per_hour: NaN":        func(r *Rhythm) { r.JobsPerHour = math.NaN() },
		"by_hour has 3 numbers":     func(r *Rhythm) { r.Hours = r.Hours[:3] },
		"by_weekday has 1":          func(r *Rhythm) { r.Days = r.Days[:1] },
		"all rates":                 func(r *Rhythm) { clear(r.Days) },
		"burst: -1, expected":       func(r *Rhythm) { r.Burst = -1 },
		"sizes is missing":          func(r *Rhythm) { r.Sizes = nil },
		"sizes[1]: gpus is missing": func(r *Rhythm) { r.Sizes[1].GPUs = 0 },
		"median_s is missing":       func(r *Rhythm) { r.Sizes[0].MedianS = 0 },
		"tail_index is 0.01":        func(r *Rhythm) { r.Sizes[0].Tail = 0.01 },
	} {
		r := known()
		spoil(r)
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
