// Package gym lets a learner act in the runs of a study, a step at a time: environments that follow the
// interface of Gymnasium (Towers et al., arXiv 2407.17032), and a server for programs in other languages.
//
// An environment is a sim.World that stops before each decision (World.NextDecision). An action is how
// many instances to hold by pool until the next step; an observation is what a policy sees then, as
// numbers; the reward is minus the dollars that the step cost, and at the end minus a price for being
// late. The rewards of an episode add up to minus the cost of the same run by marigram run. The future
// is never in an observation: the tape does not leave the world.
package gym

import (
	"errors"
	"fmt"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/sim"
)

// End is how an episode ends.
type End int

// The ends of an episode. Running is none.
const (
	Running   End = iota
	Met           // the job is done, by its deadline
	Late          // it is done after its deadline, or is not done and the deadline is over
	Lost          // the loss of its chief ended it
	Truncated     // the traces, or the horizon of the spec, end before it is done and before its deadline
)

// Outcome is what a step leads to.
type Outcome struct {
	Reward float64 // minus the dollars of the step, and of lateness at the end
	USD    float64 // cost since the start of the run, without the price of lateness
	End    End
}

// Env is an environment: a run that goes on step by step.
type Env struct {
	of       *Study
	world    sim.World
	agent    plugin.Agent
	cluster  scheduler // of many jobs, in place of agent
	jobs     []sim.Job // of many
	tally    tally
	deadline sim.Time // of one job
	start    sim.Time // of the run
	progress
}

// progress is how far an episode has come.
type progress struct {
	at      sim.Time // of the last step
	usd     float64  // of all steps so far
	besides float64  // what they cost besides: of many jobs, and by lateness
	end     End
	begun   bool
}

// New returns an environment that is to be reset first.
func (g *Study) New() *Env {
	return &Env{of: g, agent: plugin.Agent{Step: g.rules.Step}, cluster: scheduler{step: g.rules.Step, groups: g.groups}}
}

// policy is what the world asks.
func (e *Env) policy() sim.Policy {
	if e.of.groups != nil {
		return &e.cluster
	}
	return &e.agent
}

// Reset begins an episode: the market and all random numbers are those of a seed, start is from the
// beginning of the traces (Study.Start has that of a seed).
func (e *Env) Reset(seed int64, start time.Duration) error {
	config, err := e.of.config(seed, start, e.policy())
	if err != nil {
		return err
	}
	if pools := config.Market.Pools(); pools != len(e.of.pools) {
		return fmt.Errorf("seed %d: a market of %d pools, expected %d as at first", seed, pools, len(e.of.pools))
	}
	clear(e.agent.Hold)
	clear(e.cluster.choice)
	if err := e.world.Reset(config); err != nil {
		return err
	}
	e.jobs = config.Jobs
	e.progress = progress{at: -1, begun: true}
	e.tally = tally{at: config.Start}
	if e.of.groups == nil {
		e.deadline = config.Start.Add(e.jobs[0].Submit).Add(e.jobs[0].Objective.Within)
	}
	e.start = config.Start
	e.advance()
	return nil
}

// ErrOver is that of an action in an environment whose episode is over, or that was never reset.
var ErrOver = errors.New("the episode is over or has not begun: reset the environment first")

// Act holds n instances by pool until the next step or, of many jobs, has the jobs of the slots run where it says, as
// far as there is room, in the order of the slots. Errors name the pool or the slot.
func (e *Env) Act(hold []int32) (Outcome, error) {
	if !e.begun || e.end != Running {
		return Outcome{}, ErrOver
	}
	if e.of.groups != nil {
		return e.choose(hold)
	}
	if len(hold) != len(e.of.pools) {
		return Outcome{}, fmt.Errorf("an action of %d numbers, expected %d, one a pool", len(hold), len(e.of.pools))
	}
	for p, n := range hold {
		if largest := e.of.pools[p].Quota; n < 0 || int(n) > largest {
			return Outcome{}, fmt.Errorf("%d instances of pool %s, expected 0 to %d", n, e.of.pools[p].Name, largest)
		}
	}
	e.agent.Hold = e.agent.Hold[:0]
	for _, n := range hold {
		e.agent.Hold = append(e.agent.Hold, int(n))
	}
	return e.advance(), nil
}

// choose is Act of many jobs.
func (e *Env) choose(choice []int32) (Outcome, error) {
	if len(choice) != e.of.rules.Slots {
		return Outcome{}, fmt.Errorf("an action of %d numbers, expected %d, one a slot", len(choice), e.of.rules.Slots)
	}
	for slot, group := range choice {
		if group < 0 || int(group) > len(e.of.groups) {
			return Outcome{}, fmt.Errorf("job %d on GPUs %d, expected 0 (none) to %d", slot, group, len(e.of.groups))
		}
	}
	e.cluster.choose(e.world.View(), e.of.rules.Slots, choice)
	return e.advance(), nil
}

