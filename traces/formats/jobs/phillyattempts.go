package jobs

import (
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// optionalName reads a name that may be null or empty.
func optionalName(c *read.Cursor, what string) (string, error) {
	s, err := optionalText(c, what)
	if err == nil && s != "" {
		if bad := read.CheckName(s); bad != nil {
			err = c.Errorf("%s %s, %v", what, read.Quote(s), bad)
		}
	}
	return s, err
}

// instantOf reads a date and time, false for none: null, "" or "None".
func instantOf(c *read.Cursor, what string) (int64, bool, error) {
	s, err := optionalText(c, what)
	if err != nil {
		return 0, false, err
	}
	us, there, bad := calendar(s)
	if bad != nil {
		return 0, false, c.Errorf("%s %s, %v", what, read.Quote(s), bad)
	}
	return us, there, nil
}

// optionalText reads a string, "" for null.
func optionalText(c *read.Cursor, what string) (string, error) {
	if c.Ahead() == '"' {
		return c.Text(what, traces.MaxName)
	}
	tok, err := c.Next()
	if err == nil && tok != nil {
		err = c.Errorf("%s is %s, expected a string or null", what, read.Describe(tok))
	}
	return "", err
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
	err := c.Object("an attempt", func(key string) (err error) {
		switch key {
		case "start_time":
			a.start, a.starts, err = instantOf(c, key)
		case "end_time":
			a.end, a.ends, err = instantOf(c, key)
		case "detail":
			err = c.Array(key, func() error { return b.server(c, &a) })
		default:
			b.Ignore(key)
			err = c.Skip(key)
		}
		return err
	})
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
	j.started, j.last = true, max(j.last, a.end)
	j.lasted += a.end - a.start
}

// server reads what an attempt had on one server.
func (b *philly) server(c *read.Cursor, a *attempt) error {
	a.servers++
	return c.Object("detail", func(key string) error {
		if key != "gpus" {
			if key != "ip" { // a name of a server, of no use here
				b.Ignore(key)
			}
			return c.Skip(key)
		}
		return c.Array(key, func() error {
			if a.gpus++; a.gpus > traces.MaxMachines {
				return c.Errorf("an attempt of more than %d GPUs", traces.MaxMachines)
			}
			return c.Skip(key)
		})
	})
}
