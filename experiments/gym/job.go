package gym

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/sim"
)

// jobTask asks how many instances to hold in each pool for one job.
type jobTask struct {
	rules  *Rules
	pools  []sim.Pool
	budget time.Duration // from the submission to the deadline
}

func (*jobTask) check(r *Rules, s *spec.Spec) error {
	if r.Slots != 0 || r.JobUSDPerHour != 0 {
		return fmt.Errorf("slots and the price of an hour of a job are for many jobs, and %s is of one", s.Name)
	}
	return nil
}

func (*jobTask) policy() sim.Policy { return &plugin.Agent{} }

func (t *jobTask) open(c *sim.Config, pools []sim.Pool, r *Rules) {
	t.rules = r
	t.pools = pools
	t.budget = c.Jobs[0].Objective.Within
}

func (t *jobTask) within() time.Duration { return t.budget }
func (*jobTask) groupNames() []string    { return nil }

func (t *jobTask) actions() (out []Action) {
	for p := range t.pools {
		out = append(out, Action{t.pools[p].Name, t.pools[p].Quota + 1})
	}
	return out
}

func (t *jobTask) fields() []Field {
	fields := []Field{
		{"elapsed_h", 0, maxHours},      // since the job was submitted
		{"left_h", -maxHours, maxHours}, // until the deadline
		{"done", 0, 1},                  // share of the training
		{"training", 0, 1},              // 1: it trains
		{"needs_h", 0, maxHours},        // until the goal on what trains now
		{"unsaved_h", 0, maxHours},      // since the last save
		{"leaving_h", 0, maxHours},      // until the next instance under notice goes
	}
	for i := range t.pools {
		p := &t.pools[i]
		quota := float64(p.Quota)
		fields = append(fields,
			Field{p.Name + " usd_per_h", 0, math.MaxFloat64},
			Field{p.Name + " starting", 0, quota},
			Field{p.Name + " ready", 0, quota},
			Field{p.Name + " noticed", 0, quota},
			Field{p.Name + " waiting", 0, quota},      // requests
			Field{p.Name + " waiting_h", 0, maxHours}, // since when
		)
	}
	return fields
}

func (t *jobTask) play() play { return &jobPlay{task: t, agent: plugin.Agent{Step: t.rules.Step}} }

// jobPlay is an episode of one job.
type jobPlay struct {
	task     *jobTask
	agent    plugin.Agent
	deadline sim.Time
	lateUSD  float64 // once it is over
}

func (p *jobPlay) policy() sim.Policy { return &p.agent }
func (*jobPlay) count(sim.View)       {}
func (p *jobPlay) besides() float64   { return p.lateUSD }

func (p *jobPlay) begin(c *sim.Config) {
	clear(p.agent.Hold)
	p.lateUSD = 0
	p.deadline = c.Start.Add(c.Jobs[0].Submit).Add(c.Jobs[0].Objective.Within)
}

func (p *jobPlay) copyTo(other play) {
	to := other.(*jobPlay)
	to.agent.Step = p.agent.Step
	to.agent.Hold = append(to.agent.Hold[:0], p.agent.Hold...)
	to.task = p.task
	to.deadline = p.deadline
	to.lateUSD = p.lateUSD
}

func (p *jobPlay) act(_ sim.View, hold []int32) error {
	pools := p.task.pools
	if len(hold) != len(pools) {
		return fmt.Errorf("an action of %d numbers, expected %d, one a pool", len(hold), len(pools))
	}
	for i, n := range hold {
		if n < 0 || int(n) > pools[i].Quota {
			return fmt.Errorf("%d instances of pool %s, expected 0 to %d", n, pools[i].Name, pools[i].Quota)
		}
	}
	p.agent.Hold = p.agent.Hold[:0]
	for _, n := range hold {
		p.agent.Hold = append(p.agent.Hold, int(n))
	}
	return nil
}

func (p *jobPlay) observe(v sim.View, to []float64) []float64 {
	now := v.Now()
	job := v.Job(0)
	needs := maxHours
	if rate := job.Model().Rate(job.Layout()).Progress; rate > 0 {
		needs = hours(left(job) / rate)
	}
	submitted := p.deadline.Add(-job.Objective().Within)
	to = append(to, span(submitted, now), span(now, p.deadline), job.Done(), flag(job.Training()),
		needs, span(max(job.LastSave(), submitted), now), until(job.Leaving(), now))
	for i := range p.task.pools {
		held := v.Held(0, i)
		waiting := 0.0
		if held.WaitingSince < now {
			waiting = span(held.WaitingSince, now)
		}
		to = append(to, v.Price(i), float64(held.Starting), float64(held.Ready), float64(held.Noticed),
			float64(held.Waiting), waiting)
	}
	return to
}

// left is the progress from here to the goal.
func left(job sim.JobView) float64 {
	model := job.Model()
	goal := model.Goal(job.Objective().Loss)
	if loss := job.Loss(); !math.IsInf(loss, 1) {
		return goal - model.Goal(loss)
	}
	return goal - model.Begin(job.Layout())
}

func (p *jobPlay) finish(t *sim.Totals) End {
	end := p.endOf(t)
	if end == Late || end == Lost { // of others nobody knows whether they would have been in time
		p.lateUSD = p.task.rules.LateUSD + p.task.rules.LateUSDPerHour*max(t.End.Sub(p.deadline).Hours(), 0)
	}
	return end
}

func (p *jobPlay) endOf(t *sim.Totals) End {
	job := &t.Jobs[0]
	switch {
	case job.Lost:
		return Lost
	case !job.Finished && t.End < p.deadline:
		return Truncated
	case !job.Finished || t.End > p.deadline:
		return Late
	}
	return Met
}
