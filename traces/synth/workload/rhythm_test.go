package workload

import (
	"math"
	"strings"
	"testing"
	"time"

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

func logged(jobs []Job) []Recorded {
	out := make([]Recorded, len(jobs))
	for i, j := range jobs {
		out[i] = Recorded{monday.Add(time.Duration(j.Arrival * 1e9)), float64(j.GPUs), j.Duration}
	}
	return out
}

// A fit to generated jobs finds what they were generated from.
func TestFitFindsRhythm(t *testing.T) {
	check := near.Count(t)
	want := known()
	jobs := want.Make(7, monday, 8*7*24*time.Hour)
	got, err := Fit(logged(jobs), true)
	if err != nil {
		t.Fatal(err)
	}
	check.Abs("jobs_per_hour", got.JobsPerHour, want.JobsPerHour, 2)
	check.Abs("burst", got.Burst, want.Burst, 0.04)
	for h := range 24 {
		check.Abs("by_hour", got.Hours[h], want.Hours[h], 0.2)
	}
	for d := range 7 {
		check.Abs("by_weekday", got.Days[d], want.Days[d], 0.12)
	}
	for i, s := range want.Sizes {
		check.Abs("share", got.Sizes[i].Share, s.Share, 0.01)
		for k := 2; k < 19; k++ {
			check.Abs("quantile", math.Log(got.Sizes[i].QuantilesS[k]/s.duration(float64(k)/20)), 0, 0.12)
		}
	}
	check.Abs("tail index", got.Sizes[0].Tail, 1.2, 0.12)
}

// What a fit generates agrees with what it was fitted to.
func TestAgree(t *testing.T) {
	log := logged(known().Make(3, monday, 4*7*24*time.Hour))
	r, err := Fit(log, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Agree(log, 10) {
		if !(a.Generated > 0.8*a.Recorded && a.Generated < 1.25*a.Recorded) {
			t.Errorf("%+v", a)
		}
	}
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
		"quantiles_s has 1":         func(r *Rhythm) { r.Sizes[0] = Size{GPUs: 1, Share: 1, QuantilesS: []float64{5}} },
		"quantiles_s[1] is 4":       func(r *Rhythm) { r.Sizes[0] = Size{GPUs: 1, Share: 1, QuantilesS: []float64{5, 4}} },
		"tail_index is 0.01":        func(r *Rhythm) { r.Sizes[0].Tail = 0.01 },
	} {
		r := known()
		spoil(r)
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Fit(logged(known().Make(1, monday, time.Hour))[:5], true); err == nil {
		t.Error("a fit to five jobs")
	}
}
