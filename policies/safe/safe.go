package safe

import (
	"cmp"
	"time"

	"github.com/marigram/marigram/policies/internal/kit"
	"github.com/marigram/marigram/sim"
)

// Safe is the safe form of Base.
type Safe struct {
	Base sim.Policy
	As   string // its name; empty is "safe:" and the name of the base

	Reserve time.Duration `set:"reserve_s" min:"1" max:"86400" doc:"time that is kept for boots that take longer than their mean"`
	Size    int           `set:"on_demand_instances" min:"0" max:"4096" doc:"number of instances on demand that are reckoned with: fewer cost less, but on demand begins earlier; 0 takes the smallest that leaves the share slack of the time"`
	Slack   float64       `set:"slack" min:"0" max:"0.9" doc:"share of the objective's time that the number on demand which is reckoned with leaves; without effect if on_demand_instances is set"`

	grain     float64 // seconds that it does not look again, at least (SetRough)
	workers   workers
	pipelines pipelines
	lost      lost
	clock     clock // of the job that is looked at
}

// Prefix stands before the name of a base policy in the name of its safe form.
const Prefix = "safe:"

// New returns the safe form of a policy with the default settings. It panics for an
// oracle, which knows what it needs to know.
func New(base sim.Policy) *Safe {
	if _, oracle := base.(sim.Oracle); oracle {
		panic("safe: New: the base is an oracle")
	}
	return &Safe{Base: base, Reserve: 5 * time.Minute, Slack: 0.22}
}

// longest is the time after which the policy looks again: rates and prices are means.
const longest = 10 * time.Minute

// patience is how long a pool on demand may keep a request waiting before others are
// asked.
const patience = time.Minute

// Name implements sim.Policy.
func (s *Safe) Name() string { return cmp.Or(s.As, Prefix+s.Base.Name()) }

// Unwrap returns the policy within.
func (s *Safe) Unwrap() sim.Policy { return s.Base }

// Decide implements sim.Policy. The base is asked for all jobs at once, if it has one.
func (s *Safe) Decide(v sim.View, plan *sim.Plan) {
	jobs, leaves, spare := v.ActiveJobs(), false, s.sparesAtMost(v)
	for _, j := range jobs {
		c := s.look(v, j, plan)
		spare = min(spare, s.spares(v, j, c))
		if leaves = leaves || c.action() == leave; leaves && spare <= 0 {
			break
		}
	}
	switch {
	case spare > 0 && s.rest(v, spare, plan):
		return
	case leaves:
		s.Base.Decide(v, plan)
	}
	for _, j := range jobs {
		c := &s.clock
		if len(jobs) > 1 {
			c = s.look(v, j, plan)
		}
		c.explain(plan)
		switch c.action() {
		case goOn:
			hold(v, j, plan)
			plan.SetReason("what runs or comes meets the deadline")
		case join:
			c.of.request(v, j, c, c.left-c.boot-c.reserve/2, plan)
		case alone:
			c.of.request(v, j, c, c.left-c.boot-c.reserve/2-c.pause, plan)
			spots(v, j, plan)
		}
		if !c.joins && c.action() != leave {
			s.moveOver(v, j, c, plan)
		}
		c.wake(s.grain, plan)
	}
}

// look works out the clock of job j; it is valid until the next.
func (s *Safe) look(v sim.View, j int, plan *sim.Plan) *clock {
	job, c := v.Job(j), &s.clock
	*c = clock{of: &s.pipelines, left: job.Deadline().Sub(v.Now()).Seconds(), reserve: s.Reserve.Seconds()}
	if _, ok := job.Model().(sim.WorkerModel); ok {
		c.of = &s.workers
	}
	for p := range v.Pools() {
		if h := v.Held(j, p); v.Pool(p).OnDemand {
			c.dear += h.Active()
			c.boot = max(c.boot, v.Pool(p).Boot.Mean().Seconds()+moveS(v, j, p))
		} else {
			c.spot += h.Active() + h.Noticed
		}
	}
	loss := s.lost.all(job.Model(), c.of.typical(v, j))
	c.now, c.worst, c.fatal = job.Loss(), job.Loss(), loss.Fatal
	if c.joins = !loss.Rollback && !loss.Fatal && loss.Stall == 0; !c.joins {
		c.pause = 2 * loss.Stall.Seconds() // one of the loss, one to change over
		c.worst = job.SavedLoss()
		if c.spot > 0 || !job.Training() {
			c.now = c.worst // a loss that was not paid for yet is in it
		}
	}
	c.of.look(v, j, s, c, plan)
	return c
}

// moveS returns how long it takes at most to carry the state of job j to a pool, s.
func moveS(v sim.View, j, to int) float64 {
	job, most := v.Job(j), time.Duration(0)
	for from := range v.Pools() {
		if job.StateIn(from) {
			most = max(most, job.Move(from, to).Time)
		}
	}
	return most.Seconds()
}

// hold holds what runs or comes, and requests nothing.
func hold(v sim.View, j int, plan *sim.Plan) {
	for p := range plan.Jobs[j].Hold {
		plan.Jobs[j].Hold[p] = v.Held(j, p).Active()
	}
}

// spots keeps the spot instances that run while on demand boots.
func spots(v sim.View, j int, plan *sim.Plan) {
	for p := range plan.Jobs[j].Hold {
		if !v.Pool(p).OnDemand {
			plan.Jobs[j].Hold[p] = v.Held(j, p).Active()
		}
	}
}

// moveOver has job j train on demand alone once all of it is ready: a loss of spot
// instances would take it back.
func (s *Safe) moveOver(v sim.View, j int, c *clock, plan *sim.Plan) {
	p := &plan.Jobs[j]
	want, ready := 0, 0
	for k, n := range p.Hold {
		if v.Pool(k).OnDemand {
			want += n
			ready += min(v.Held(j, k).Ready, n)
		}
	}
	if want == 0 || ready < want || c.spot > 0 && !saved(v, j, plan) {
		return
	}
	for k := range p.Hold {
		if !v.Pool(k).OnDemand {
			p.Hold[k] = 0
		}
	}
	p.Pipelines, p.Stages = c.of.layout(v, j, want)
}

// saved reports whether little is lost if training goes back to its last save, and asks
// for a save if more is.
func saved(v sim.View, j int, plan *sim.Plan) bool {
	job := v.Job(j)
	takes := job.Model().SaveTime(job.Layout()) + kit.PersistTime(job)
	switch {
	case !job.Training():
		return job.Paused() == sim.Never
	case !job.Safe():
		plan.WakeIn(max(takes, time.Microsecond))
		return false
	case v.Now().Sub(job.LastSave()) > 2*takes+time.Minute:
		plan.Jobs[j].Save = true
		plan.WakeIn(takes + time.Microsecond)
		return false
	}
	return true
}

// Committed reports whether on demand has to decide for job j within a span: from then on
// nothing but the fastest cluster on demand is sure to meet the deadline.
func (s *Safe) Committed(v sim.View, j int, within time.Duration, plan *sim.Plan) bool {
	c := s.look(v, j, plan)
	return c.fatal || c.slack(c.fastest, c.reserve/2) <= within.Seconds()
}

// SetRough has the policy decide faster and less exactly, for runs that are imagined: it
// looks again after 20 seconds at the soonest, and takes what was the fastest cluster on
// demand for a number of workers to be so still, while the same instances can be had.
func (s *Safe) SetRough(rough bool) {
	s.grain, s.workers.rough = 0, rough
	if rough {
		s.grain = 20
	}
}
