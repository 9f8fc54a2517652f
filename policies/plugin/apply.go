package plugin

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/sim"
)

// apply writes a plug-in's plan into the world's; alone is that no other policy is around it. The error names the key and what was expected.
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
	if err := wake(m, plan); err != nil {
		return err
	}
	if err := waitFor(m, v, plan, alone); err != nil {
		return err
	}
	if m.Again {
		plan.AskAgain()
	}
	plan.SetReason(m.Because)
	for _, x := range m.Inputs {
		plan.AddInput(x.Name, x.Value, x.Unit)
	}
	for _, c := range m.Candidates {
		plan.AddCandidate(sim.Candidate(c))
	}
	return nil
}

func wake(m *message.Plan, plan *sim.Plan) error {
	if m.WakeS == nil {
		return nil
	}
	d := longSpan(*m.WakeS)
	if math.IsNaN(*m.WakeS) || d <= 0 {
		return fmt.Errorf("wake_s is %v, expected at least 0.000001", *m.WakeS)
	}
	plan.WakeIn(d)
	return nil
}

func applyJob(m *message.JobPlan, v sim.View, plan *sim.Plan, names []string) error {
	if *m.Job < 0 || *m.Job >= v.Jobs() {
		return fmt.Errorf("job is %d, expected the number of a job of the view", *m.Job)
	}
	p := &plan.Jobs[*m.Job]
	if m.Hold != nil {
		if err := m.Hold.Into(p.Hold, names); err != nil {
			return err
		}
	}
	for _, n := range []struct {
		name string
		from *int
		to   *int
	}{{"pipelines", m.Pipelines, &p.Pipelines}, {"stages", m.Stages, &p.Stages}, {"workers", m.Workers, &p.Workers},
		{"servers", m.Servers, &p.Servers}} {
		if n.from == nil {
			continue
		}
		if *n.from < 0 || *n.from > message.Max {
			return fmt.Errorf("%s is %d, expected 0 to %d", n.name, *n.from, message.Max)
		}
		*n.to = *n.from
	}
	set(&p.AcrossZones, m.AcrossZones)
	set(&p.Drain, m.Drain)
	set(&p.Restart, m.Restart)
	p.Refill, p.Save = m.Refill, m.Save
	return nil
}

func set(to, from *bool) {
	if from != nil {
		*to = *from
	}
}