// Fork makes to a copy that goes on by itself.
func (e *Env) Fork(to *Env) error {
	if !e.begun {
		return ErrOver
	}
	to.of = e.of
	to.agent.Step = e.agent.Step
	to.agent.Hold = append(to.agent.Hold[:0], e.agent.Hold...)
	e.cluster.copyTo(&to.cluster)
	to.jobs = e.jobs
	to.tally = e.tally
	to.deadline = e.deadline
	to.start = e.start
	to.progress = e.progress
	e.world.Fork(&to.world, to.policy())
	return nil
}

// View is what a policy sees at the present step. It is valid until the next one.
func (e *Env) View() (sim.View, error) {
	if !e.begun || e.end != Running {
		return sim.View{}, ErrOver
	}
	return e.world.View(), nil
}

// advance runs to the next step.
func (e *Env) advance() Outcome {
	for e.world.NextDecision() {
		view := e.world.View()
		if e.of.groups != nil {
			e.tally.count(view, &e.of.rules)
		}
		if e.isStep(view) {
			e.at = view.Now()
			bill := view.Bill()
			return e.pay(bill.Total(), e.jobsUSD())
		}
	}
	totals := e.world.Run()
	if e.of.groups != nil {
		e.end = e.tally.end(totals, e.jobs, &e.of.rules)
		return e.pay(totals.Bill.Total(), e.jobsUSD())
	}
	e.end = e.endOf(totals)
	return e.pay(totals.Bill.Total(), e.lateUSD(totals.End))
}

// jobsUSD is what many jobs have cost so far besides the bill.
func (e *Env) jobsUSD() float64 { return e.of.rules.JobUSDPerHour*e.tally.hours + e.tally.late }

// occasions are what an agent is asked at besides its grid, if it is.
const occasions = sim.TriggerStart | sim.TriggerGrant | sim.TriggerReady | sim.TriggerNotice | sim.TriggerGone |
	sim.TriggerJob

// isStep reports whether the present instant is one of the steps.
func (e *Env) isStep(v sim.View) bool {
	onGrid := v.Now().Sub(v.Start())%e.of.rules.Step == 0
	onEvent := e.of.rules.Events && v.Trigger()&occasions != 0
	return v.Now() > e.at && (onGrid || onEvent)
}

// pay is what a step costs, by the dollars so far and what there is besides.
func (e *Env) pay(usd, besides float64) Outcome {
	outcome := Outcome{Reward: e.usd - usd - (besides - e.besides), USD: usd, End: e.end}
	e.usd = usd
	e.besides = besides
	return outcome
}

func (e *Env) endOf(t *sim.Totals) End {
	job := &t.Jobs[0]
	switch {
	case job.Lost:
		return Lost
	case !job.Finished && t.End < e.deadline:
		return Truncated
	case !job.Finished || t.End > e.deadline:
		return Late
	}
	return Met
}

// lateUSD is the price of an objective that is not met.
func (e *Env) lateUSD(end sim.Time) float64 {
	if e.end == Met || e.end == Truncated { // nobody knows whether it would have been in time
		return 0
	}
	return e.of.rules.LateUSD + e.of.rules.LateUSDPerHour*max(end.Sub(e.deadline).Hours(), 0)
}

// groupOf is the group on which the plan in force has a job, from 1; 0: it waits.
func (e *Env) groupOf(v sim.View, j int) int {
	for _, part := range v.Planned(j, nil) {
		return groupWith(e.of.groups, part.Pool)
	}
	return 0
}

// tally is what many jobs have cost besides dollars, until the last decision.
type tally struct {
	at    sim.Time
	there int     // jobs from then on
	hours float64 // of jobs that were there, added up
	late  float64 // USD
}

// count takes in what has become of the jobs by the next decision.
func (t *tally) count(v sim.View, rules *Rules) {
	t.hours += float64(t.there) * v.Now().Sub(t.at).Hours()
	t.at = v.Now()
	t.there = len(v.ActiveJobs())
	for _, change := range v.JobChanges() {
		if job := v.Job(change.Job); change.What == sim.JobFinished {
			t.late += rules.late(v.Now().Sub(job.Submitted()), job.Objective().Within)
		}
	}
}

// end is the same of all jobs at the end of the run.
func (t *tally) end(totals *sim.Totals, jobs []sim.Job, rules *Rules) (end End) {
	t.hours = 0
	t.late = 0
	end = Met
	for j := range totals.Jobs {
		job := &totals.Jobs[j]
		within := jobs[j].Objective.Within
		if job.Elapsed > 0 || job.Finished {
			t.hours += job.Elapsed.Hours()
		}
		t.late += rules.late(job.Elapsed, within) // of one that is not done, so far
		if !job.Finished {
			end = Truncated
		} else if job.Elapsed > within && end == Met {
			end = Late
		}
	}
	return end
}

// late is the price of a job that took so long and had so much time.
func (r *Rules) late(took, within time.Duration) float64 {
	if took <= within {
		return 0
	}
	return r.LateUSD + r.LateUSDPerHour*(took-within).Hours()
}
