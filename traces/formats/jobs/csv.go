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
	Recognise: func(s *read.Source) bool { return s.First() == jobsHeader },
	New:       func(b *formats.Builder) formats.Importer { return csv{b} },
}

// csv reads lists of jobs.
type csv struct{ *formats.Builder }

func (b csv) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUnknownTZ, traces.SemanticsJobs
	odd, rows := 0, 0
	last := int64(0)
	for l := range s.Records() {
		if l.Plain() == jobsHeader {
			continue
		}
		j, agrees, err := jobLine(l)
		if err != nil {
			return err
		}
		if !agrees {
			odd++
		}
		if j.T < last {
			b.Report.OutOfOrder++
		}
		last, rows = j.T, rows+1
		j.SrcFile = s.Index
		b.AddJob(j)
	}
	if rows == 0 {
		return s.Errorf(0, 0, "has no row below the header")
	}
	if odd > 0 {
		b.Notef("%s: gpu_time of %d jobs is not duration times num_gpus; it is not kept", s.Base(), odd)
	}
	return nil
}

// jobLine reads a job, and whether its GPU-seconds agree with the rest.
func jobLine(l read.Line) (j traces.JobRow, agrees bool, err error) {
	r := l.Row(5)
	j.SrcRow = int64(l.Number)
	j.T = read.Field(r, 0, "timestamp %s%v", readTime)
	us := read.Field(r, 1, "duration %s, %v", read.Seconds)
	j.DurationUs, j.GPUs = &us, float64(read.Field(r, 2, "num_gpus %s, %v", read.WholeNumber))
	work := read.Field(r, 3, "gpu_time %s, %v", read.Seconds)
	if r.Err == nil && r.Text[4] != "" {
		j.VC = r.Name(4, "cluster %s, %v")
	}
	return j, math.Abs(float64(work)-float64(us)*j.GPUs) <= 1e6, r.Err
}

var readTime = read.Calendar(time.DateTime, "2017-10-09 07:01:55")
