package formats

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
)

const jobsHeader = "timestamp,duration,num_gpus,gpu_time,cluster"

// jobsCSV reads lists of jobs drawn from cluster logs.
var jobsCSV = importer{
	Format: Format{
		Name:    "jobs-csv",
		What:    "CSV of jobs as Sia publishes Philly's and Helios's: submission (without a zone, taken as UTC), duration in seconds, GPUs, GPU-seconds, cluster; rows in any order, those that go back in time are counted",
		Example: jobsHeader + "\n2017-10-09 07:01:55,66.0,1,66.0,11cb48",
	},
	version: 1,
	recognise: func(s *source) bool {
		for l := range s.lines() {
			return l.text == jobsHeader
		}
		return false
	},
	read: readJobsCSV,
}

func readJobsCSV(s *source, b *build) error {
	b.clock, b.semantics = traces.ClockUnknownTZ, traces.SemanticsJobs
	b.ignore("cluster")
	odd, rows := 0, 0
	last := int64(0)
	for l := range s.lines() {
		if l.text == jobsHeader {
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
			b.report.OutOfOrder++
		}
		last, rows = j.T, rows+1
		b.addJob(s, j)
	}
	if rows == 0 {
		return s.errorf(0, 0, "has no row below the header")
	}
	if odd > 0 {
		b.notef("%s: gpu_time of %d jobs is not duration times num_gpus; it is not kept", s.base(), odd)
	}
	return nil
}

func (b *build) addJob(s *source, j traces.JobRow) {
	j.SrcFile = s.index
	b.report.Rows++
	b.set.Jobs = append(b.set.Jobs, j)
}

// jobLine reads a job, and whether its GPU-seconds agree with the rest.
func jobLine(l line) (j traces.JobRow, agrees bool, err error) {
	f, column, err := l.fields(5)
	if err != nil {
		return j, false, err
	}
	t, err := time.Parse(dateTime, f[0])
	if err != nil {
		return j, false, l.src.errorf(l.n, column[0], "timestamp %s, expected for instance 2017-10-09 07:01:55", quote(f[0]))
	}
	j.SrcRow = int64(l.n)
	if j.T, err = traces.Instant(t); err != nil {
		return j, false, l.src.errorf(l.n, column[0], "timestamp %s %v", quote(f[0]), err)
	}
	us, err := secondsText(f[1])
	if err != nil {
		return j, false, l.src.errorf(l.n, column[1], "duration %s, %v", quote(f[1]), err)
	}
	j.DurationUs = &us
	if j.GPUs, err = wholeNumber(f[2]); err != nil {
		return j, false, l.src.errorf(l.n, column[2], "num_gpus %s, %v", quote(f[2]), err)
	}
	work, err := secondsText(f[3])
	if err != nil {
		return j, false, l.src.errorf(l.n, column[3], "gpu_time %s, %v", quote(f[3]), err)
	}
	return j, math.Abs(float64(work)-float64(us)*float64(j.GPUs)) <= 1e6, nil
}

// secondsText reads seconds, 0 or more and to the microsecond.
func secondsText(text string) (int64, error) {
	whole, part, dotted := strings.Cut(text, ".")
	part = strings.TrimRight(part, "0")
	if whole == "" || dotted && text[len(text)-1] == '.' || !isDigits(whole) || !isDigits(part) || len(whole) > 10 || len(part) > 6 {
		return 0, errSeconds
	}
	us, err := strconv.ParseInt(whole+part+strings.Repeat("0", 6-len(part)), 10, 64)
	if err != nil || us > traces.MaxInstant {
		return 0, errSeconds
	}
	return us, nil
}
