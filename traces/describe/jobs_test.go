package describe

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
)

// Three jobs, by numbers that can be worked out by hand: on Thursday, 1 January 1970.
func TestJobs(t *testing.T) {
	const hour = int64(time.Hour / time.Microsecond)
	job := func(at int64, gpus float64, hours int64, status string) traces.JobRow {
		lasts := hours * hour
		return traces.JobRow{T: at * hour, GPUs: gpus, DurationUs: &lasts, QueueUs: &lasts, Status: status}
	}
	s := &traces.Set{Jobs: []traces.JobRow{job(0, 1, 2, "a"), job(1, 4, 3, "b"), job(4, 1, 1, "a")}}
	s.Manifest.ClockKind = traces.ClockUTC
	j := Jobs(s)
	if j.Jobs != 3 || j.Known != 3 || j.GPUHours != 15 || *j.PerHour != 0.5 || *j.GapCV != math.Sqrt((1+1)/2.0)/2 || j.Status["a"] != 2 {
		t.Errorf("%+v", j)
	}
	if z := j.Sizes; len(z) != 2 || z[1].GPUs != 4 || z[1].OfJobs != 1/3.0 || *z[1].OfHours != 12/15.0 {
		t.Errorf("sizes %+v", z)
	}
	if d := j.Duration; *j.Queue != *d || d.P50 != 2 || d.P10 != 1 || d.P99 != 3 || d.Mean != 2 || d.Max != 3 {
		t.Errorf("durations %+v", d)
	}
	if j.Hours[1] != 1 || j.Days[time.Thursday] != 3 || *j.PeakLoad != 5 || *j.MeanLoad != (1+5+4+4)/4.0 {
		t.Errorf("hours %v, days %v, load %v, at most %v", j.Hours, j.Days, *j.MeanLoad, *j.PeakLoad)
	}
	if at, gpus := Load(s.Jobs); len(at) != 5 || at[3] != 4*hour || gpus[3] != 1 || gpus[4] != 0 {
		t.Errorf("load %v at %v", gpus, at)
	}
	s.Manifest.ClockKind = traces.ClockRelative
	if j := Jobs(s); j.Hours != nil || j.Days != nil {
		t.Error("a relative clock has hours of the day")
	}
	if Jobs(&traces.Set{}) != nil {
		t.Error("statistics of no jobs")
	}
}
