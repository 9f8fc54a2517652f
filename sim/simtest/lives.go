package simtest

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
)

// census is told of instances and keeps what they did.
type census struct {
	diary
	lives  map[[2]int]*life // by pool and number
	counts [sim.InstanceReleased + 1]int64
	err    error
}

type life struct {
	job           int
	granted, last sim.Time
	over          bool
}

func (c *census) Instance(now sim.Time, j, p, n int, what sim.InstanceEvent) {
	id := [2]int{p, n}
	x := c.lives[id]
	switch {
	case what == sim.InstanceGranted && x == nil:
		x = &life{job: j, granted: now}
		c.lives[id] = x
	case what == sim.InstanceGranted, x == nil, x.over, x.job != j, now < x.last:
		c.err = fmt.Errorf("%v: event %d of instance %d of pool %d, job %d, after %+v", now.Sub(0), what, n, p, j, x)
		return
	}
	x.last, x.over = now, what >= sim.InstanceRevoked
	c.counts[what]++
}

// lives compares what a recorder is told of instances with the books.
func lives(policy NewPolicy, seed uint64, jobs []sim.Job) error {
	m := Market(seed, suiteSpan, sim.Never)
	c := census{lives: map[[2]int]*life{}}
	t := run(policy, m, seed, jobs, &c)
	var held, booked time.Duration
	for _, x := range c.lives {
		if !x.over {
			x.last = t.End
		}
		held += x.last.Sub(x.granted)
	}
	for _, j := range t.Jobs {
		booked += j.InstanceTime
	}
	switch n := c.counts; {
	case c.err != nil:
		return c.err
	case n[sim.InstanceGranted] != t.Grants, n[sim.InstanceNoticed] != t.Notices, n[sim.InstanceRevoked] != t.Preemptions:
		return fmt.Errorf("told of grants, ready, notices, revocations, releases %v; the totals say %d grants, %d notices, %d preemptions", n, t.Grants, t.Notices, t.Preemptions)
	case held != booked:
		return fmt.Errorf("instances lived for %v, %v is booked", held, booked)
	}
	return nil
}
