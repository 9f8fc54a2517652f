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
	Example: `[{"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", ` +
		`"attempts": [{"start_time": "2017-10-07 01:12:09", ` +
		`"end_time": "2017-10-07 01:13:23", "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1"]}]}], ` +
		`"submitted_time": "2017-10-07 01:11:39", "user": "ce2f4c"}]`,
	Version: 1,
	Clock:   traces.ClockUnknownTZ,
	Recognise: func(s *read.Source) bool {
		return len(s.Head) > 0 && s.Head[0] == '[' && s.Holds(`"submitted_time"`) ||
			s.Holds(`"attempts"`) && s.Holds(`"jobid"`)
	},
	New: func(b *formats.Builder) formats.Importer { return &philly{Builder: b, ids: map[string]bool{}} },
}

func (b *philly) Read(s *read.Source) error {
	c := read.NewCursor(s)
	left := formats.Tally{}
	last := int64(0)
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
		j.SrcFile = s.Index
		j.SrcRow = int64(c.Line())
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
	j.DurationUs = &j.lasted
	j.QueueUs = &queue
	return ""
}

// job reads one object of the log.
func (b *philly) job(c *read.Cursor, j *phillyJob) error {
	err := c.Fields("a job", read.Fields{
		"status":         read.To(&j.Status, c.NameOrNull),
		"vc":             read.To(&j.VC, c.NameOrNull),
		"user":           read.To(&j.User, c.NameOrNull),
		"jobid":          read.To(&j.JobID, c.Name),
		"submitted_time": func(key string) (err error) { j.T, j.submitted, err = instantOf(c, key); return err },
		"attempts":       c.Each(func() error { return b.attempt(c, j) }),
	}, b.Ignore)
	if err == nil && j.JobID == "" {
		err = c.Errorf("a job without jobid")
	}
	return err
}

// instantOf reads a date and time, false for none: null, "" or "None".
func instantOf(c *read.Cursor, what string) (int64, bool, error) {
	s, err := c.TextOrNull(what)
	if err != nil {
		return 0, false, err
	}
	us, there, bad := calendar(s)
	if bad != nil {
		return 0, false, c.Errorf("%s %s, %v", what, read.Quote(s), bad)
	}
	return us, there, nil
}

const hourUs = 3600e6

// summerEnds is 2017-11-05 01:00:00 by the clock, us: an hour later the clock showed it again.
var summerEnds = time.Date(2017, 11, 5, 1, 0, 0, 0, time.UTC).UnixMicro()

// philly reads logs of jobs.
type philly struct {
	*formats.Builder
	ids map[string]bool

	several int   // jobs of more than one attempt
	between int64 // time between their attempts, us
}

// phillyJob is a job of the log.
type phillyJob struct {
	traces.JobRow
	submitted, started   bool
	first, last, lasted  int64 // us: first start, last end, sum of the attempts
	attempts             int
	unfinished, reversed bool
}

// attempt is one try to run a job.
type attempt struct {
	start, end   int64
	starts, ends bool
	gpus         int
	servers      int32
}

// attempt reads one attempt, and adds it to the job.
func (b *philly) attempt(c *read.Cursor, j *phillyJob) error {
	var a attempt
	err := c.Fields("an attempt", read.Fields{
		"start_time": func(key string) (err error) { a.start, a.starts, err = instantOf(c, key); return err },
		"end_time":   func(key string) (err error) { a.end, a.ends, err = instantOf(c, key); return err },
		"detail":     c.Each(func() error { return b.server(c, &a) }),
	}, b.Ignore)
	if j.attempts == 0 {
		j.GPUs = float64(a.gpus)
		j.Tasks = &a.servers
	}
	j.attempts++
	j.add(&a)
	return err
}

// add adds an attempt to what the job has run.
func (j *phillyJob) add(a *attempt) {
	if !a.starts {
		return // it never ran
	}
	if a.ends && a.end < a.start && a.end >= summerEnds && a.end < summerEnds+2*int64(hourUs) {
		a.end += int64(hourUs)
	}
	switch {
	case !a.ends:
		j.unfinished = true
		return
	case a.end < a.start:
		j.reversed = true
		return
	}
	if !j.started || a.start < j.first {
		j.first = a.start
	}
	j.started = true
	j.last = max(j.last, a.end)
	j.lasted += a.end - a.start
}

// server reads what an attempt had on one server.
func (b *philly) server(c *read.Cursor, a *attempt) error {
	a.servers++
	return c.Fields("detail", read.Fields{
		"gpus": c.Each(func() error {
			if a.gpus++; a.gpus > traces.MaxMachines {
				return c.Errorf("an attempt of more than %d GPUs", traces.MaxMachines)
			}
			return c.Skip("gpus")
		}),
		"ip": c.Skip, // a name of a server, of no use here
	}, b.Ignore)
}
