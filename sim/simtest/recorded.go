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

// Span keeps a copy: the span is valid during the call only.
func (d *diary) Span(span *sim.Span) {
	kept := *span
	kept.Pools = append([]sim.PoolSpan(nil), span.Pools...)
	kept.Jobs = append([]sim.JobSpan(nil), span.Jobs...)
	d.spans = append(d.spans, kept)
}

func (d *diary) Decision(v sim.View, plan *sim.Plan, _ bool) {
	for j := range v.Jobs() {
		ask(v.Job(j))
	}
	decision := entry{at: v.Now(), trigger: v.Trigger(), wake: plan.Wake(), why: plan.Reason()}
	for j := range plan.Jobs {
		hold := make([]int, v.Pools())
		for p := range hold {
			hold[p] = plan.Hold(j, p)
		}
		decision.holds = append(decision.holds, hold)
	}
	d.decisions = append(d.decisions, decision)
}

// ask asks what is worked out when it is asked for. A run without a recorder has to be the same: questions change
// nothing.
func ask(j sim.JobView) {
	_ = j.Safe()
	_ = j.SavedLoss()
	_ = j.Loss()
	_ = j.Done()
}

// before returns the decisions before an instant.
func (d *diary) before(at sim.Time) []entry {
	n := 0
	for n < len(d.decisions) && d.decisions[n].at < at {
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
	life := c.held[id]
	switch {
	case what == sim.InstanceGranted && life == nil:
		life = &lifetime{job: j, granted: now}
		c.held[id] = life
	case what == sim.InstanceGranted, life == nil, life.over, life.job != j, now < life.last:
		c.err = fmt.Errorf("%v: event %d of instance %d of pool %d, job %d, after %+v", now.Sub(0), what, n, p, j, life)
		return
	}
	life.last = now
	life.over = what >= sim.InstanceRevoked
	c.counts[what]++
}

// Outage implements sim.InstanceRecorder.
func (*census) Outage(_, _ sim.Time, _, _ int, _ sim.OutageCause) {}
