package plugin

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/sim"
)

// apply writes a plug-in's plan into the world's; alone is that no other policy is around it. The error names the key
// and what was expected.
func apply(m *message.Plan, v sim.View, plan *sim.Plan, names []string, alone bool) error {
	first := m.JobPlan
	if active := v.ActiveJobs(); first.Job == nil && len(active) > 0 {
		first.Job = &active[0]
	}
	if first.Job != nil {
		if err := applyJob(&first, v, plan, names); err != nil {
			return err
		}
	}
	for i := range m.Jobs {
		if m.Jobs[i].Job == nil {
			return fmt.Errorf("jobs[%d] has no job, expected its number", i)
		}
		if err := applyJob(&m.Jobs[i], v, plan, names); err != nil {
			return fmt.Errorf("jobs[%d]: %w", i, err)
		}
	}
	if err := applyWake(m, plan); err != nil {
		return err
	}
	if err := waitFor(m, v, plan, alone); err != nil {
		return err
	}
	if m.Again {
		plan.AskAgain()
	}
	plan.SetReason(m.Because)
	for _, input := range m.Inputs {
		plan.AddInput(input.Name, input.Value, input.Unit)
	}
	for _, candidate := range m.Candidates {
		plan.AddCandidate(sim.Candidate(candidate))
	}
	return nil
}

func applyWake(m *message.Plan, plan *sim.Plan) error {
	if m.WakeS == nil {
		return nil
	}
	after := longSpan(*m.WakeS)
	if math.IsNaN(*m.WakeS) || after <= 0 {
		return fmt.Errorf("wake_s is %v, expected at least 0.000001", *m.WakeS)
	}
	plan.WakeIn(after)
	return nil
}

func applyJob(m *message.JobPlan, v sim.View, plan *sim.Plan, names []string) error {
	if *m.Job < 0 || *m.Job >= v.Jobs() {
		return fmt.Errorf("job is %d, expected the number of a job of the view", *m.Job)
	}
	job := &plan.Jobs[*m.Job]
	if m.Hold != nil {
		if err := m.Hold.Into(job.Hold, names); err != nil {
			return err
		}
	}
	for _, count := range []struct {
		name string
		said *int
		to   *int
	}{
		{"pipelines", m.Pipelines, &job.Pipelines},
		{"stages", m.Stages, &job.Stages},
		{"workers", m.Workers, &job.Workers},
		{"servers", m.Servers, &job.Servers},
	} {
		if count.said == nil {
			continue
		}
		if *count.said < 0 || *count.said > message.Max {
			return fmt.Errorf("%s is %d, expected 0 to %d", count.name, *count.said, message.Max)
		}
		*count.to = *count.said
	}
	job.AcrossZones = stats.Or(m.AcrossZones, job.AcrossZones)
	job.Drain = stats.Or(m.Drain, job.Drain)
	job.Restart = stats.Or(m.Restart, job.Restart)
	job.Refill = m.Refill
	job.Save = m.Save
	return nil
}

// waitFor takes over what a plug-in's plan waits for. A policy within another one is asked for all
// events in any case.
func waitFor(m *message.Plan, v sim.View, plan *sim.Plan, alone bool) error {
	if m.WaitFor != nil {
		events, err := triggers(*m.WaitFor)
		if err != nil {
			return fmt.Errorf("wait_for: %w", err)
		}
		if alone {
			plan.WaitFor(events)
		}
	}
	if n := len(m.WakeWhen); n > maxConditions {
		return fmt.Errorf("wake_when has %d conditions, expected at most %d", n, maxConditions)
	}
	for i := range m.WakeWhen {
		c, err := condition(&m.WakeWhen[i], v)
		if err != nil {
			return fmt.Errorf("wake_when[%d]: %w", i, err)
		}
		plan.WakeWhen(c)
	}
	return nil
}

// triggers reads names of events joined by plus signs; an empty text is none.
func triggers(names string) (events sim.Trigger, err error) {
	if names == "" {
		return 0, nil
	}
	for _, name := range strings.Split(names, "+") {
		event := sim.Trigger(0)
		for bit := sim.Trigger(1); bit <= sim.AnyEvent; bit <<= 1 {
			if bit&sim.AnyEvent != 0 && bit.String() == name {
				event = bit
			}
		}
		if event == 0 {
			return 0, fmt.Errorf("%q is no event that can be left out, expected some of %v", name, sim.AnyEvent)
		}
		events |= event
	}
	return events, nil
}

// maxConditions is how many conditions a decision can name: the world looks at them whenever anything happens.
const maxConditions = 1000

// condition reads a condition of a plug-in.
func condition(m *message.Condition, v sim.View) (c sim.Condition, err error) {
	pool := stats.Or(m.Pool, 0)
	job := 0
	if active := v.ActiveJobs(); len(active) > 0 {
		job = active[0]
	}
	job = stats.Or(m.Job, job)
	if job < 0 || job >= v.Jobs() || pool < 0 || pool >= v.Pools() {
		return c, fmt.Errorf("job %d or pool %d is not in the view", job, pool)
	}
	for _, number := range []*float64{m.WaitedS, m.Done, m.WholeS, m.ReserveS, m.Below, m.Above, m.EveryS} {
		if number != nil && !(*number >= 0) {
			return c, fmt.Errorf("a number is %v, expected at least 0", *number)
		}
	}
	priced := m.Below != nil || m.Above != nil
	kinds := 0
	for _, is := range []bool{m.WaitedS != nil, m.Done != nil, m.WholeS != nil, priced} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1 || priced && m.Pool == nil:
		return c, fmt.Errorf("has %d conditions, expected one: "+
			"waited_s, done, whole_s, or a pool and below_usd_per_h or above_usd_per_h", kinds)
	case m.WaitedS != nil:
		c = sim.Waited(job, longSpan(*m.WaitedS))
	case m.Done != nil:
		c = sim.Reached(job, *m.Done)
	case m.WholeS != nil:
		c = sim.OutOfTime(job, longSpan(*m.WholeS), longSpan(stats.Or(m.ReserveS, 0)))
	default:
		c = sim.PriceOutside(pool, stats.Or(m.Below, 0), stats.Or(m.Above, math.Inf(1)))
	}
	if m.EveryS == nil {
		return c, nil
	}
	every := longSpan(*m.EveryS)
	if every <= 0 {
		return c, fmt.Errorf("every_s is %v, expected at least 0.000001", *m.EveryS)
	}
	return c.Every(every), nil
}

// longSpan is span for any number of seconds; 285 years stand for more.
func longSpan(s float64) time.Duration { return span(min(s, 9e9)) }
