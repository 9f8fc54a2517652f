package jobs

import (
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// phillyFormat reads the log of Microsoft's cluster.
var phillyFormat = formats.Format{
	Name: "philly-jobs",
	Kind: formats.Jobs,
	What: "job log of Microsoft's Philly clusters (cluster_job_log, one JSON array), local times without a zone, " +
		"taken as UTC. GPUs are those of the first attempt; the duration is the sum of the attempts, without the " +
		"time between them; an attempt that spans the end of summer time on 2017-11-05 counts an hour more than its " +
		"clock says, where it would have ended before it began. Jobs that never ran are left out and counted; the " +
		"status is kept",
	Example: `[{"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [{"start_time": "2017-10-07 01:12:09", ` +
		`"end_time": "2017-10-07 01:13:23", "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1"]}]}], "submitted_time": "2017-10-07 01:11:39", "user": "ce2f4c"}]`,
	Version: 1,
	Recognise: func(s *read.Source) bool {
		return len(s.Head) > 0 && s.Head[0] == '[' && s.Holds(`"submitted_time"`) ||
			s.Holds(`"attempts"`) && s.Holds(`"jobid"`)
	},
	New: func(b *formats.Builder) formats.Importer { return &philly{Builder: b, ids: map[string]bool{}} },
}

func (b *philly) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUnknownTZ, traces.SemanticsJobs
	c, left, last := read.NewCursor(s), formats.Tally{}, int64(0)
	err := c.Array("the log", func() error {
		var j phillyJob
		if err := b.job(c, &j); err != nil {
			return err
		}
		if reason := j.leftOut(); reason != "" {
			left.Add(reason)
			return nil
		}
		if b.ids[j.JobID] {
			return c.Errorf("jobid %s is that of an earlier job as well", read.Quote(j.JobID))
		}
		b.ids[j.JobID] = true
		b.Hold(1)
		if j.attempts > 1 {
			b.several++
			b.between += max(j.last-j.first-j.lasted, 0)
		}
		if j.T < last {
			b.Report.OutOfOrder++
		}
		last = j.T
		j.SrcFile, j.SrcRow = s.Index, int64(c.Line())
		b.AddJob(j.JobRow)
		return nil
	})
	if err == nil && !c.Done() {
		err = c.Errorf("more text follows, expected one array a file")
	}
	noteLeft(b.Builder, s, left)
	return err
}

// Settle says how durations were counted.
func (b *philly) Settle() error {
	if b.several > 0 {
		b.Notef("durations are sums of attempts: %d jobs had more than one, with %.1f h between them in all", b.several,
			time.Duration(b.between*1000).Hours())
	}
	return nil
}

// leftOut says why a job is left out, "" if it is not.
func (j *phillyJob) leftOut() string {
	switch {
	case !j.submitted:
		return "without the time of submission"
	case !j.started || j.lasted == 0:
		return "never ran"
	case j.GPUs == 0:
		return "without a GPU"
	case j.unfinished:
		return "with an attempt that has no end"
	case j.reversed || j.first < j.T:
		return "with an attempt that ended before it began, or began before the submission"
	}
	queue := j.first - j.T
	j.DurationUs, j.QueueUs = &j.lasted, &queue
	return ""
}

// job reads one object of the log.
func (b *philly) job(c *read.Cursor, j *phillyJob) error {
	named := false
	err := c.Object("a job", func(key string) (err error) {
		switch key {
		case "status":
			j.Status, err = optionalName(c, key)
		case "vc":
			j.VC, err = optionalName(c, key)
		case "user":
			j.User, err = optionalName(c, key)
		case "jobid":
			named = true
			j.JobID, err = c.Name(key)
		case "submitted_time":
			j.T, j.submitted, err = instantOf(c, key)
		case "attempts":
			err = c.Array(key, func() error { return b.attempt(c, j) })
		default:
			b.Ignore(key)
			err = c.Skip(key)
		}
		return err
	})
	if err == nil && !named {
		err = c.Errorf("a job without jobid")
	}
	return err
}
