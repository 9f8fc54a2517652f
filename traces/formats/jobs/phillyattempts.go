package jobs

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

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
