package simtest

import (
	"fmt"

	"github.com/marigram/marigram/sim"
)

// diary keeps what a recorder receives.
type diary struct {
	spans     []sim.Span
	decisions []entry
}

type entry struct {
	at      sim.Time
	trigger sim.Trigger
	holds   [][]int
	wake    sim.Time
	why     string
}

func (d *diary) Span(s *sim.Span) {
	c := *s
	c.Pools, c.Jobs = append([]sim.PoolSpan(nil), s.Pools...), append([]sim.JobSpan(nil), s.Jobs...)
	d.spans = append(d.spans, c)
}

func (d *diary) Decision(v sim.View, plan *sim.Plan, _ bool) {
	for j := range v.Jobs() {
		ask(v.Job(j))
	}
	e := entry{at: v.Now(), trigger: v.Trigger(), wake: plan.Wake(), why: plan.Reason()}
	for j := range plan.Jobs {
		hold := make([]int, v.Pools())
		for p := range hold {
			hold[p] = plan.Hold(j, p)
		}
		e.holds = append(e.holds, hold)
	}
	d.decisions = append(d.decisions, e)
}

// ask asks what is worked out when it is asked for. A run without a recorder has to be the same: questions change nothing.
func ask(j sim.JobView) {
	_, _, _, _ = j.Safe(), j.SavedLoss(), j.Loss(), j.Done()
}

// before returns the decisions before an instant.
func (d *diary) before(t sim.Time) []entry {
	n := 0
	for n < len(d.decisions) && d.decisions[n].at < t {
		n++
	}
	return d.decisions[:n]
}

// census is a diary that receives events of instances, and keeps what they did.
type census struct {
	diary
	held   map[[2]int]*lifetime // by pool and number
	counts [sim.InstanceReleased + 1]int64
	err    error
}

type lifetime struct {
	job           int
	granted, last sim.Time
	over          bool
}

func (c *census) Instance(now sim.Time, j, p, n int, what sim.InstanceEvent) {
	id := [2]int{p, n}
	x := c.held[id]
	switch {
	case what == sim.InstanceGranted && x == nil:
		x = &lifetime{job: j, granted: now}
		c.held[id] = x
	case what == sim.InstanceGranted, x == nil, x.over, x.job != j, now < x.last:
		c.err = fmt.Errorf("%v: event %d of instance %d of pool %d, job %d, after %+v", now.Sub(0), what, n, p, j, x)
		return
	}
	x.last, x.over = now, what >= sim.InstanceRevoked
	c.counts[what]++
}

// Task implements sim.InstanceRecorder.
func (*census) Task(_, _ sim.Time, _, _, _, _ int, _ sim.InstanceEvent) {}

// Outage implements sim.InstanceRecorder.
func (*census) Outage(_, _ sim.Time, _, _ int, _ sim.OutageCause) {}
