package jobs

import (
	"math"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

const jobsHeader = "timestamp,duration,num_gpus,gpu_time,cluster"

// csvFormat reads lists of jobs drawn from cluster logs.
var csvFormat = formats.Format{
	Name: "jobs-csv",
	Kind: formats.Jobs,
	What: "CSV of jobs as Sia publishes Philly's and Helios's: submission (without a zone, taken as UTC), " +
		"duration in seconds, GPUs, GPU-seconds, cluster; rows in any order, those that go back in time are counted",
	Example:   jobsHeader + "\n2017-10-09 07:01:55,66.0,1,66.0,11cb48",
	Version:   2,
	Clock:     traces.ClockUnknownTZ,
	Recognise: func(s *read.Source) bool { return s.FirstRecord() == jobsHeader },
	New:       func(b *formats.Builder) formats.Importer { return submissions{b} },
}

// submissions reads lists of jobs.
type submissions struct{ *formats.Builder }

func (b submissions) Read(s *read.Source) error {
	odd := 0
	last := int64(0)
	for r := range s.Table() {
		j, agrees := jobOf(r)
		if r.Err != nil {
			return r.Err
		}
		if !agrees {
			odd++
		}
		if j.T < last {
			b.Report.OutOfOrder++
		}
		last = j.T
		b.AddJob(j)
	}
	if odd > 0 {
		b.Notef("%s: gpu_time of %d jobs is not duration times num_gpus; it is not kept", s.Base(), odd)
	}
	return nil
}

// jobOf reads a job, and whether its GPU-seconds agree with the rest.
func jobOf(r *read.Row) (j traces.JobRow, agrees bool) {
	us := read.Field(r, "duration", read.Seconds)
	work := read.Field(r, "gpu_time", read.Seconds)
	j = traces.JobRow{
		T:          read.Field(r, "timestamp", readTime),
		DurationUs: &us,
		GPUs:       float64(read.Field(r, "num_gpus", read.WholeNumber)),
		VC:         r.MaybeName("cluster"),
		SrcFile:    r.Source.Index,
		SrcRow:     int64(r.Line),
	}
	return j, math.Abs(float64(work)-float64(us)*j.GPUs) <= 1e6
}

var readTime = read.Calendar(time.DateTime, "2017-10-09 07:01:55")
